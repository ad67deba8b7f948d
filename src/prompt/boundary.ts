import { sha256 } from '../contract/sha256.ts';

/** A word that occurs in none of the texts. Derived from them, so that equal texts give equal prompts; hashed on until it is absent. */
export function boundaryFor(texts: readonly string[], hash: (text: string) => string = sha256): string {
	let word = hash(texts.map(hash).join('\n')).slice(0, 24);
	while (texts.some((text) => text.toLowerCase().includes(word))) word = hash(word).slice(0, 24);
	return word;
}

export interface Block {
	readonly kind: string;
	readonly path: string;
	readonly note: string | null;
	readonly text: string;
}

/** The newline before the closing line is ours: what lies between is the text to the byte. */
export function fence(block: Block, boundary: string): string {
	const note = block.note === null ? '' : ` (${block.note})`;
	return `=== BEGIN ${boundary} ${block.kind} ${JSON.stringify(block.path)}${note}\n${block.text}\n=== END ${boundary}`;
}
