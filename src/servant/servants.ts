import { builtInTools } from '../contract/built-in-tools.ts';
import { own } from '../contract/own.ts';
import type { Servant } from '../contract/servant.ts';
import type { ServantFile } from '../contract/servant-file.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { described } from './described.ts';
import { gemini } from './gemini.ts';
import { replay } from './replay.ts';

export { builtInTools };

/** The servant of a tool: built in, or described by its file. The file's `command`, `env` and `paid` count for both. */
export function servantFor(tool: string, file: ServantFile | undefined): Servant {
	const said = file ?? {};
	const base = own(builtIn, tool)?.(said) ?? described(tool, said);
	const { command, env = [], paid = base.paid } = said;
	return {
		...base,
		paid,
		env: [...new Set([...base.env, ...env])],
		// What installs the usual program does not install this one.
		...(command === undefined || command === tool ? {} : { care: { ...base.care, install: null } }),
		invocation: (ask) => (command === undefined ? base.invocation(ask) : { ...base.invocation(ask), command }),
	};
}

const builtIn: Readonly<Record<string, (file: ServantFile) => Servant>> = {
	claude: () => claude,
	codex: (file) => codex(file.step_unit ?? 'item'),
	gemini: () => gemini,
	copilot: () => copilot,
	replay: (file) => replay([claude.read, codex(file.step_unit ?? 'item').read, gemini.read, copilot.read], file.args?.[0]),
};
