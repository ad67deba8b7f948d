import { ExitCode } from '../contract/exit-code.ts';
import { suggest } from '../contract/suggest.ts';
import { blanking } from '../prompt/redact.ts';
import { renderComplaints } from '../report/complaints.ts';
import { type ConfigRow, renderConfig } from '../report/plan-table.ts';
import { choicesOf } from './choices.ts';
import { type Command, flag, jsonOption, UsageError } from './command.ts';
import { configRows, isConfigKey, rowsUnder } from './config-rows.ts';
import { printJson } from './print-json.ts';
import { problemFields } from './problem-fields.ts';
import { projectOf } from './project-of.ts';

export const command: Command = {
	name: 'config',
	summary: 'Shows configuration: each value and where it was written.',
	usage: '[key] [--choices] [--json]',
	options: {
		...jsonOption,
		choices: { type: 'boolean', help: 'all that may be chosen, as JSON: tools, models, profiles, flags, options …' },
	},
	positionals: { min: 0, max: 1 },
	examples: ['dispatch config', 'dispatch config servant.codex', 'dispatch config task_providers', 'dispatch config --choices'],
	run: async (call) => {
		if (flag(call, 'choices') && call.args.length > 0) throw new UsageError('--choices takes no key: it shows all that may be chosen');
		const project = await projectOf(call);
		if (typeof project === 'number') return project;
		if (flag(call, 'choices')) {
			printJson(call, choicesOf(project));
			return ExitCode.completed;
		}
		const { config } = project;
		const all = configRows(config);
		const [key] = call.args;
		const rows = key === undefined ? all : rowsUnder(all, key);
		if (rows.length === 0 && !isConfigKey(config, key!)) throw new UsageError(unknownKey(key!, all));
		const shown = rows.map((row) => ({ ...row, value: withoutSecrets(row.value) }));
		const values = rows.length === 0 ? [{ key, value: null, source: null }] : shown;
		if (flag(call, 'json')) printJson(call, { values, warnings: config.warnings.map(problemFields) });
		else call.out(rows.length === 0 ? `"${key}" is not set\n` : `${renderConfig(shown)}\n`);
		if (config.warnings.length > 0 && !flag(call, 'json')) call.err(`${renderComplaints(config.warnings)}\n`);
		return ExitCode.completed;
	},
};

/** A command may have a token in it. */
function withoutSecrets(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutSecrets);
	return typeof value === 'string' ? blanking()(value) : value;
}

function unknownKey(key: string, rows: readonly ConfigRow[]): string {
	const keys = rows.flatMap((row) => row.key.split('.').map((_, at, parts) => parts.slice(0, at + 1).join('.')));
	const meant = suggest(key, new Set(keys));
	return `"${key}" is not set${meant === null ? '; dispatch config shows all keys' : `; did you mean "${meant}"?`}`;
}
