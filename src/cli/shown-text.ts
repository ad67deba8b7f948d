import { parseManifest } from '../config/load-manifest.ts';
import { readYaml } from '../config/read-yaml.ts';
import { valueAt } from '../config/value-at.ts';
import type { PacketNames } from '../packet/names.ts';
import { readBytes } from '../packet/read.ts';
import { blanking, usablePatterns } from '../prompt/redact.ts';
import { visible } from '../report/visible.ts';

/** How the files of a packet are shown: without secrets, and with nothing that could steer a terminal. Tabs stay. */
export function shownText(names: PacketNames): (text: string) => string {
	const redact = redactorOf(names);
	return (text) => keepingTabs(redact(text));
}

/** The built-in patterns, and the manifest's own as far as it can be read. */
export function redactorOf(names: PacketNames): (text: string) => string {
	const text = readBytes(names.manifest, 4 * 1024 * 1024);
	return blanking(text === null ? [] : patternsOf(text, names));
}

/** A manifest that is wrong somewhere says what is secret all the same. */
function patternsOf(text: Uint8Array, names: PacketNames): readonly string[] {
	const loaded = parseManifest(text, names.manifest, names.id);
	if (loaded.ok) return loaded.value.manifest.security?.redaction_patterns ?? [];
	return usablePatterns(valueAt(readYaml(text, names.manifest).value, ['security', 'redaction_patterns']));
}

export const keepingTabs = (text: string): string => text.split('\t').map(visible).join('\t');
