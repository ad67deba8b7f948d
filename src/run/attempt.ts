import type { EventOf } from '../contract/event.ts';
import type { PlannedStage } from '../contract/plan.ts';
import type { Invocation, Servant } from '../contract/servant.ts';
import type { ServantFile } from '../contract/servant-file.ts';
import type { TreeSnapshot } from '../contract/tree-snapshot.ts';
import type { AttemptNames } from '../packet/names.ts';
import type { RunContext } from './run-context.ts';

/** One invocation of a stage, from its reservation on. All that is in it can be made again from the journal. */
export interface Attempt {
	readonly stage: PlannedStage;
	readonly reserved: EventOf<'stage_reserved'>;
	readonly names: AttemptNames;
	readonly servant: Servant;
	readonly file: ServantFile;
	readonly invocation: Invocation;
	readonly adopted: boolean;
	/** The work tree as the servant found it; absent if an earlier run knew it. */
	readonly tree?: TreeSnapshot | null;
}

export function attemptOf(ctx: RunContext, stage: PlannedStage, reserved: EventOf<'stage_reserved'>, adopted: boolean): Attempt {
	const names = ctx.names.attempt(reserved.stage, reserved.attempt);
	const { servant, file } = ctx.servantOf(reserved.provider);
	const invocation = servant.invocation({
		model: reserved.model,
		effort: reserved.effort,
		access: stage.access,
		maxSteps: reserved.max_steps,
		session: reserved.session?.id ?? null,
		workdir: ctx.workspace.dir,
		promptFile: names.prompt,
		scratch: names.scratch,
		sessionId: sessionIdOf(reserved.token),
		stage: reserved.stage,
		role: reserved.role,
		wrapper: { approvalMode: file.wrapper_defaults?.approval_mode ?? null, sandbox: file.wrapper_defaults?.sandbox ?? false },
	});
	return { stage, reserved, names, servant, file, invocation, adopted };
}

/** What a reservation of this stage will say, as far as the command line depends on it. */
export const planned = (
	stage: PlannedStage,
	{ attempt = 0, token = '', session = null }: Partial<Pick<EventOf<'stage_reserved'>, 'attempt' | 'token' | 'session'>> = {},
): EventOf<'stage_reserved'> => ({
	time: '',
	task_id: '',
	type: 'stage_reserved',
	stage: stage.name,
	attempt,
	provider: stage.tool,
	kind: 'first',
	token,
	paid: false,
	role: stage.role,
	model: stage.model,
	effort: stage.effort,
	timeout_sec: stage.timeout_sec,
	timeout_mode: stage.timeout_mode,
	max_steps: stage.max_steps,
	prompt_sha256: '',
	prompt_bytes: 0,
	inputs_sha256: '',
	session,
	boot_id: '',
	pid_namespace: '',
	host: '',
});

/** A UUID made from the attempt's token, so that it is the same whenever it is asked for. */
export function sessionIdOf(token: string): string {
	const hex = token.padEnd(32, '0').slice(0, 32);
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
