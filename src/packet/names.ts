import { join } from 'node:path';

/** Every path of a packet. Nothing else in the code spells them. */
export interface PacketNames {
	readonly root: string;
	readonly id: string;
	readonly dir: string;
	readonly manifest: string;
	readonly inputs: string;
	readonly contextPack: string;
	readonly digest: string;
	readonly userRequest: string;
	readonly attachments: string;
	readonly prompts: string;
	readonly outputs: string;
	readonly attempts: string;
	readonly summary: string;
	readonly state: string;
	readonly journal: string;
	readonly plan: string;
	readonly stats: string;
	readonly lastFailure: string;
	readonly override: string;
	readonly workspace: string;
	readonly lock: string;
	readonly done: string;
	/** A stage's name with its first `_` as `.`. */
	readonly prompt: (stage: string) => string;
	readonly output: (stage: string, tool: string, what: Published) => string;
	readonly artifact: (stage: string) => string;
	readonly patch: (stage: string) => string;
	readonly marker: (stage: string) => string;
	/** Where the attempts of a stage lie. */
	readonly attemptsOf: (stage: string) => string;
	readonly attempt: (stage: string, n: number) => AttemptNames;
}

export type Published = 'out' | 'err' | 'meta.json' | 'stream.jsonl' | 'compose.log' | 'wrapper.log';

export interface AttemptNames {
	readonly dir: string;
	readonly record: string;
	readonly prompt: string;
	readonly stream: string;
	readonly out: string;
	readonly err: string;
	readonly wrapperErr: string;
	readonly wrapperLog: string;
	readonly composeLog: string;
	readonly tree: string;
	readonly acceptance: string;
	readonly patch: string;
	readonly artifact: string;
	readonly meta: string;
	readonly scratch: string;
	readonly ending: string;
}

export const tasksDir = (root: string): string => join(root, '.tmp', 'task');
export const archiveDir = (root: string): string => join(root, '.tmp', 'archive');
export const cacheDir = (root: string): string => join(root, '.tmp', 'cache');
export const worktreeDir = (root: string, id: string): string => join(root, '.tmp', 'worktree', id);
/** Private TMPDIR of an attempt; short, because some programs put sockets there. */
export const attemptTmp = (root: string, token: string): string => join(root, '.tmp', 'tmp', token.slice(0, 12));
export const guardsDir = (root: string): string => join(root, '.tmp', 'lock');

export function packetNames(root: string, id: string, dir: string = join(tasksDir(root), id)): PacketNames {
	const inputs = join(dir, 'inputs');
	const outputs = join(dir, 'outputs');
	const state = join(dir, 'state');
	const done = join(dir, 'done');
	return {
		root,
		id,
		dir,
		manifest: join(dir, 'manifest.yaml'),
		inputs,
		contextPack: join(inputs, 'context_pack.md'),
		digest: join(inputs, 'context_pack.digest.md'),
		userRequest: join(inputs, 'user_request.md'),
		attachments: join(inputs, 'attachments'),
		prompts: join(inputs, 'prompt'),
		outputs,
		attempts: join(outputs, 'attempts'),
		summary: join(outputs, '_summary.md'),
		state,
		journal: join(state, 'events.jsonl'),
		plan: join(state, 'plan.json'),
		stats: join(state, 'stats.json'),
		lastFailure: join(state, 'last_failure.json'),
		override: join(state, 'acceptance.commands.override'),
		workspace: join(state, 'workspace.json'),
		lock: join(state, 'lock'),
		done,
		prompt: (stage) => join(inputs, 'prompt', `${stage.replace('_', '.')}.md`),
		output: (stage, tool, what) => join(outputs, `${stage}.${tool}.${what}`),
		artifact: (stage) => join(outputs, `${stage}.artifact.md`),
		patch: (stage) => join(outputs, `${stage}.patch`),
		marker: (stage) => join(done, `${stage}.done`),
		attemptsOf: (stage) => join(outputs, 'attempts', stage),
		attempt: (stage, n) => attemptNames(join(outputs, 'attempts', stage, String(n))),
	};
}

function attemptNames(dir: string): AttemptNames {
	return {
		dir,
		record: join(dir, 'record'),
		prompt: join(dir, 'prompt.md'),
		stream: join(dir, 'stream.jsonl'),
		out: join(dir, 'out'),
		err: join(dir, 'err'),
		wrapperErr: join(dir, 'wrapper.err'),
		wrapperLog: join(dir, 'wrapper.log'),
		composeLog: join(dir, 'compose.log'),
		tree: join(dir, 'tree.json'),
		acceptance: join(dir, 'acceptance.json'),
		patch: join(dir, 'patch'),
		artifact: join(dir, 'artifact.md'),
		meta: join(dir, 'meta.json'),
		scratch: join(dir, 'scratch'),
		ending: join(dir, 'ending.json'),
	};
}
