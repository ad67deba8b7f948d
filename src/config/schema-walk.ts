import type { z } from 'zod';

export type Schema = z.core.$ZodType;
type Path = readonly PropertyKey[];

/** The schema of the value at a path, looking through optionals, defaults and unions; undefined where the schema has no such place. */
export function schemaAt(schema: Schema, path: Path): Schema | undefined {
	const [step, ...rest] = path;
	if (step === undefined) return schema;
	for (const option of optionsOf(schema)) {
		const inner = childOf(option, String(step));
		const found = inner && schemaAt(inner, rest);
		if (found) return found;
	}
	return undefined;
}

/** The keys a map at this place may have; null where any key is allowed or it is no map. */
export function knownKeys(schema: Schema): readonly string[] | null {
	const keys = optionsOf(schema).flatMap((option) => {
		const def = defOf(option);
		if (def.type === 'object') return Object.keys(def.shape);
		if (def.type === 'record') return optionsOf(def.keyType).flatMap(enumValues);
		return [];
	});
	return keys.length === 0 ? null : keys;
}

export function childOf(schema: Schema, key: string): Schema | undefined {
	const def = defOf(schema);
	if (def.type === 'object') return Object.hasOwn(def.shape, key) ? def.shape[key] : undefined;
	if (def.type === 'record') return def.valueType;
	return def.type === 'array' ? def.element : undefined;
}

/** What a value may be, without the wrapping: one schema, or a union's. */
export function optionsOf(schema: Schema): readonly Schema[] {
	const def = defOf(schema);
	if (def.type === 'union') return def.options.flatMap(optionsOf);
	return 'innerType' in def ? optionsOf(def.innerType) : [schema];
}

/** Whether a number here must be whole. */
export function isWhole(schema: Schema | undefined): boolean {
	return schema !== undefined && optionsOf(schema).some((option) => (option._zod.def as { format?: string }).format === 'safeint');
}

type Def =
	| { readonly type: 'object'; readonly shape: Readonly<Record<string, Schema>> }
	| { readonly type: 'record'; readonly keyType: Schema; readonly valueType: Schema }
	| { readonly type: 'array'; readonly element: Schema }
	| { readonly type: 'union'; readonly options: readonly Schema[] }
	| { readonly type: 'enum'; readonly entries: Readonly<Record<string, string | number>> }
	| { readonly type: 'optional' | 'default' | 'nullable' | 'readonly'; readonly innerType: Schema }
	| { readonly type: 'string' };

/** zod's own description of a schema, as far as this room reads it. */
function defOf(schema: Schema): Def {
	return schema._zod.def as unknown as Def;
}

function enumValues(schema: Schema): readonly string[] {
	const def = defOf(schema);
	return def.type === 'enum' ? Object.values(def.entries).map(String) : [];
}
