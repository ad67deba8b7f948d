import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageDir } from '../config/find-root.ts';
import { ExitCode } from '../contract/exit-code.ts';
import { ensureDir, writeWhole } from '../packet/disk.ts';
import { readText } from '../packet/read.ts';
import { knownTools } from '../plan/known-tools.ts';
import { findProgram } from '../process/find-program.ts';
import { pad } from '../report/columns.ts';
import { visibleLine } from '../report/visible.ts';
import type { Project } from '../run/project.ts';
import { placeProgram } from '../triage/place-program.ts';
import { gitMissing, gitProgram } from '../worktree/git.ts';
import { repositoryOf } from '../worktree/repository.ts';
import type { Call, Command } from './command.ts';
import { ignoreTmp } from './ignore-tmp.ts';
import { projectOf } from './project-of.ts';
import { commandOf } from './servant-health.ts';
import { starterConfig } from './starter-files.ts';

export const command: Command = {
	name: 'init',
	summary: 'Prepares a repository: configs/ and templates/ to edit, .tmp/ ignored by git. Running it again changes nothing.',
	usage: '',
	options: {},
	positionals: { min: 0, max: 0 },
	examples: ['dispatch init'],
	run: async (call) => {
		const inGit = repositoryOf(call.root) !== null;
		const done = [...writeStarters(call.root), ...ignoreTmp(call.root)];
		const title = `${visibleLine(call.root)}: ${done.length === 0 ? 'nothing to do, all is there' : ''}`.trimEnd();
		call.out(`${[title, ...done.map((line) => `  ${line}`)].join('\n')}\n`);
		if (!inGit) call.out('\nThis is no git repository: reading profiles run here, writing ones need git (git init, and a first commit).\n');
		else if (gitProgram() === null)
			call.out(`\n${gitMissing}: install it, or put it on PATH; no packet runs in a repository without it.\n`);
		const project = await projectOf(call);
		if (typeof project === 'number') return project;
		call.out(`\n${agents(project, call)}\n`);
		return ExitCode.completed;
	},
};

/** Files that are there stay as they are; only the schemas follow the package, for they are nobody's to edit. */
function writeStarters(root: string): string[] {
	const schemas = join(packageDir(), 'schemas');
	const files: [path: string, text: string, ours: boolean][] = [
		['configs/dispatch.yaml', starterConfig, false],
		['templates/README.md', readText(join(packageDir(), 'templates/README.md')) ?? '', false],
		...readdirSync(schemas).map((name): [string, string, boolean] => [
			`configs/schemas/${name}`,
			readText(join(schemas, name)) ?? '',
			true,
		]),
	];
	return files.flatMap(([path, text, ours]) => {
		const file = join(root, path);
		const there = existsSync(file);
		if (there && (!ours || readText(file) === text)) return [];
		ensureDir(dirname(file));
		writeWhole(file, text);
		return [`${there ? 'updated' : 'created'} ${path}`];
	});
}

function agents(project: Project, { root, env }: Call): string {
	const tools = [...knownTools(project.config)].sort();
	const width = Math.max(...tools.map((tool) => tool.length));
	const lines = tools.flatMap((tool) => {
		const { servant } = project.servantOf(tool);
		const program = commandOf(servant, root);
		// Served by ourselves: there is nothing to install.
		if (program === process.execPath) return [];
		const path = findProgram(program, env.PATH, root);
		const { install } = servant.care;
		const how = install === null ? placeProgram(tool, program) : `to install it: ${install}`;
		const words = path === null ? `missing; ${how}` : `found: ${path}`;
		return [`  ${pad(tool, width)}  ${visibleLine(words)}`];
	});
	const next = 'Next: dispatch doctor (versions and logins), dispatch add (a first packet).';
	return ['Agent CLIs:', ...lines, '', next].join('\n');
}
