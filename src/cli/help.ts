import type { Command } from './command.ts';
import { everywhere, usageLine } from './command.ts';
import { commandList } from './commands.ts';

export function overview(): string {
	const width = Math.max(...commandList.map((entry) => entry.name.length));
	const rows = commandList.map((entry) => `  ${entry.name.padEnd(width)}  ${entry.summary}`);
	return [
		'dispatch: runs work packets through pipelines of AI coding-agent CLIs',
		'',
		'Usage: dispatch <command> [options]',
		'',
		...rows,
		'',
		'dispatch <command> --help shows flags and an example.',
		'',
	].join('\n');
}

export function commandHelp(command: Command): string {
	const options = Object.entries({ ...command.options, ...everywhere }).map(([name, { short, value, help }]) => {
		const left = `${short ? `-${short}, ` : '    '}--${name}${value ? ` ${value}` : ''}`;
		return `  ${left.padEnd(32)}  ${help}`;
	});
	return [
		`Usage: ${usageLine(command)}`,
		'',
		command.summary,
		'',
		'Options:',
		...options,
		'',
		'Example:',
		...command.examples.map((example) => `  ${example}`),
		'',
	].join('\n');
}
