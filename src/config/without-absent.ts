import { childOf, optionsOf, type Schema } from './schema-walk.ts';

/**
 * The value without the keys that are written but left empty: `routing:` with all below it commented out, or `model: ""`.
 * A key the schema does not know stays, so that it is still complained of.
 */
export function withoutAbsent(schema: Schema, value: unknown): unknown {
	if (Array.isArray(value)) {
		const element = optionsOf(schema).map((option) => childOf(option, '0'))[0];
		return element === undefined ? value : value.map((item) => withoutAbsent(element, item));
	}
	if (typeof value !== 'object' || value === null) return value;
	const result: Record<string, unknown> = Object.create(null);
	for (const [key, item] of Object.entries(value)) {
		const inner = firstChild(schema, key);
		if (inner === undefined) result[key] = item;
		else if (item !== null && item !== '') result[key] = withoutAbsent(inner, item);
	}
	return result;
}

/** Whether anything is written and left empty. */
export function hasAbsent(value: unknown): boolean {
	if (typeof value === 'object' && value !== null) return Object.values(value).some(hasAbsent);
	return value === null || value === '';
}

function firstChild(schema: Schema, key: string): Schema | undefined {
	for (const option of optionsOf(schema)) {
		const child = childOf(option, key);
		if (child !== undefined) return child;
	}
	return undefined;
}
