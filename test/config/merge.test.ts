import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeLayers } from '../../src/config/merge.ts';
import type { ConfigLayer } from '../../src/contract/config.ts';

const word = fc.constantFrom('a', 'b', 'constructor');
const list = fc.uniqueArray(word, { minLength: 1, maxLength: 3 });
const some = <T>(value: fc.Arbitrary<T>) => fc.dictionary(word, value, { maxKeys: 3 });
const optional: { requiredKeys: [] } = { requiredKeys: [] };
const profile = fc.record({ stages: list, stage_models: some(word), needs: some(list) }, optional);
const layer: fc.Arbitrary<ConfigLayer> = fc.record({
	servants: some(
		fc.record({ default_model: word, allowed_models: list, prices: some(fc.record({ input: fc.nat(9), output: fc.nat(9) })) }, optional),
	),
	pipelines: some(fc.record({ default_profile: word, profiles: some(profile) }, optional)),
	dispatch: fc.record(
		{ provider: word, max_steps: fc.integer({ min: 1, max: 9 }), verify: fc.record({ timeout_sec: fc.nat(9) }, optional) },
		optional,
	),
});

test('it does not matter in which order three layers are merged', () => {
	fc.assert(
		fc.property(layer, layer, layer, (a, b, c) => {
			expect(mergeLayers(mergeLayers(a, b), c)).toEqual(mergeLayers(a, mergeLayers(b, c)));
		}),
	);
});

test('every scalar and list of the upper layer stands, and nothing appears that neither layer has', () => {
	fc.assert(
		fc.property(layer, layer, (lower, upper) => {
			const merged = mergeLayers(lower, upper);
			const [below, above, result] = [leaves(lower), leaves(upper), leaves(merged)];
			for (const [path, value] of above) expect(result.get(path)).toEqual(value);
			for (const [path, value] of result) if (!above.has(path)) expect(below.get(path)).toEqual(value);
		}),
	);
});

test('a profile that gives stages replaces the one below it whole; one that does not adds to it', () => {
	const below = layerWith({ stages: ['a', 'b'], needs: { b: ['a'] }, flags: { enable_review: true } });
	expect(mergeLayers(below, layerWith({ stages: ['c'] })).pipelines.g).toEqual({ profiles: { p: { stages: ['c'] } } });
	expect(mergeLayers(below, layerWith({ flags: { enable_verify: true } })).pipelines.g).toEqual({
		profiles: { p: { stages: ['a', 'b'], needs: { b: ['a'] }, flags: { enable_review: true, enable_verify: true } } },
	});
});

const layerWith = (p: object): ConfigLayer => ({ servants: {}, pipelines: { g: { profiles: { p } } }, dispatch: {} });

function leaves(value: unknown, path = ''): Map<string, unknown> {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return new Map([[path, value]]);
	return new Map(Object.entries(value).flatMap(([key, inner]) => [...leaves(inner, `${path}/${key}`)]));
}
