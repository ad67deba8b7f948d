import { cut } from './columns.ts';
import type { SummaryView } from './summary-shape.ts';
import { visibleLine } from './visible.ts';

/** Always parses as YAML, in either version of it, and every value is a string or null. */
export function frontMatter(view: SummaryView): string[] {
	return [
		'---',
		`task_id: ${scalar(view.taskId)}`,
		`status: ${view.status}`,
		`intent: ${scalar(view.intent)}`,
		`profile: ${scalar(view.profile)}`,
		`next_action: ${scalar(view.nextAction)}`,
		`verdict: ${scalar(view.verdict)}`,
		`updated: ${scalar(view.updated)}`,
		'---',
	];
}

function scalar(value: string | null): string {
	if (value === null) return 'null';
	const text = visibleLine(value);
	if (/^[A-Za-z][A-Za-z0-9_]*([.-][A-Za-z0-9_]+)*$/.test(text) && !special.test(text) && text.length <= 180) return text;
	// Quotes and backslashes are doubled by quoting, so what fits is known only afterwards.
	let columns = 180;
	while (JSON.stringify(cut(text, columns)).length > 182) columns -= 10;
	return JSON.stringify(cut(text, columns));
}

/** Plain words that some YAML reader takes for something else than a string. */
const special = /^(y|n|yes|no|on|off|true|false|null|e\d+|inf|nan)$/i;
