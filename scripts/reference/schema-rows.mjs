/** The keys of a schema, one row each, maps inside it unfolded: `routing.stages.<stage>.model`. */
export function schemaRows(schema, prefix = '') {
	return Object.entries(schema._zod.def.shape).flatMap(([key, field]) => rowsOf(field, prefix === '' ? key : `${prefix}.${key}`));
}

function rowsOf(field, path) {
	const { inner, optional } = unwrapped(field);
	const def = inner._zod.def;
	const meaning = (field.description ?? inner.description ?? '').replaceAll('|', '\\|');
	const row = { path, type: typeWords(inner), required: !optional, meaning };
	if (path === 'providers') return [{ ...row, path: 'providers.<tool>.…', type: 'as in a servant file' }, ...legacyModel(def)];
	if (isPlace(def)) return [{ ...row, type: 'place' }, ...(def.shape.mode ? rowsOf(def.shape.mode, `${path}.mode`) : [])];
	if (def.type === 'object') return meaning === '' ? schemaRows(inner, path) : [row, ...schemaRows(inner, path)];
	if (def.type !== 'record') return [row];
	const below = `${path}.<${keyName(path)}>`;
	const value = unwrapped(def.valueType).inner;
	if (value._zod.def.type !== 'object') return [{ ...row, path: below, type: typeWords(value) }];
	return [...(meaning === '' ? [] : [{ ...row, path: below, type: 'map' }]), ...schemaRows(value, below)];
}

/** The one key that `providers.<tool>` has beyond those of a servant file. */
function legacyModel({ valueType }) {
	return rowsOf(valueType._zod.def.shape.model, 'providers.<tool>.model');
}

/** Where a value stands in an event: `{ path, when }`, explained once. */
const isPlace = ({ type, shape }) => type === 'object' && shape.path !== undefined && shape.when !== undefined;

function unwrapped(schema) {
	const { type, innerType } = schema._zod.def;
	if (type !== 'optional' && type !== 'default') return { inner: schema, optional: false };
	return { inner: unwrapped(innerType).inner, optional: true };
}

const keyNames = {
	stages: 'stage',
	needs: 'stage',
	model: 'tool',
	prices: 'model',
	profiles: 'name',
	task_providers: 'type',
	task_types: 'type',
};

function keyName(path) {
	const last = path.split('.').at(-1);
	if (last.startsWith('stage_')) return 'stage';
	if (last.startsWith('purpose_')) return 'purpose';
	if (last === 'subsections') return 'section';
	if (last === 'when') return 'path';
	return keyNames[last] ?? last.replace(/s$/, '');
}

function typeWords(schema) {
	const def = schema._zod.def;
	switch (def.type) {
		case 'enum':
			return Object.values(def.entries)
				.map((value) => `\`${value}\``)
				.join(' \\| ');
		case 'literal':
			return def.values.map((value) => `\`${value}\``).join(' \\| ');
		case 'union':
			return [...new Set(def.options.map((option) => typeWords(unwrapped(option).inner)))].join(' \\| ');
		case 'array':
			return `list of ${plural(typeWords(unwrapped(def.element).inner))}`;
		case 'number':
			return numberWords(schema);
		case 'string':
			return 'text';
		case 'boolean':
			return '`true` \\| `false`';
		case 'object':
		case 'record':
			return 'map';
		case 'unknown':
			return 'anything';
		default:
			throw new Error(`no words for a schema of type ${def.type}`);
	}
}

const plural = (words) => (words === 'text' ? 'texts' : words);

function numberWords(schema) {
	const checks = [schema, ...(schema._zod.def.checks ?? [])].map((check) => check._zod.def);
	const kind = checks.some(({ format }) => format === 'safeint') ? 'whole number' : 'number';
	const least = checks.find(({ check }) => check === 'greater_than');
	return least === undefined ? kind : `${kind} ${least.inclusive ? '≥' : '>'} ${least.value}`;
}
