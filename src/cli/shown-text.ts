import { parseManifest } from '../config/load-manifest.ts';
import type { PacketNames } from '../packet/names.ts';
import { readBytes } from '../packet/read.ts';
import { makeRedactor } from '../prompt/redact.ts';
import { visible } from '../report/visible.ts';

/** How the files of a packet are shown: without secrets, and with nothing that could steer a terminal. Tabs stay. */
export function shownText(names: PacketNames): (text: string) => string {
	const redact = redactorOf(names);
	return (text) => keepingTabs(redact(text));
}

/** The built-in patterns, and the manifest's own as far as it can be read. */
export function redactorOf(names: PacketNames): (text: string) => string {
	const text = readBytes(names.manifest, 4 * 1024 * 1024);
	const loaded = text === null ? null : parseManifest(text, names.manifest, names.id);
	const own = makeRedactor(loaded?.ok ? (loaded.value.manifest.security?.redaction_patterns ?? []) : []);
	const redactor = own.ok ? own : makeRedactor([]);
	return (said) => (redactor.ok ? redactor.value(said).text : '');
}

export const keepingTabs = (text: string): string => text.split('\t').map(visible).join('\t');
