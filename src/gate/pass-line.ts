import { longestLine, proseLines } from './prose-lines.ts';

/** The report's last line that is only PASS or FAIL. What stands in a fence counts only if nothing stands outside one. */
export function passLine(report: string): 'PASS' | 'FAIL' | null {
	let said: 'PASS' | 'FAIL' | null = null;
	let quoted: 'PASS' | 'FAIL' | null = null;
	for (const { text, code } of proseLines(report)) {
		if (text.length > longestLine) continue;
		const word = /^[\s>#*_`-]*(PASS|FAIL)[\s*_`.!]*$/.exec(text)?.[1];
		if (word !== 'PASS' && word !== 'FAIL') continue;
		if (code) quoted = word;
		else said = word;
	}
	return said ?? quoted;
}
