import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

// Large enough that a gigabyte is read quickly, small enough that a hundred attempts do not feel it.
const pieceBytes = 1 << 16;
const floodBytes = 1 << 20;
const turnBytes = 8 << 20;
const syncBytes = 128 << 20;

const forReading = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

export interface FollowOptions {
	readonly file: string;
	/** Raw bytes in order, not split at lines. The buffer is used again: take from it what you need before returning. */
	readonly onChunk: (chunk: Buffer) => void;
	/** Between looks: short when something came, longer while nothing does. */
	readonly intervalMs?: { readonly first?: number; readonly min?: number; readonly max?: number };
}

/** Follows a file that another process writes, and that need not exist yet. Owns a timer and a descriptor until stopped. */
export const followFile = (options: FollowOptions): FollowedFile => new FollowedFile(options);

export class FollowedFile {
	/** Bytes handed on so far. */
	bytes = 0;
	/** The file became shorter than what was read; reading went on from its new beginning. */
	truncated = false;
	/** The last look failed: why. Looking goes on. */
	failure: string | null = null;

	readonly #options: FollowOptions;
	/** One is handed on while the other is filled. */
	#buffers: readonly [Buffer, Buffer] | null = null;
	#syncedBytes = 0;
	#handle: FileHandle | null = null;
	#position = 0;
	#timer: NodeJS.Timeout | undefined;
	#waitMs: number;
	#stopped = false;
	#looked = false;
	/** One reader at a time. */
	#turn: Promise<void> = Promise.resolve();
	#syncing: Promise<unknown> = Promise.resolve();
	#bug: { readonly error: unknown } | null = null;

	constructor(options: FollowOptions) {
		this.#options = options;
		this.#waitMs = options.intervalMs?.first ?? 20;
		this.#schedule(this.#waitMs);
	}

	/** Hands on everything that is in the file at this moment, and no more: somebody may write to it forever. */
	async drain(): Promise<void> {
		if (!this.#readAtOnce()) await this.#queue(Number.POSITIVE_INFINITY);
		if (this.#bug) throw this.#bug.error;
	}

	stop(): void {
		this.#stopped = true;
		clearTimeout(this.#timer);
		// After the turn that may still be reading; a failing close has nobody to tell and nothing to lose.
		this.#turn = Promise.allSettled([this.#turn, this.#syncing])
			.then(() => this.#handle?.close())
			.catch(() => undefined);
	}

	#schedule(ms: number) {
		this.#timer = setTimeout(async () => {
			const before = this.bytes;
			await this.#queue(turnBytes);
			if (this.#stopped || this.#bug) return;
			const came = this.bytes - before;
			const { min = 50, max = 250 } = this.#options.intervalMs ?? {};
			this.#waitMs = came > 0 ? min : Math.min(max, this.#waitMs * 1.5);
			this.#schedule(came >= turnBytes ? 0 : this.#waitMs);
		}, ms);
	}

	#queue(most: number): Promise<void> {
		this.#looked = true;
		this.#turn = this.#turn.then(() => this.#read(most));
		return this.#turn;
	}

	/** A short file that nobody has looked at yet: the trips to another thread would take longer than all of it. */
	#readAtOnce(): boolean {
		if (this.#looked || this.#stopped) return false;
		this.#looked = true;
		let fd: number | undefined;
		try {
			fd = openSync(this.#options.file, forReading);
			const piece = Buffer.allocUnsafe(Math.min(fstatSync(fd).size, pieceBytes + 1));
			if (piece.length > pieceBytes) return false;
			const read = piece.length === 0 ? 0 : readSync(fd, piece, 0, piece.length, 0);
			this.#position = read;
			this.bytes = read;
			if (read > 0) this.#handOn(piece.subarray(0, read));
			return read === piece.length;
		} catch {
			// The long way says what is wrong.
			return false;
		} finally {
			if (fd !== undefined) closeSync(fd);
		}
	}

	async #read(most: number): Promise<void> {
		if (this.#stopped || this.#bug) return;
		try {
			const stat = await this.#stat();
			this.failure = null;
			if (!stat) return;
			if (stat.size < this.#position) {
				this.truncated = true;
				this.#position = 0;
			}
			await this.#readTo(Math.min(stat.size, this.#position + most));
		} catch (error) {
			this.failure = (error as Error).message;
		}
	}

	async #stat(): Promise<Stats | null> {
		try {
			this.#handle ??= await open(this.#options.file, forReading);
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
			throw error;
		}
		return this.#handle.stat();
	}

	async #readTo(end: number): Promise<void> {
		const handle = this.#handle;
		if (handle === null || this.#position >= end) return;
		// Each read is a trip to another thread: who writes that fast gets larger pieces.
		const size = end - this.#position >= turnBytes || this.#buffers?.[0].length === floodBytes ? floodBytes : pieceBytes;
		if (this.#buffers?.[0].length !== size) this.#buffers = [Buffer.allocUnsafe(size), Buffer.allocUnsafe(size)];
		const [one, other] = this.#buffers;
		const readInto = async (buffer: Buffer): Promise<Buffer> => {
			const most = Math.min(buffer.length, end - this.#position);
			return buffer.subarray(0, most === 0 ? 0 : (await handle.read(buffer, 0, most, this.#position)).bytesRead);
		};
		let piece = await readInto(one);
		for (let turn = 0; piece.length > 0 && !this.#stopped && this.#bug === null; turn++) {
			this.#position += piece.length;
			this.bytes += piece.length;
			const next = readInto(turn % 2 === 0 ? other : one);
			this.#handOn(piece);
			piece = await next;
		}
		this.#syncEarly(handle);
	}

	#handOn(piece: Buffer): void {
		try {
			this.#options.onChunk(piece);
		} catch (error) {
			this.#bug = { error }; // the reader's, not the file's: it must not pass for a failing disk
		}
	}

	/** Who writes that much will have to wait for the disk at the end; it may begin now. What goes wrong is told then. */
	#syncEarly(handle: FileHandle): void {
		if (this.#position - this.#syncedBytes < syncBytes) return;
		this.#syncedBytes = this.#position;
		this.#syncing = Promise.allSettled([this.#syncing, handle.datasync()]);
	}
}
