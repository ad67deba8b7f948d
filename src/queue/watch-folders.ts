import { type FSWatcher, mkdirSync, statSync, watch } from 'node:fs';
import { basename, join } from 'node:path';
import { TaskId } from '../contract/words.ts';
import { packetIds } from '../packet/find-packet.ts';
import { tasksDir } from '../packet/names.ts';

/**
 * Tells which packet's manifest may have changed. The kernel names the entry that moved, so a drop among thousands of packets costs no
 * listing (a watcher library lists the folder anew: 100 ms among 10,000). Only packets that are not finished are watched inside, and of
 * those only the folder itself. What the kernel does not tell (a network disk, too many watches) the slow look at the queue finds.
 */
export class WatchFolders {
	readonly #packets = new Map<string, FSWatcher>();
	#tasks: { readonly watcher: FSWatcher; readonly inode: number } | null = null;
	readonly #pulse: NodeJS.Timeout;
	#lost = false;
	#full = false;

	constructor(
		private readonly root: string,
		private readonly told: { readonly packet: (id: string) => void; readonly anything: () => void; readonly full: () => void },
	) {
		this.#watchTasks();
		this.#pulse = setInterval(() => {
			if (this.#watchTasks()) this.told.anything();
		}, 1000);
	}

	/** Brings the watches in line with what is there. */
	sync(finished: (id: string) => boolean): void {
		const open = new Set(packetIds(this.root).filter((id) => !finished(id)));
		for (const id of this.#packets.keys()) if (!open.has(id)) this.#unwatch(id);
		for (const id of open) this.#watchPacket(id);
	}

	close(): void {
		clearInterval(this.#pulse);
		this.#tasks?.watcher.close();
		for (const id of [...this.#packets.keys()]) this.#unwatch(id);
	}

	/** True if the folder is another one than before: deleted and made again, or moved away. */
	#watchTasks(): boolean {
		const dir = tasksDir(this.root);
		const inode = statSync(dir, { throwIfNoEntry: false })?.ino;
		if (inode !== undefined && inode === this.#tasks?.inode && !this.#lost) return false;
		this.#lost = false;
		this.#tasks?.watcher.close();
		this.#tasks = null;
		for (const id of [...this.#packets.keys()]) this.#unwatch(id);
		try {
			mkdirSync(dir, { recursive: true });
			const watcher = watch(dir, (what, name) => {
				// Its own name: it was deleted. The next one may well get the same inode.
				if (what === 'rename' && name === basename(dir)) this.#lost = true;
				if (name === null) this.told.anything();
				else if (TaskId.safeParse(name).success) this.#moved(name);
			});
			this.#tasks = { watcher, inode: statSync(dir).ino };
			watcher.on('error', () => {
				this.#tasks = null;
			});
		} catch (error) {
			this.#refused(error);
		}
		return true;
	}

	/** Watched before it is told: what happens in between is told twice, never lost. */
	#moved(id: string): void {
		this.#unwatch(id);
		this.#watchPacket(id);
		this.told.packet(id);
	}

	#watchPacket(id: string): void {
		if (this.#packets.has(id)) return;
		try {
			const watcher = watch(join(tasksDir(this.root), id), (_what, name) => {
				if (name === null || name === 'manifest.yaml') this.told.packet(id);
			});
			watcher.on('error', () => this.#unwatch(id));
			this.#packets.set(id, watcher);
		} catch (error) {
			this.#refused(error);
		}
	}

	#unwatch(id: string): void {
		this.#packets.get(id)?.close();
		this.#packets.delete(id);
	}

	#refused(error: unknown): void {
		const { code } = error as NodeJS.ErrnoException;
		if ((code !== 'ENOSPC' && code !== 'EMFILE') || this.#full) return;
		this.#full = true;
		this.told.full();
	}
}
