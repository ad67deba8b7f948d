import { join } from 'node:path';

/** Every path of a packet. Nothing else in the code spells them. They are made some hundred times a stage, so the root alone is normalised. */
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

export const publishedKinds = ['out', 'err', 'meta.json', 'stream.jsonl', 'compose.log', 'wrapper.log'] as const;
export type Published = (typeof publishedKinds)[number];

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
	const inputs = `${dir}/inputs`;
	const outputs = `${dir}/outputs`;
	const state = `${dir}/state`;
	const done = `${dir}/done`;
	return {
		root,
		id,
		dir,
		manifest: `${dir}/manifest.yaml`,
		inputs,
		contextPack: `${inputs}/context_pack.md`,
		digest: `${inputs}/context_pack.digest.md`,
		userRequest: `${inputs}/user_request.md`,
		attachments: `${inputs}/attachments`,
		prompts: `${inputs}/prompt`,
		outputs,
		attempts: `${outputs}/attempts`,
		summary: `${outputs}/_summary.md`,
		state,
		journal: `${state}/events.jsonl`,
		plan: `${state}/plan.json`,
		stats: `${state}/stats.json`,
		lastFailure: `${state}/last_failure.json`,
		override: `${state}/acceptance.commands.override`,
		workspace: `${state}/workspace.json`,
		lock: `${state}/lock`,
		done,
		prompt: (stage) => `${inputs}/prompt/${stage.replace('_', '.')}.md`,
		output: (stage, tool, what) => `${outputs}/${stage}.${tool}.${what}`,
		artifact: (stage) => `${outputs}/${stage}.artifact.md`,
		patch: (stage) => `${outputs}/${stage}.patch`,
		marker: (stage) => `${done}/${stage}.done`,
		attemptsOf: (stage) => `${outputs}/attempts/${stage}`,
		attempt: (stage, n) => attemptNames(`${outputs}/attempts/${stage}/${n}`),
	};
}

function attemptNames(dir: string): AttemptNames {
	return {
		dir,
		record: `${dir}/record`,
		prompt: `${dir}/prompt.md`,
		stream: `${dir}/stream.jsonl`,
		out: `${dir}/out`,
		err: `${dir}/err`,
		wrapperErr: `${dir}/wrapper.err`,
		wrapperLog: `${dir}/wrapper.log`,
		composeLog: `${dir}/compose.log`,
		tree: `${dir}/tree.json`,
		acceptance: `${dir}/acceptance.json`,
		patch: `${dir}/patch`,
		artifact: `${dir}/artifact.md`,
		meta: `${dir}/meta.json`,
		scratch: `${dir}/scratch`,
		ending: `${dir}/ending.json`,
	};
}
