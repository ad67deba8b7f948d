/** Keeps the beginning and the end of what passes through, whatever its length. */
export class BoundedOutput {
	total = 0;
	readonly #most: number;
	readonly #margin: number;
	#head: Buffer[] = [];
	#headBytes = 0;
	#tail: Buffer[] = [];
	#tailBytes = 0;

	/** `margin`: so much is kept beyond each cut, for who must see what lies across it whole (`shown`). */
	constructor(mostBytes: number, marginBytes = 0) {
		this.#most = Math.max(2, mostBytes);
		this.#margin = marginBytes;
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

	/** `edit` sees more than is shown: what it makes of a text that was cut counts only as far as it makes the same of the longer one. */
	shown(edit: (text: string) => string = (text) => text): string {
		const head = Buffer.concat(this.#head);
		const tail = Buffer.concat(this.#tail).subarray(-this.#tailMost);
		const whole = head.length + tail.length === this.total ? Buffer.concat([head, tail]) : null;
		if (!this.truncated && whole !== null) return edit(whole.toString());
		const [half, long] = [Math.floor(this.#most / 2), (whole ?? head).toString()];
		const first = sameStart(edit((whole ?? head).subarray(0, half).toString()), edit(long));
		const last = sameEnd(edit((whole ?? tail).subarray(half - this.#most).toString()), edit(whole === null ? tail.toString() : long));
		const left = this.total - Buffer.byteLength(first) - Buffer.byteLength(last);
		return `${first}\n… ${left} bytes left out …\n${last}`;
	}

	get #headMost(): number {
		return Math.floor(this.#most / 2) + this.#margin;
	}

	get #tailMost(): number {
		return this.#most - Math.floor(this.#most / 2) + this.#margin;
	}
}

function sameStart(a: string, b: string): string {
	let length = 0;
	while (length < a.length && a[length] === b[length]) length += 1;
	return a.slice(0, length);
}

function sameEnd(a: string, b: string): string {
	let length = 0;
	while (length < a.length && length < b.length && a[a.length - 1 - length] === b[b.length - 1 - length]) length += 1;
	return a.slice(a.length - length);
}
