/** Just enough of a terminal to see what a person would see: lines that fold, cursor up, carriage return, erase below. */
export class Screen {
	lines: string[] = [''];
	row = 0;
	col = 0;
	/** Everything that was written, piece by piece. */
	readonly writes: string[] = [];
	/** How often the whole screen was erased, which tmux puts into its history. */
	erasedWhole = 0;

	constructor(
		readonly columns: number,
		readonly height = 24,
	) {}

	write(text: string): void {
		this.writes.push(text);
		for (const [, up, below, colour, char] of text.matchAll(/\x1b\[(\d+)A|(\x1b\[0J)|(\x1b\[\d+m)|([\s\S])/gu)) {
			if (colour !== undefined) continue;
			if (up !== undefined) this.row = Math.max(this.top, this.row - Number(up));
			else if (below !== undefined) this.eraseBelow();
			else this.put(char!);
		}
	}

	get text(): string {
		return this.lines
			.map((line) => line.trimEnd())
			.join('\n')
			.trimEnd();
	}

	/** What scrolled off can no longer be reached. */
	private get top(): number {
		return Math.max(0, this.lines.length - this.height);
	}

	private put(char: string): void {
		if (char === '\x1b') throw new Error('an escape sequence the console should not use');
		if (char === '\r') this.col = 0;
		else if (char === '\n') this.newline();
		else {
			if (this.col >= this.columns) this.newline();
			const line = (this.lines[this.row] ?? '').padEnd(this.col);
			this.lines[this.row] = line.slice(0, this.col) + char + line.slice(this.col + 1);
			this.col += 1;
		}
	}

	private newline(): void {
		this.row += 1;
		this.col = 0;
		if (this.row >= this.lines.length) this.lines.push('');
	}

	private eraseBelow(): void {
		if (this.row === this.top && this.col === 0) this.erasedWhole += 1;
		this.lines[this.row] = (this.lines[this.row] ?? '').slice(0, this.col);
		this.lines.length = this.row + 1;
	}
}
