// Goes into the bundle: whether a value is what a JSON Schema describes, for those words of the language that our schemas use. Making a
// zod schema takes longer than many a command has; this says yes to what is right, and zod says what is wrong with the rest.

/** @returns {boolean} */
export function fits(schema, value) {
	if (schema.anyOf !== undefined) return schema.anyOf.some((option) => fits(option, value));
	if (schema.oneOf !== undefined) return schema.oneOf.some((option) => fits(option, value));
	if ('const' in schema) return value === schema.const;
	if (schema.enum !== undefined) return schema.enum.includes(value);
	if (Array.isArray(schema.type)) return schema.type.some((type) => fits({ ...schema, type }, value));
	switch (schema.type) {
		case 'string':
			return typeof value === 'string' && fitsString(schema, value);
		case 'integer':
			return Number.isSafeInteger(value) && fitsNumber(schema, value);
		case 'number':
			return Number.isFinite(value) && fitsNumber(schema, value);
		case 'boolean':
			return typeof value === 'boolean';
		case 'null':
			return value === null;
		case 'array':
			return Array.isArray(value) && fitsArray(schema, value);
		case 'object':
			return typeof value === 'object' && value !== null && !Array.isArray(value) && fitsObject(schema, value);
		default:
			return value !== undefined;
	}
}

const fitsString = ({ minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern }, text) =>
	text.length >= minLength && text.length <= maxLength && (pattern === undefined || compiled(pattern).test(text));

const patterns = new Map();

function compiled(pattern) {
	if (!patterns.has(pattern)) patterns.set(pattern, new RegExp(pattern));
	return patterns.get(pattern);
}

const fitsNumber = ({ minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity }, number) =>
	number >= minimum && number <= maximum && number > exclusiveMinimum;

const fitsArray = ({ items = {}, minItems = 0, maxItems = Infinity }, list) =>
	list.length >= minItems && list.length <= maxItems && list.every((item) => fits(items, item));

/** A key that is not described is left to zod: it may be forbidden, or is to be left out of what is read. */
function fitsObject({ properties = {}, required = [], additionalProperties, propertyNames }, map) {
	const names = Object.keys(map);
	return (
		required.every((name) => Object.hasOwn(map, name)) &&
		names.every((name) => {
			const described = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
			if (described === undefined || described === false) return false;
			return fits(described, map[name]) && (propertyNames === undefined || fits(propertyNames, name));
		})
	);
}

const words = new Set([
	...['anyOf', 'oneOf', 'const', 'enum', 'type', 'minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'exclusiveMinimum'],
	...['items', 'minItems', 'maxItems', 'properties', 'required', 'additionalProperties', 'propertyNames'],
]);

/** Whether `fits` knows every word of a schema. */
export function isKnown(schema) {
	if (typeof schema !== 'object') return true;
	const { anyOf = [], oneOf = [], properties = {}, items, additionalProperties, propertyNames } = schema;
	const inner = [...anyOf, ...oneOf, ...Object.values(properties), items, additionalProperties, propertyNames];
	return !Array.isArray(items) && Object.keys(schema).every((word) => words.has(word)) && inner.every(isKnown);
}

/** A schema that is made when it is first asked for more than whether a value is right. */
export function atFirstUse(make, describe) {
	let made;
	let description;
	const whole = () => (made ??= make());
	const described = () => (description ??= describe());
	const quick = {
		safeParse: (value, ...rest) => (fits(described(), value) ? { success: true, data: value } : whole().safeParse(value, ...rest)),
		get options() {
			return described().enum ?? whole().options;
		},
	};
	return new Proxy(
		{},
		{
			get: (_, key) => (describe !== undefined && Object.hasOwn(quick, key) ? quick[key] : whole()[key]),
			has: (_, key) => key in whole(),
		},
	);
}
