import { decodeText } from './decode-text.ts';
import { plainPlaces, readPlainYaml } from './plain-yaml.ts';
import { readWholeYaml } from './whole-yaml.ts';
import type { YamlPath } from './yaml-node.ts';
import { excerptOf, type ReadYaml, unreadable } from './yaml-reading.ts';

/** Larger files are rare, and the plain reader's places are looked for in the whole of it. */
const maxPlain = 64 * 1024;

export function readYaml(text: string | Uint8Array, file: string): ReadYaml {
	const decoded = decodeText(text, file);
	if (!decoded.ok) return unreadable(file, decoded.failures);
	const source = decoded.value;
	const value = source.length > maxPlain ? null : readPlainYaml(source);
	if (value === null) return readWholeYaml(source, file);
	let places: ReturnType<typeof plainPlaces> | null = null;
	const placeOf = (path: YamlPath, what: 'key' | 'value') => {
		places ??= plainPlaces(source);
		return places(path, what);
	};
	return {
		file,
		value,
		complaints: [],
		excerpt: excerptOf(source),
		has: (path) => placeOf(path, 'key').found,
		locate: (path, what = 'value') => {
			const { line, col } = placeOf(path, what);
			return { line, col };
		},
	};
}
