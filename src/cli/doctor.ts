import { ExitCode } from '../contract/exit-code.ts';
import { knownTools } from '../plan/known-tools.ts';
import { renderTable } from '../report/table.ts';
import { visibleLine } from '../report/visible.ts';
import { gitProgram, gitText } from '../worktree/git.ts';
import { type Command, flag, jsonOption } from './command.ts';
import { neededTools } from './needed-tools.ts';
import { printJson } from './print-json.ts';
import { projectOf } from './project-of.ts';
import { healthOf, type ServantHealth } from './servant-health.ts';
import { windowColumns } from './stdio.ts';

export const command: Command = {
	name: 'doctor',
	summary:
		'Checks git and which servants can be used, without paying: program, version, login. Exit 6 if git is missing or a default profile needs a servant that cannot be used.',
	usage: '[--json]',
	options: jsonOption,
	positionals: { min: 0, max: 0 },
	examples: ['dispatch doctor', 'dispatch doctor --json'],
	run: async (call) => {
		const project = await projectOf(call);
		if (typeof project === 'number') return project;
		const needed = neededTools(project, call.env);
		const tools = [...new Set([...knownTools(project.config), ...needed])].sort();
		const checked = await Promise.all(tools.map((tool) => healthOf(project.servantOf(tool).servant, call.root, call.env)));
		const servants = checked.map((one) => ({ ...one, needed: needed.has(one.tool) }));
		const git = await gitHealth(call.root);
		const ok = git.path !== null && servants.every((one) => one.usable || !one.needed);
		if (flag(call, 'json')) printJson(call, { ok, git, servants });
		else call.out(`${report(git, servants)}\n`);
		return ok ? ExitCode.completed : ExitCode.needsHuman;
	},
};

type Checked = ServantHealth & { readonly needed: boolean };

interface GitHealth {
	readonly path: string | null;
	readonly version: string | null;
}

async function gitHealth(root: string): Promise<GitHealth> {
	const said = await gitText(root, ['--version']);
	return { path: gitProgram(), version: said.ok ? (/\d+\.\d+[\w.]*/.exec(said.value)?.[0] ?? null) : null };
}

function report(git: GitHealth, servants: readonly Checked[]): string {
	const rows = servants.map((one) => [
		one.tool,
		one.path ?? 'not installed',
		version(one),
		login(one),
		one.needed ? 'needed' : '',
		one.usable ? 'usable' : 'not usable',
	]);
	const missing = servants.filter((one) => !one.usable);
	const fixes = missing.flatMap((one) => one.fix.map((fix) => `  ${one.tool}: ${visibleLine(fix)}`));
	if (git.path === null) fixes.unshift('  git: install git or put it on PATH');
	const lacking = missing.filter((one) => one.needed).map((one) => one.tool);
	return [
		`git: ${git.path === null ? 'not found on PATH' : `${git.version ?? 'version unknown'}, ${visibleLine(git.path)}`}`,
		'',
		renderTable(['servant', 'program', 'version', 'login', 'default profiles', ''], rows, { columns: windowColumns() }),
		...(fixes.length === 0 ? [] : ['', 'To fix:', ...fixes]),
		'',
		lacking.length === 0 ? 'Every servant that the default profiles need is usable.' : `The default profiles need: ${lacking.join(', ')}.`,
	].join('\n');
}

function version({ path, version, known_version }: Checked): string {
	if (path === null) return '-';
	if (version === null) return 'unknown';
	return known_version === false ? `${version} (not tried with dispatch)` : version;
}

const login = (one: Checked): string => ({ seen: 'seen', not_seen: 'not seen', unknown: 'cannot be seen' })[one.login];
