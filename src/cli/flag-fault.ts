import { suggest } from '../contract/suggest.ts';
import { type Command, everywhere, type Option } from './command.ts';

/** What node found wrong with the flags of a command, in our words. */
export function flagFault(error: unknown, command: Command): string {
	const { code, message } = error as NodeJS.ErrnoException;
	const options = { ...command.options, ...everywhere };
	const [typed = ''] = /--?[\w-]+/.exec(message) ?? [];
	if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
		const near = suggest(typed.replace(/^-+/, ''), Object.keys(options));
		const then = near === null ? ` (dispatch ${command.name} --help)` : `; did you mean "--${near}"?`;
		return `dispatch ${command.name} has no flag "${typed}"${then}`;
	}
	const option = optionOf(typed, options);
	if (code !== 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' || option === null)
		return `${message.split('\n')[0]} (dispatch ${command.name} --help)`;
	const [name, { type, value = 'VALUE' }] = option;
	if (type === 'boolean') return `--${name} takes no value`;
	return message.includes('ambiguous')
		? `--${name} takes a value; one that begins with a dash is written --${name}=-…`
		: `--${name} takes a value: --${name} ${value}`;
}

const optionOf = (typed: string, options: Readonly<Record<string, Option>>): [string, Option] | null =>
	Object.entries(options).find(([name, { short }]) => typed === `--${name}` || typed === `-${short}`) ?? null;
