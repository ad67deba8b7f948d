import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Progress, Servant } from '../../src/contract/servant.ts';
import { ServantFile } from '../../src/contract/servant-file.ts';
import { type ProgressOf, startProgress } from '../../src/servant/progress.ts';
import { servantFor } from '../../src/servant/servants.ts';

const fixtures = new URL('../fixtures/', import.meta.url);

/** One recorded run of a real program, and what the model server really served to it. */
export interface Recording {
	readonly tool: string;
	readonly name: string;
	readonly code: number | null;
	readonly served: { readonly responses: number; readonly input: number; readonly cached_input: number; readonly output: number };
	readonly stderr: string;
}

export const recordings: readonly Recording[] = JSON.parse(readFileSync(new URL('streams/expected.json', fixtures), 'utf8'));

export const streamOf = ({ tool, name }: Pick<Recording, 'tool' | 'name'>): Buffer =>
	readFileSync(new URL(`streams/${tool}/${name}.jsonl`, fixtures));

export const exampleFile = (tool: string): ServantFile =>
	ServantFile.parse(parse(readFileSync(new URL(`servants/${tool}.yaml`, fixtures), 'utf8')));

/** The servant that made a recording: built in, or from its example file. */
export const authorOf = (tool: string): Servant => servantFor(tool, tool === 'opencode' ? exampleFile(tool) : undefined);

interface Played extends Partial<ProgressOf> {
	readonly scratch?: Readonly<Record<string, string>>;
	readonly stream?: Buffer | string;
}

export function play(recording: Recording, { scratch = {}, stream = streamOf(recording), ...given }: Played = {}): Progress {
	const running = startProgress({ servant: authorOf(recording.tool), model: null, ...given });
	running.push(stream);
	running.end({ exitCode: recording.code, stderr: recording.stderr, scratchFile: (name) => scratch[name] ?? null });
	return running.value;
}

export function recorded(tool: string, name: string): Recording {
	const found = recordings.find((recording) => recording.tool === tool && recording.name === name);
	if (!found) throw new Error(`no recording ${tool}/${name}`);
	return found;
}
