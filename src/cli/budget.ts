import { parseManifest } from '../config/load-manifest.ts';
import { ExitCode } from '../contract/exit-code.ts';
import { type Manifest, manifestDefaults } from '../contract/manifest.ts';
import { costOf } from '../journal/totals.ts';
import { sync, writeWhole } from '../packet/disk.ts';
import { acquireLock } from '../packet/lock.ts';
import { type PacketNames, packetNames } from '../packet/names.ts';
import { readText } from '../packet/read.ts';
import { ownIdentity, sameProcessAlive } from '../process/identity.ts';
import { renderComplaints } from '../report/complaints.ts';
import { type Call, type Command, number, UsageError } from './command.ts';
import { lockedText } from './locked-text.ts';
import { packetOf } from './project-of.ts';
import { setBudget } from './set-budget.ts';
import { shownProblems } from './shown-problems.ts';
import { standingOf } from './standing-of.ts';

export const command: Command = {
	name: 'budget',
	summary: "Sets a packet's budget on purpose, in its manifest; comments there stay.",
	usage: '<id> [--paid-calls N] [--max-cost USD]',
	options: {
		'paid-calls': { type: 'string', value: 'N', help: "paid calls in the packet's lifetime" },
		'max-cost': { type: 'string', value: 'USD', help: "cost in the packet's lifetime" },
	},
	positionals: { min: 1, max: 1 },
	examples: ['dispatch budget fix-login --paid-calls 20', 'dispatch budget fix-login --max-cost 5'],
	run: async (call) => {
		const wanted: Wanted = {
			paid_call_budget: number(call, 'paid-calls', { min: 0, whole: true }),
			max_cost_usd: number(call, 'max-cost', { min: 0, whole: false }),
		};
		if (wanted.paid_call_budget === undefined && wanted.max_cost_usd === undefined)
			throw new UsageError('say what to set: --paid-calls N, --max-cost USD, or both');
		const id = packetOf(call, call.args[0]!);
		const names = packetNames(call.root, id);
		// While a run owns the packet its manifest stands still: a servant that changed it would be refused.
		const now = new Date().toISOString();
		const lock = acquireLock({ file: names.lock, self: ownIdentity(), command: `dispatch budget ${id}`, now, liveness: sameProcessAlive });
		if (!lock.ok) {
			call.err(`${lockedText(id, lock.failures[0])}\n`);
			return ExitCode.locked;
		}
		try {
			return await setBudgets(call, names, wanted);
		} finally {
			lock.value.release();
		}
	},
};

interface Wanted {
	readonly paid_call_budget: number | undefined;
	readonly max_cost_usd: number | undefined;
}

async function setBudgets(call: Call, names: PacketNames, wanted: Wanted): Promise<number> {
	const text = readText(names.manifest, 1024 * 1024) ?? '';
	const shown = `.tmp/task/${names.id}/manifest.yaml`;
	const before = parseManifest(text, shown, names.id);
	if (!before.ok) {
		call.err(`${renderComplaints(shownProblems(call.root, before.failures))}\n`);
		return ExitCode.invalid;
	}
	const { state } = standingOf(call.root, names.id);
	const used = { paid_call_budget: state.calls.used, max_cost_usd: costOf(state.metas) ?? 0 };
	const lines: string[] = [];
	let edited = text;
	for (const key of ['paid_call_budget', 'max_cost_usd'] as const) {
		const value = wanted[key];
		if (value === undefined) continue;
		if (value < used[key]) throw new UsageError(`${names.id} has used ${used[key]} already; ${key} cannot be ${value}`);
		const old = allowed(before.value.manifest, key);
		edited = setBudget(edited, key, value);
		lines.push(`${key}: ${old ?? 'no limit'} → ${value} (used: ${used[key]})${old !== null && value < old ? '; lower than before' : ''}`);
	}
	const after = parseManifest(edited, shown, names.id);
	if (!after.ok) throw new Error(`a valid manifest became an invalid one: ${after.failures[0].message}`);
	writeWhole(names.manifest, edited);
	await sync([names.manifest, names.dir]);
	call.out(`${lines.join('\n')}\n`);
	return ExitCode.completed;
}

function allowed(manifest: Manifest, key: keyof Wanted): number | null {
	return manifest.budgets?.[key] ?? (key === 'paid_call_budget' ? manifestDefaults.paid_call_budget : null);
}
