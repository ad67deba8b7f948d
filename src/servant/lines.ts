/** The longest line kept; CLIs echo prompts of megabytes, but no event that matters is this long. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
const NEWLINE = 0x0a;

/** Cuts a stream of bytes into lines, wherever its chunks end (inside a character, too). A line too long is left out whole. */
export function splitLines(onLine: (line: string) => void): { push(chunk: Buffer | string): void; end(): void } {
	let held: Buffer[] = [];
	let bytes = 0;
	let skipping = false;

	const keep = (part: Buffer): void => {
		if (skipping || part.length === 0) return;
		if (bytes + part.length > MAX_LINE_BYTES) {
			skipping = true;
			held = [];
			bytes = 0;
			return;
		}
		held.push(part);
		bytes += part.length;
		// Many tiny chunks cost more to remember than their bytes.
		if (held.length >= 4096) held = [Buffer.concat(held, bytes)];
	};
	const finish = (): void => {
		const line = skipping || bytes === 0 ? '' : (held.length === 1 ? held[0]! : Buffer.concat(held, bytes)).toString('utf8');
		held = [];
		bytes = 0;
		skipping = false;
		if (line !== '') onLine(line);
	};

	return {
		push: (chunk) => {
			const data = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
			let from = 0;
			for (let at = data.indexOf(NEWLINE); at !== -1; at = data.indexOf(NEWLINE, from)) {
				keep(data.subarray(from, at));
				finish();
				from = at + 1;
			}
			// The rest is copied: the caller may reuse its buffer.
			if (from < data.length) keep(Buffer.from(data.subarray(from)));
		},
		end: finish,
	};
}
