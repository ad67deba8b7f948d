import { never } from '../contract/outcome.ts';
import type { ServantCare } from '../contract/servant.ts';
import type { StageFailure } from '../contract/stage-failure.ts';
import { placeProgram } from './place-program.ts';

export interface Situation {
	readonly failure: StageFailure;
	readonly stage: string;
	readonly tool: string;
	readonly taskId: string;
	/** Whether the attempt left a session that the servant can continue. */
	readonly hasSession: boolean;
	/** Null for a servant that only its YAML describes. */
	readonly care: Pick<ServantCare, 'install' | 'login'> | null;
	/** The manifest sets a limit for this stage alone, under this key; else the packet's own budget counts. */
	readonly stageKey?: { readonly timeout: string | null; readonly maxSteps: string | null };
	/** Where the servants work, if that is not the user's own checkout. */
	readonly workspace?: string | null;
	/** Whether the aggressive digest would make another prompt of one that was too large. */
	readonly canTighten?: boolean;
	/** What the budget allows now, to name a number that helps. */
	readonly paidCallBudget: number;
	readonly maxCostUsd?: number | null;
}

/** `slug: sentence with the exact command`. The slug is stable; a script may look at it, a person at the rest. */
export function nextAction(situation: Situation): string {
	const { failure, stage, tool, taskId: id, hasSession, care } = situation;
	const servantFile = `configs/servant/${tool}.yaml`;
	switch (failure.class) {
		case 'rate_limit':
		case 'provider_unavailable':
		case 'network':
			return `retry_later: try again later with dispatch retry ${id}, or wait with dispatch run ${id} --wait`;
		case 'quota':
			return failure.resetAt === null
				? `quota: raise the quota of ${tool} or choose another servant, then dispatch run ${id}`
				: `quota: ${tool} resets at ${failure.resetAt}; run dispatch run ${id} after that, or dispatch run ${id} --wait now`;
		case 'auth':
			if (care === null)
				return `login: log in to ${tool}, or name the variable that holds its key under env in ${servantFile}, then dispatch run ${id}`;
			if (care.login === null) return `login: ${tool} has no login; let another servant or recording answer, then dispatch run ${id}`;
			return `login: run ${care.login}, then dispatch run ${id}`;
		case 'tool_missing':
			return `install: ${installation(failure, situation)}, then dispatch run ${id}`;
		case 'config_error':
			return `fix_config: check the model and settings of ${tool} with dispatch plan ${id} --explain ${stage}, then dispatch run ${id}`;
		case 'prompt_too_large':
			return situation.canTighten
				? `shrink_input: shorten what is in inputs/ or set context.digest_policy: aggressive, then dispatch run ${id}`
				: `shrink_input: shorten what is in inputs/ (the aggressive digest is not enough), then dispatch run ${id}`;
		case 'contract_violation':
		case 'empty_output':
		case 'no_change':
			return `retry: look at dispatch logs ${id} ${stage}, then dispatch retry ${id}`;
		case 'timeout':
			return continued(situation, situation.stageKey?.timeout ?? 'budgets.max_wallclock_sec');
		case 'max_steps':
			return continued(situation, situation.stageKey?.maxSteps ?? 'budgets.max_steps');
		case 'output_limit':
			return hasSession ? resume(id) : `raise_limit: raise wrapper_defaults.max_output_mb in ${servantFile}, then dispatch retry ${id}`;
		case 'acceptance_failed':
			return `fix: read outputs/${stage}.artifact.md, fix what failed${situation.workspace ? ` in ${situation.workspace} and commit it there` : ''}, then dispatch retry ${id}`;
		case 'scope_violation':
			return `check_scope: look at git status${situation.workspace ? ` in ${situation.workspace}` : ''}, ${settled(failure.access)}, then dispatch retry ${id}`;
		case 'review_failed':
			return `fix_findings: read outputs/${stage}.${tool}.out, fix the HIGH findings, then dispatch run ${id} --fresh`;
		case 'killed':
			return hasSession ? resume(id) : `retry: dispatch retry ${id}`;
		case 'unknown':
			return `read_log: look at dispatch logs ${id} ${stage}, then dispatch retry ${id}`;
		case 'forbidden_input':
			return `remove_input: take the forbidden input out of the packet or of security.forbidden_paths, then dispatch run ${id}`;
		case 'budget_exhausted':
			return failure.budget === 'cost'
				? `raise_budget: dispatch budget ${id} --max-cost ${enough(failure.spentUsd, situation)}, then dispatch run ${id}`
				: `raise_budget: dispatch budget ${id} --paid-calls ${situation.paidCallBudget + 10}, then dispatch run ${id}`;
		case 'interrupted':
			return `continue: dispatch run ${id} continues where it stopped`;
		case 'internal':
			return `report_bug: report the stack in dispatch logs ${id} ${stage} with the output of dispatch --version, then dispatch run ${id}`;
		default:
			return never(failure);
	}
}

/** No scope allows a reading stage anything. */
const settled = (access: 'read' | 'write'): string =>
	access === 'read' ? 'put back what should not stay (a reading stage may change nothing)' : 'put back or allow the paths in scope.allow';

const resume = (id: string) => `resume: dispatch resume ${id}`;

const continued = ({ taskId, hasSession }: Situation, limit: string) =>
	hasSession ? resume(taskId) : `raise_limit: raise ${limit} in manifest.yaml, then dispatch retry ${taskId}`;

/** Of a preflight all programs that are missing: they are put in place together. */
function installation(
	{ command, blocked, also = [] }: Extract<StageFailure, { class: 'tool_missing' }>,
	{ care, tool }: Situation,
): string {
	const install = care?.install ? `run ${care.install}` : placeProgram(tool, command);
	const own = blocked === undefined ? install : `run chmod +x ${quoted(blocked)}`;
	return [own, ...also.map((other) => other.install)].join('; ');
}

const quoted = (path: string): string => (/^[\w./+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** As much again as was allowed, on top of what is spent. */
const enough = (spentUsd: number | undefined, { maxCostUsd }: Situation): number =>
	Math.max(1, Math.ceil((spentUsd ?? maxCostUsd ?? 0) + (maxCostUsd ?? 0)));
