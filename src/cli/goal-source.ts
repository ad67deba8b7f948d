import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execaSync } from 'execa';
import { TaskId } from '../contract/words.ts';
import { readText } from '../packet/read.ts';
import { UsageError } from './command.ts';

export interface GoalAsk {
	/** `[id] [goal]`: at most two. */
	readonly args: readonly string[];
	/** `--file`. */
	readonly file: string | undefined;
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	readonly stdin: { readonly isTTY: boolean; readonly read: () => string };
}

export interface NewTask {
	/** Null: to be derived. */
	readonly id: string | null;
	/** The first line. */
	readonly goal: string;
	/** All of it, where it is more than one line. */
	readonly request: string | null;
}

export const processStdin: GoalAsk['stdin'] = {
	get isTTY() {
		return process.stdin.isTTY === true;
	},
	read: () => readFileSync(0, 'utf8'),
};

/** What `add` was asked to make. One word that could be an id is one; everything else that stands alone is the goal. */
export function readTask(ask: GoalAsk): NewTask {
	const [first, second] = ask.args;
	const alone = ask.args.length === 1 && (first === '-' || !TaskId.safeParse(first).success);
	const id = alone ? null : (first ?? null);
	const argument = alone ? first : second;
	if (id !== null && !TaskId.safeParse(id).success) throw new UsageError(TaskId.safeParse(id).error!.issues[0]!.message);
	if (argument !== undefined && ask.file !== undefined) throw new UsageError('the goal is given twice: as an argument and with --file');
	const text = goalText(ask, argument)
		.replace(/^\uFEFF/, '')
		.replaceAll('\r\n', '\n')
		.trim();
	if (text === '') {
		throw new UsageError('there is no goal: give it as the second argument, with --file F, on standard input, or set EDITOR');
	}
	const [line = ''] = text.split('\n');
	const goal = line.replace(/^#+\s+/, '').trim();
	return { id, goal: goal === '' ? line : goal, request: text === line ? null : `${text}\n` };
}

function goalText({ file, cwd, env, stdin }: GoalAsk, argument: string | undefined): string {
	if (argument !== undefined && argument !== '-') return argument;
	if (argument === undefined && file !== undefined && file !== '-') {
		const text = readText(resolve(cwd, file), 4 * 1024 * 1024);
		if (text === null) throw new UsageError(`${file} cannot be read, or is no text file of at most 4 MiB`);
		return text;
	}
	if (argument === '-' || file === '-' || !stdin.isTTY) return stdin.read();
	const editor = env.VISUAL || env.EDITOR;
	if (!editor) return '';
	const text = edited(editor, env);
	if (text.trim() === '') throw new UsageError(`the editor (${editor}) saved no goal; nothing was made`);
	return text;
}

const scissors = '---------- 8< ----------';

function edited(editor: string, env: NodeJS.ProcessEnv): string {
	const dir = mkdtempSync(join(tmpdir(), 'dispatch-goal-'));
	const file = join(dir, 'GOAL.md');
	try {
		writeFileSync(
			file,
			`\n${scissors}\nThe first line is the goal, in one sentence. More lines become the request that the agents read.\n`,
		);
		// The variable may hold arguments (`code --wait`), so a shell reads it, as git does.
		const done = execaSync('/bin/sh', ['-c', `${editor} "$1"`, 'editor', file], { stdio: 'inherit', env, extendEnv: false, reject: false });
		if (done.exitCode !== 0) throw new UsageError(`the editor (${editor}) ended without success; nothing was made`);
		return readFileSync(file, 'utf8').split(scissors)[0]!;
	} finally {
		rmSync(dir, { recursive: true, force: true });
	}
}
