import type { TreeChange } from '../contract/evidence.ts';
import type { Manifest } from '../contract/manifest.ts';
import { type Outcome, pass } from '../contract/outcome.ts';
import type { TreeSnapshot } from '../contract/tree-snapshot.ts';
import { changesBetween } from '../gate/compare.ts';
import { deniedBy } from '../gate/scope.ts';
import { readingOf } from '../packet/guards.ts';
import type { PacketNames } from '../packet/names.ts';
import { committedBetween } from '../worktree/committed.ts';
import { glance, takeSnapshot } from '../worktree/snapshot.ts';
import { withoutOwnOutput } from './own-output.ts';

type Access = 'read' | 'write';

/** The workspace as the gate sees it, and beside it what a servant must not touch: the packet's own manifest. */
export interface GuardedTree {
	/** A first look, while the disk works: if nobody touches the tree until the servant starts, git need not look again. */
	readonly lookAhead: () => void;
	/** As a servant that starts now will find it; null outside git. */
	readonly atStart: (access: Access) => Promise<Outcome<TreeSnapshot | null, string>>;
	/** What became of it since the servant began. */
	readonly since: (before: TreeSnapshot | null, access: Access) => Promise<Outcome<TreeNow, string>>;
}

export interface TreeNow {
	readonly after: TreeSnapshot | null;
	/** null: there is nothing to compare with. */
	readonly changes: readonly TreeChange[] | null;
}

interface Place {
	readonly workspace: { readonly dir: string; readonly git: boolean };
	readonly manifest: Manifest;
	readonly names: PacketNames;
	/** How long a look may be shared. */
	readonly freshMs?: number;
}

/** The look that ended one stage also begins the next, if that follows at once and nobody could write in between. */
interface Look {
	readonly at: number;
	readonly reading: object;
	readonly tree: TreeSnapshot;
}

export function guardTree({ workspace, manifest, names, freshMs = 25 }: Place): GuardedTree {
	let last: Look | null = null;
	const reading = () => readingOf(names.root, workspace.dir);
	const deny = manifest.scope?.deny ?? [];
	const look = (access: Access): Promise<Outcome<TreeSnapshot | null, string>> => {
		if (!workspace.git) return Promise.resolve(pass(null));
		return takeSnapshot({
			dir: workspace.dir,
			denied: deny.length === 0 ? null : deniedBy(deny),
			guard: [names.manifest],
			scratch: access === 'write' ? names.state : null,
		});
	};
	return {
		lookAhead: () => {
			if (workspace.git) glance(workspace.dir);
		},
		atStart: async (access) => {
			const isFresh = last !== null && last.reading === reading() && performance.now() - last.at < freshMs;
			return access === 'read' && isFresh ? pass(last!.tree) : look(access);
		},
		since: async (before, access) => {
			if (before === null) return pass({ after: null, changes: null });
			const at = performance.now();
			const held = reading();
			const after = await look(access);
			if (!after.ok) return after;
			if (after.value === null) return pass({ after: null, changes: null });
			last = held === null ? null : { at, reading: held, tree: after.value };
			const committed = await committedBetween({ dir: workspace.dir, before, after: after.value });
			if (!committed.ok) return committed;
			return pass({ after: after.value, changes: withoutOwnOutput(workspace.dir, changesBetween(before, after.value, committed.value)) });
		},
	};
}
