/** Keeps the beginning and the end of what passes through, whatever its length. */
export class BoundedOutput {
	total = 0;
	readonly #most: number;
	#head: Buffer[] = [];
	#headBytes = 0;
	#tail: Buffer[] = [];
	#tailBytes = 0;

	constructor(mostBytes: number) {
		this.#most = Math.max(2, mostBytes);
	}

	get truncated(): boolean {
		return this.total > this.#most;
	}

	add(chunk: Buffer): void {
		this.total += chunk.length;
		const forHead = Math.min(chunk.length, this.#headMost - this.#headBytes);
		// Copies: a chunk may be a view of a buffer that is used again, or of one far larger than itself.
		if (forHead > 0) this.#head.push(Buffer.from(chunk.subarray(0, forHead)));
		this.#headBytes += forHead;
		const rest = chunk.subarray(forHead).subarray(-this.#tailMost);
		if (rest.length > 0) this.#tail.push(Buffer.from(rest));
		this.#tailBytes += rest.length;
		while (this.#tail[0] && this.#tailBytes - this.#tail[0].length >= this.#tailMost) this.#tailBytes -= this.#tail.shift()!.length;
		if (this.#tail.length > 1024) this.#tail = [Buffer.concat(this.#tail)];
	}

	toString(): string {
		const head = Buffer.concat(this.#head);
		const tail = Buffer.concat(this.#tail).subarray(-this.#tailMost);
		if (!this.truncated) return Buffer.concat([head, tail]).toString();
		return `${head}\n… ${this.total - head.length - tail.length} bytes left out …\n${tail}`;
	}

	get #headMost(): number {
		return Math.floor(this.#most / 2);
	}

	get #tailMost(): number {
		return this.#most - this.#headMost;
	}
}
