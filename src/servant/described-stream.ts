import type { Usage } from '../contract/meta.ts';
import type { Reading } from '../contract/servant.ts';
import type { ServantFile } from '../contract/servant-file.ts';
import { complain } from './complain.ts';
import { valueAt } from './event-value.ts';

type Stream = NonNullable<ServantFile['stream']>;
type Place = { readonly path?: string | undefined; readonly when?: Readonly<Record<string, string | number | boolean>> | undefined };

/** A reader from a servant file's `stream`: paths into its events, each optionally only for events of a kind. */
export function readDescribed(stream: Stream): (event: unknown) => readonly Reading[] {
	return (event) => [
		...session(stream, event),
		...step(stream, event),
		...text(stream, event),
		...usage(stream, event),
		...cost(stream, event),
		...error(stream, event),
		...(stream.success && truthy(stream.success, event) ? [{ kind: 'final', success: true } as const] : []),
	];
}

function session(stream: Stream, event: unknown): readonly Reading[] {
	const id = stream.session_id && found(stream.session_id, event);
	return typeof id === 'string' && id !== '' ? [{ kind: 'session', id }] : [];
}

function step(stream: Stream, event: unknown): readonly Reading[] {
	if (!stream.step || !applies(stream.step, event)) return [];
	if (stream.step.path === undefined) return [{ kind: 'step' }];
	const id = found(stream.step, event);
	return id === undefined || id === null ? [] : [{ kind: 'step', id: String(id) }];
}

function text(stream: Stream, event: unknown): readonly Reading[] {
	const words = stream.text && found(stream.text, event);
	if (typeof words !== 'string') return [];
	return [{ kind: 'text', mode: stream.text?.mode === 'last' ? 'replace' : 'append', text: words }];
}

function usage(stream: Stream, event: unknown): readonly Reading[] {
	const counted: Usage = {
		input_tokens: amount(stream.input_tokens, event),
		cached_input_tokens: amount(stream.cached_input_tokens, event),
		output_tokens: amount(stream.output_tokens, event),
	};
	if (Object.values(counted).every((value) => value === null)) return [];
	return [{ kind: 'usage', mode: mode(stream), usage: counted }];
}

function cost(stream: Stream, event: unknown): readonly Reading[] {
	const usd = amount(stream.cost_usd, event);
	return usd === null ? [] : [{ kind: 'cost', mode: mode(stream), usd }];
}

const mode = (stream: Stream): 'add' | 'total' => (stream.usage_mode === 'last' ? 'total' : 'add');

function error(stream: Stream, event: unknown): readonly Reading[] {
	const message = stream.error && found(stream.error, event);
	if (message === undefined || message === null || message === '') return [];
	const words = typeof message === 'string' ? message : JSON.stringify(message);
	const status = amount(stream.error_status, event);
	return [complain({ message: words, status, final: true }), { kind: 'final', success: false }];
}

/** With a path, what stands there must also be true in the common sense. */
function truthy(place: Place, event: unknown): boolean {
	return applies(place, event) && (place.path === undefined || Boolean(found(place, event)));
}

function applies(place: Place, event: unknown): boolean {
	return Object.entries(place.when ?? {}).every(([path, wanted]) => valueAt(event, ...path.split('.')) === wanted);
}

function found(place: Place, event: unknown): unknown {
	return place.path !== undefined && applies(place, event) ? valueAt(event, ...place.path.split('.')) : undefined;
}

/** A number, or the sum of several: `part.tokens.input + part.tokens.cache.read`. */
function amount(place: Place | undefined, event: unknown): number | null {
	if (place?.path === undefined || !applies(place, event)) return null;
	const parts = place.path.split('+').map((path) => valueAt(event, ...path.trim().split('.')));
	const numbers = parts.filter((part): part is number => typeof part === 'number' && Number.isFinite(part) && part >= 0);
	return numbers.length === 0 ? null : numbers.reduce((sum, part) => sum + part, 0);
}
