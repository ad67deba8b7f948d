import { cut, width } from './columns.ts';

const up = (lines: number) => (lines > 0 ? `\x1b[${lines}A` : '');
const eraseBelow = '\r\x1b[0J';

/**
 * Lines at the bottom of a terminal that are drawn again in place, with everything permanent above them. The cursor rests
 * at the start of the line below the block; it is never hidden, so that a killed run leaves a usable terminal.
 */
export class LiveBlock {
	private drawn: readonly string[] = [];

	constructor(
		private readonly stream: { write(text: string): unknown },
		private readonly columns: () => number,
		private readonly rows: () => number,
	) {}

	/** Writes permanent lines, then the block below them, in one piece so that nothing flickers. */
	show(permanent: readonly string[], lines: readonly string[]): void {
		const block = this.fitting(lines);
		if (permanent.length === 0 && same(block, this.drawn)) return;
		const text = [...permanent, ...block].map((line) => `${line}\n`).join('');
		this.stream.write(this.erase() + text);
		this.drawn = block;
	}

	clear(): void {
		if (this.drawn.length > 0) this.stream.write(this.erase());
		this.drawn = [];
	}

	/** Terminals fold lines that a narrower window no longer holds: a drawn line may take several rows by now. */
	private erase(): string {
		if (this.drawn.length === 0) return '';
		const columns = this.columns();
		const rows = this.drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(width(plain(line)) / columns)), 0);
		return up(Math.min(rows, this.rows() - 1)) + eraseBelow;
	}

	/**
	 * What has scrolled off the top cannot be drawn again, so the block never is as high as the terminal. It leaves the top row alone too: an
	 * erasure that begins there is one of the whole screen, and some terminals (tmux) keep that in their history, every second anew.
	 */
	private fitting(lines: readonly string[]): readonly string[] {
		const most = Math.max(1, this.rows() - 2);
		if (lines.length <= most) return lines;
		const kept = lines.slice(0, most - 1);
		return [...kept, cut(`… ${lines.length - kept.length} more`, this.columns() - 1)];
	}
}

const plain = (line: string): string => line.replace(/\x1b\[\d+m/g, '');
const same = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((line, at) => line === b[at]);
