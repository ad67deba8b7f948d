import { existsSync } from 'node:fs';
import { publishLink, remove } from './disk.ts';
import { type PacketNames, publishedKinds } from './names.ts';

/** An attempt's own file, and the name under which users know it. */
export interface PublishedFile {
	readonly name: string;
	readonly own: string;
}

export interface PublishedFiles {
	readonly whenReserved: readonly PublishedFile[];
	readonly whenCollected: readonly PublishedFile[];
}

export function publishedFiles(
	names: PacketNames,
	{ stage, tool, attempt }: { readonly stage: string; readonly tool: string; readonly attempt: number },
): PublishedFiles {
	const own = names.attempt(stage, attempt);
	return {
		whenReserved: [
			{ name: names.prompt(stage), own: own.prompt },
			{ name: names.output(stage, tool, 'compose.log'), own: own.composeLog },
		],
		whenCollected: [
			{ name: names.output(stage, tool, 'out'), own: own.out },
			{ name: names.output(stage, tool, 'err'), own: own.err },
			{ name: names.output(stage, tool, 'wrapper.log'), own: own.wrapperLog },
			{ name: names.artifact(stage), own: own.artifact },
			{ name: names.patch(stage), own: own.patch },
			{ name: names.output(stage, tool, 'stream.jsonl'), own: own.stream },
			{ name: names.output(stage, tool, 'meta.json'), own: own.meta },
		],
	};
}

/** Links, so that nothing is copied. */
export function publishFiles(files: readonly PublishedFile[]): void {
	for (const { name, own } of files) if (existsSync(own)) publishLink(name, own);
}

/** An attempt speaks for its stage alone: what one before it published, and it has not, goes. That one keeps its own. */
export function takeBack(files: readonly PublishedFile[], attempt: number): void {
	if (attempt === 1) return;
	for (const { name, own } of files) if (!existsSync(own)) remove(name);
}

/** So does what servants published that did the stage before: their names carry their tool, and nobody takes these over. */
export function takeBackOthers(names: PacketNames, stage: string, others: readonly string[]): void {
	for (const tool of others) for (const kind of publishedKinds) remove(names.output(stage, tool, kind));
}
