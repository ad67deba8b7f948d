import { complainAbout } from '../config/complain-about.ts';
import type { Plan } from '../contract/plan.ts';
import { lockOwner } from '../packet/lock.ts';
import { packetNames } from '../packet/names.ts';
import { unknownCost } from '../plan/budgets.ts';
import { flagFaults } from '../plan/flag-faults.ts';
import { sameProcessAlive } from '../process/identity.ts';
import { manifestVersion } from '../queue/manifest-version.ts';
import { entryOf, indexPackets, type PacketEntry } from '../queue/packet-index.ts';
import type { PoolEnd, PoolOrder } from '../queue/pool.ts';
import { continuedTree } from '../queue/worktree-owner.ts';
import { renderComplaints } from '../report/complaints.ts';
import { visible } from '../report/visible.ts';
import { HaltSwitch } from '../run/halt.ts';
import type { Project } from '../run/project.ts';
import { purseOf } from '../run/purse.ts';
import { type Call, number, type Option, routingOptions } from './command.ts';
import { flagsOf, projectToRun } from './project-of.ts';
import { type Listener, listenerOptions, makeListener } from './run-console.ts';
import { runOne } from './run-one.ts';
import { onSignals, starterFor } from './run-packets.ts';

/** What `work` and `watch` have in common. */
export const poolOptions = {
	...routingOptions,
	...listenerOptions,
	jobs: { type: 'string', short: 'j', value: 'N', help: 'packets at a time (else concurrency in configs/dispatch.yaml)' },
	'max-calls': { type: 'string', value: 'N', help: 'paid calls of all packets together; then nothing more is started' },
	'max-cost': { type: 'string', value: 'USD', help: 'known cost of all packets together; then nothing more is started' },
} as const satisfies Record<string, Option>;

export interface PoolCall {
	readonly order: Pick<PoolOrder, 'look' | 'lookAt' | 'version' | 'runOne' | 'treeOf' | 'bug' | 'jobs' | 'halt' | 'purse'>;
	readonly listener: Listener;
}

/** Opens the project, listens for signals, lets `use` run packets (those that were named, if any), and takes everything down again. */
export async function withPool(call: Call, named: readonly string[], use: (pool: PoolCall) => Promise<number>): Promise<number> {
	const maxCalls = number(call, 'max-calls', { min: 1, whole: true }) ?? null;
	const maxCostUsd = number(call, 'max-cost', { min: 0, whole: false }) ?? null;
	const wantedJobs = number(call, 'jobs', { min: 1, whole: true });
	const project = await projectToRun(call, named);
	if (typeof project === 'number') return project;
	const flags = flagsOf(call);
	// Said now, though nothing may be ready for hours.
	const faults = flagFaults(project.config, flags, call.env);
	if (faults.length > 0) {
		call.err(`${renderComplaints(faults.map(({ flag, message }) => complainAbout(call.root, flag, message)))}\n`);
		return faults[0]!.exit;
	}
	const listener = makeListener(call, project, true);
	const halt = new HaltSwitch();
	const purse = purseOf({ maxCalls, maxCostUsd });
	const starter = starterFor(call);
	const release = onSignals(halt);
	const planned = maxCostUsd === null ? () => {} : costWarner(project, listener);
	try {
		return await use({
			listener,
			order: {
				look: () => indexPackets(call.root),
				lookAt: (id) => asOwned(call.root, entryOf(call.root, id)),
				version: (id) => manifestVersion(call.root, id),
				runOne: (id) =>
					runOne(call, project, id, {
						flags,
						listener,
						halt,
						purse,
						starter,
						planned,
						wait: false,
						resume: false,
						sole: true,
						again: null,
					}),
				bug: (id, error) => listener.error(bugText(call, id, error)),
				treeOf: (entry) => continuedTree(call.root, entry),
				jobs: wantedJobs ?? project.config.merged.dispatch.concurrency ?? 1,
				halt,
				purse,
			},
		});
	} finally {
		await starter.end();
		listener.finish();
		release();
	}
}

/** Says once of each servant and model what `--max-cost` cannot count. */
function costWarner({ config }: Project, listener: Listener): (plan: Plan) => void {
	const said = new Set<string>();
	return ({ stages }) => {
		for (const stage of stages) {
			const unknown = unknownCost({ config }, stage);
			if (unknown === null || said.has(unknown)) continue;
			said.add(unknown);
			listener.note(`warning: --max-cost does not count all calls: ${unknown}`);
		}
	};
}

/** A run that has just begun holds the lock before it has written a word. */
function asOwned(root: string, entry: PacketEntry | null): PacketEntry | null {
	if (entry === null || entry.archived || entry.status === 'completed') return entry;
	const owner = lockOwner(packetNames(root, entry.id).lock, sameProcessAlive);
	return owner === null || owner.alive === 'dead' ? entry : { ...entry, status: 'in_progress', orphaned: false };
}

function bugText(call: Call, id: string, error: unknown): string {
	const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
	return `${id}: internal error, please report it with the output of dispatch --version (${call.version})\n${visible(stack)}`;
}

/** What was left, in words. */
export function tellRest(listener: Listener, { ran, blocked }: PoolEnd, empty: string | null): void {
	if (empty !== null) listener.note(`nothing more is started: ${empty}`);
	else if (ran.length === 0) listener.note('nothing is ready');
	if (blocked.length > 0) listener.note(`(${blocked.length} task${blocked.length === 1 ? '' : 's'} blocked by dependencies)`);
}
