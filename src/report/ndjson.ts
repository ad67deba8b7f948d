import type { DispatchEvent } from '../contract/event.ts';
import { hidden } from './visible.ts';

/** One event, one line. JSON leaves C1 controls and bidi overrides as they are; a terminal should not see them either. */
export function ndjsonLine(event: DispatchEvent): string {
	return `${JSON.stringify(event).replace(hidden(), escaped)}\n`;
}

const escaped = (char: string): string =>
	Array.from({ length: char.length }, (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
