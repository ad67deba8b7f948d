import { blockersOf } from './chain.ts';
import { chainFaults } from './chain-faults.ts';
import type { PacketEntry } from './packet-index.ts';

/** How a pool sees the queue. */
export interface Sight {
	/** The whole queue, oldest first. Costs something: asked only when the pool is hungry, and not too often. */
	readonly look: () => readonly PacketEntry[];
	/** One packet as it stands now; null if it is gone. */
	readonly lookAt: (id: string) => PacketEntry | null;
	/** A packet that ended here is tried again only after this has changed (the manifest was corrected). */
	readonly version: (id: string) => string | null;
	/** Whether this packet is ours to start, going by its entry. `wrong`: validation will refuse it, which somebody should be told. */
	readonly takes: (entry: PacketEntry, wrong: boolean) => boolean;
	/** The last question before the start, which may cost a look at the disk. */
	readonly whole?: (entry: PacketEntry, wrong: boolean) => boolean;
	/** After each look at the whole queue. */
	readonly looked?: (entries: ReadonlyMap<string, PacketEntry>) => void;
}

/** The queue as it was seen last, and of it what is ours to run, the oldest first. */
export class QueueView {
	readonly #sight: Sight;
	#byId = new Map<string, PacketEntry>();
	#faults: ReadonlySet<string> = new Set();
	#ours = new Set<string>();
	readonly #ended = new Map<string, string>();

	constructor(sight: Sight) {
		this.#sight = sight;
	}

	get ours(): ReadonlySet<string> {
		return this.#ours;
	}

	look(): void {
		this.#byId = new Map(this.#sight.look().map((entry) => [entry.id, entry]));
		for (const id of this.#ended.keys()) if (!this.#byId.has(id)) this.#ended.delete(id);
		this.#sort();
		this.#sight.looked?.(this.#byId);
	}

	/** One packet anew. */
	update(id: string): void {
		const known = this.#byId.has(id);
		const entry = this.#lookAt(id);
		if (known !== (entry !== null)) {
			// A packet that comes or goes may end or begin a fault of others, and what their summary says of that is out of date.
			for (const other of [...this.#byId.values()]) if (other.dependsOn.includes(id)) this.#lookAt(other.id);
			this.#sort();
		} else if (entry === null || !this.#admits(entry)) this.#ours.delete(id);
		else if (!this.#ours.has(id)) this.#sort();
	}

	/** Ours, and nothing it depends on is in its way. What validation will refuse waits for nobody. */
	isReady(id: string): boolean {
		const entry = this.#byId.get(id);
		if (entry === undefined || !this.#sight.takes(entry, this.#wrong(entry))) return false;
		return this.#wrong(entry) || this.blockersOf(id).length === 0;
	}

	/** Others may have been faster since the last look. */
	isStillReady(id: string): boolean {
		const entry = this.#lookAt(id);
		if (entry === null || !this.isReady(id)) return false;
		return this.#sight.whole?.(entry, this.#wrong(entry)) ?? true;
	}

	entryOf(id: string): PacketEntry | null {
		return this.#byId.get(id) ?? null;
	}

	blockersOf(id: string): string[] {
		return blockersOf(this.#byId, id).map((blocker) => blocker.id);
	}

	blocked(): string[] {
		return [...this.#ours].filter((id) => !this.#ended.has(id) && this.blockersOf(id).length > 0);
	}

	/** What must change before a packet is tried again that ended here and yet stands as if it had not run. */
	keyOf(id: string): string {
		const missing = (this.#byId.get(id)?.dependsOn ?? []).filter((other) => !this.#byId.has(other));
		return [this.#sight.version(id) ?? '', this.#faults.has(id), ...missing].join(' ');
	}

	ended(id: string, key: string): void {
		this.#ended.set(id, key);
	}

	#lookAt(id: string): PacketEntry | null {
		const entry = this.#sight.lookAt(id);
		if (entry === null) this.#byId.delete(id);
		else this.#byId.set(id, entry);
		return entry;
	}

	#sort(): void {
		this.#faults = chainFaults(this.#byId);
		const ours = [...this.#byId.values()].filter((entry) => this.#admits(entry));
		this.#ours = new Set(ours.sort(byAge).map((entry) => entry.id));
	}

	/** A packet that ended here and yet stands as if it had not run (it is invalid, say) waits for a change. */
	#admits(entry: PacketEntry): boolean {
		if (entry.archived || !this.#sight.takes(entry, this.#wrong(entry))) return false;
		return !this.#ended.has(entry.id) || this.#ended.get(entry.id) !== this.keyOf(entry.id);
	}

	#wrong(entry: PacketEntry): boolean {
		return entry.problems.length > 0 || this.#faults.has(entry.id);
	}
}

const byAge = (a: PacketEntry, b: PacketEntry): number => Date.parse(a.created) - Date.parse(b.created) || (a.id < b.id ? -1 : 1);
