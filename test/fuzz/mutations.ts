import fc from 'fast-check';

/** What does not belong into a file, a field or a stream, and comes all the same. */
const odd: readonly unknown[] = [
	null,
	true,
	-1,
	0,
	1.5,
	1e308,
	Number.MAX_SAFE_INTEGER + 2,
	'',
	' ',
	'\n',
	'x'.repeat(5000),
	'a\u0000b',
	'\u001b[2J\u009b31m\u202e',
	'\ud800',
	'__proto__',
	'constructor',
	'toString',
	'../../../etc',
	'/etc/passwd',
	'$(reboot)',
	'<<',
	'*a',
	'&a x',
	'!!js/function',
	'(a+)+$',
	'((((',
	'[z-a]',
	'+(a*)+(a*)b',
	'{1..9999999}',
	'2026-13-45T99:99:99Z',
	'1e999',
	'0x1F',
	'yes',
	[],
	[[]],
	[null],
	{},
	{ a: { b: { c: {} } } },
	JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 1}'),
	nested(60),
];

function nested(depth: number): unknown {
	return depth === 0 ? 'x' : depth % 2 === 0 ? [nested(depth - 1)] : { a: nested(depth - 1) };
}

interface Change {
	readonly at: number;
	readonly how: 'replace' | 'remove' | 'misspell' | 'add' | 'wrap' | 'double' | 'other';
	readonly odd: unknown;
	readonly word: string;
}

const change: fc.Arbitrary<Change> = fc.record({
	at: fc.nat(9999),
	how: fc.constantFrom('replace', 'remove', 'misspell', 'add', 'wrap', 'double', 'other'),
	odd: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...odd) }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) }),
	word: fc.string({ maxLength: 8 }),
});

/** A value with a few places of its tree changed. */
export const mutated = (values: readonly unknown[], most = 4): fc.Arbitrary<unknown> =>
	fc
		.tuple(fc.nat(values.length - 1), fc.array(change, { maxLength: most }))
		.map(([which, changes]) => changes.reduce(changed, structuredClone(values[which])));

type Branch = Record<string, unknown> | unknown[];

function changed(value: unknown, { at, how, odd: shared, word }: Change): unknown {
	const odd = structuredClone(shared);
	const places: { holder: Branch; key: string }[] = [];
	const visit = (holder: unknown): void => {
		if (typeof holder !== 'object' || holder === null || places.length > 500) return;
		for (const key of Object.keys(holder)) {
			places.push({ holder: holder as Branch, key });
			visit((holder as Record<string, unknown>)[key]);
		}
	};
	visit(value);
	const place = places[at % Math.max(1, places.length)];
	if (place === undefined) return how === 'replace' ? odd : value;
	const holder = place.holder as Record<string, unknown>;
	const old = holder[place.key];
	// `__proto__` must become a key of the holder's own, not its prototype; a list's `length` cannot be defined anew.
	const set = (key: string, to: unknown) =>
		Array.isArray(holder) && key === 'length'
			? holder.push(to)
			: Object.defineProperty(holder, key, { value: to, enumerable: true, writable: true, configurable: true });
	if (how === 'replace') set(place.key, odd);
	else if (how === 'remove') delete holder[place.key];
	else if (how === 'misspell') {
		delete holder[place.key];
		set(`${place.key.slice(0, -1)}${word}`, old);
	} else if (how === 'add') set(word === '' ? '__proto__' : word, odd);
	else if (how === 'wrap') set(place.key, at % 2 === 0 ? [old] : { [word]: old });
	else if (how === 'double') set(place.key, Array.isArray(old) ? [...old, ...old] : [old, old]);
	else set(place.key, structuredClone(places[(at * 7) % places.length]!.holder));
	return value;
}

interface Cut {
	readonly at: number;
	readonly length: number;
	readonly how: 'none' | 'cut' | 'insert' | 'remove' | 'repeat' | 'flip';
	readonly what: string;
}

const cut: fc.Arbitrary<Cut> = fc.record({
	at: fc.nat(1_000_000),
	length: fc.nat(300),
	how: fc.constantFrom('none', 'none', 'none', 'cut', 'insert', 'remove', 'repeat', 'flip'),
	what: fc.oneof(
		fc.constantFrom(
			'\0',
			'\u001b[2J',
			'\t',
			'"',
			"'",
			'{',
			'[',
			']',
			'}',
			': ',
			'\n',
			'\n---\n',
			'&a ',
			'*a ',
			'<<: ',
			'!!',
			'%',
			'# ',
			'\ufeff',
			'\u2028',
			'|\n',
			'a: 1\na: 2\n',
			'\r',
		),
		fc.string({ unit: 'binary', maxLength: 12 }),
	),
});

/** Bytes with a few places cut, doubled or overwritten. */
export const garbled = (most = 2): fc.Arbitrary<(bytes: Buffer) => Buffer> =>
	fc.array(cut, { maxLength: most }).map((cuts) => (bytes: Buffer) => cuts.reduce(garble, bytes));

function garble(bytes: Buffer, { at, length, how, what }: Cut): Buffer {
	const from = at % (bytes.length + 1);
	const [head, middle, tail] = [bytes.subarray(0, from), bytes.subarray(from, from + length), bytes.subarray(from + length)];
	switch (how) {
		case 'none':
			return bytes;
		case 'cut':
			return head;
		case 'insert':
			return Buffer.concat([head, Buffer.from(what), middle, tail]);
		case 'remove':
			return Buffer.concat([head, tail]);
		case 'repeat':
			return Buffer.concat([head, middle, middle, tail]);
		case 'flip':
			return Buffer.concat([head, Buffer.from(middle.subarray(0, 4).map((byte) => byte ^ 0x80)), middle.subarray(4), tail]);
	}
}
