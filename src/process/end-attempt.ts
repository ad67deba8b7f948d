import { rowOf } from './identity.ts';
import { pause } from './pause.ts';
import { isDead, type ProcessRow } from './process-stat.ts';
import { wrapperShellTest } from './process-table.ts';
import { type Descendants, watchDescendants } from './watch-descendants.ts';

/**
 * Ends everything of an attempt:
 *
 *   look → SIGTERM ──nothing left──▶ look twice more ──▶ done
 *             └──grace over, or at once──▶ SIGKILL all but the wrapper → (it writes its exit) → groups → wrapper ─▶ look twice more
 *
 * The wrapper goes last, so that it can record how its servant ended.
 */
export async function endAttempt({
	remembered,
	wrapperPid = null,
	graceMs = 10_000,
	immediately,
}: {
	readonly remembered: Descendants;
	/** Spared until nothing else is left; null = there is no wrapper. */
	readonly wrapperPid?: number | null;
	readonly graceMs?: number;
	/** Once aborted, nothing is asked gently any more. */
	readonly immediately?: AbortSignal;
}): Promise<{ readonly survivors: number[] }> {
	if (graceMs > 0) await askToEnd(remembered, wrapperPid, graceMs, immediately);
	return { survivors: await killAll(remembered, wrapperPid) };
}

/** For what a finished or killed wrapper left behind, when only its token is known. */
export const sweepToken = (token: string, options: { readonly graceMs?: number; readonly immediately?: AbortSignal } = {}) =>
	endAttempt({ remembered: watchDescendants({ token, root: null, intervalMs: null }), graceMs: 1000, ...options });

async function askToEnd(remembered: Descendants, wrapperPid: number | null, graceMs: number, immediately: AbortSignal | undefined) {
	const deadline = performance.now() + graceMs;
	const asked = new Set<string>();
	for (let waitMs = 5; !immediately?.aborted && performance.now() < deadline; waitMs = Math.min(100, waitMs * 2)) {
		const members = remembered.look();
		if (members.length === 0) return;
		// The watchdog ignores SIGTERM and waits for the wrapper's word; a dead wrapper will not give it, so we do.
		const wrapperLives = members.some((row) => row.pid === wrapperPid);
		const isShell = wrapperLives ? () => false : wrapperShellTest(remembered.token);
		for (const row of members) {
			const name = `${row.pid} ${row.startTime}`;
			if (row.pid === wrapperPid || asked.has(name)) continue;
			asked.add(name);
			send(row, isShell(row) ? 'SIGUSR1' : 'SIGTERM');
			if (row.state === 'T') send(row, 'SIGCONT'); // a stopped process hears nothing but SIGKILL
		}
		await pause(Math.max(0, Math.min(waitMs, deadline - performance.now())), immediately);
	}
}

const wrapperMs = 2000;
const giveUpMs = 10_000;

async function killAll(remembered: Descendants, wrapperPid: number | null): Promise<number[]> {
	const began = performance.now();
	for (let empty = 0, waitMs = 2; ; waitMs = Math.min(50, waitMs * 2)) {
		const members = remembered.look();
		empty = members.length === 0 ? empty + 1 : 0;
		if (empty === 2) return [];
		const elapsed = performance.now() - began;
		if (elapsed > giveUpMs) return members.map((row) => row.pid);
		const wrapper = members.find((row) => row.pid === wrapperPid);
		const others = members.filter((row) => row !== wrapper);
		for (const row of others) send(row, 'SIGKILL');
		// What was forked since the look is in one of these groups, most likely; the next look finds the rest.
		for (const pgid of new Set(others.map((row) => row.pgid))) if (pgid !== wrapper?.pgid) sendGroup(pgid, members);
		if (wrapper && elapsed > wrapperMs) send(wrapper, 'SIGKILL');
		await pause(waitMs);
	}
}

/** Only to the very process that was looked at: its number may be somebody else's by now. */
function send(row: ProcessRow, signal: NodeJS.Signals) {
	const now = rowOf(row.pid);
	if (!now || isDead(now) || now.startTime !== row.startTime) return;
	kill(row.pid, signal);
}

/** A group keeps its number while it has a member, zombies included: those just killed vouch for it. */
function sendGroup(pgid: number, members: readonly ProcessRow[]) {
	const voucher = members.some((row) => row.pgid === pgid && rowOf(row.pid)?.startTime === row.startTime);
	if (voucher && pgid > 1) kill(-pgid, 'SIGKILL');
}

function kill(target: number, signal: NodeJS.Signals) {
	try {
		process.kill(target, signal);
	} catch {
		// Gone already, or not ours to end: the next look tells which, and a survivor is reported.
	}
}
