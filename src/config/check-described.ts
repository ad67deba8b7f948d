import { builtInTools } from '../contract/built-in-tools.ts';
import type { Complaint } from '../contract/complaint.ts';
import type { ServantFile } from '../contract/servant-file.ts';
import { hint } from '../contract/suggest.ts';
import type { ConfigFacts } from './config-facts.ts';
import { complainOf, type Part } from './part.ts';

/** Of servants that are only data: what is filled into their arguments exists, they get their prompt, and their answer can be found. */
export function checkDescribed(facts: ConfigFacts): readonly Complaint[] {
	return [...facts.parts.filter(isDescribed).flatMap(placeholdersIn), ...promptless(facts), ...answerless(facts)];
}

const isBuiltIn = (tool: string) => (builtInTools as readonly string[]).includes(tool);
const isDescribed = ({ at: [kind, tool] }: Part) => kind === 'servants' && !isBuiltIn(tool!);

const known = ['model', 'effort', 'max_steps', 'prompt_file', 'workdir', 'session_id'];

/** A misspelt placeholder would reach the program as it is written. */
function placeholdersIn(part: Part): readonly Complaint[] {
	const file = part.value as ServantFile;
	return (['args', 'read_only_args', 'write_args', 'resume_args'] as const).flatMap((key) =>
		(file[key] ?? []).flatMap((arg, i) =>
			[...arg.matchAll(/\{([a-z_]+)\}/gi)]
				.filter(([, name]) => !known.includes(name!))
				.map(([, name]) => complainOf(part, [key, i], `unknown placeholder {${name}}${hint(name!, known)}`)),
		),
	);
}

/** A prompt file that no argument names would never be read: the servant would be called, and paid, without its prompt. */
function promptless({ merged, winner }: ConfigFacts): readonly Complaint[] {
	return Object.keys(merged.servants).flatMap((tool) => {
		const file = merged.servants[tool]!;
		const part = winner(['servants', tool, 'prompt']);
		const names = (key: 'args' | 'read_only_args' | 'write_args') => file[key]?.some((arg) => arg.includes('{prompt_file}')) ?? false;
		const without = (['read_only_args', 'write_args'] as const).filter((key) => !names(key));
		if (isBuiltIn(tool) || file.prompt !== 'file' || part === undefined || names('args') || without.length === 0) return [];
		const message = `servant "${tool}" gets its prompt as a file, but {prompt_file} is neither in args nor in ${without.join(' and ')}`;
		return [complainOf(part, ['prompt'], message)];
	});
}

function answerless({ merged, winner }: ConfigFacts): readonly Complaint[] {
	return Object.keys(merged.servants).flatMap((tool) => {
		const { output, stream } = merged.servants[tool]!;
		if (isBuiltIn(tool) || (output ?? (stream && 'jsonl')) !== 'jsonl' || stream?.text !== undefined) return [];
		const key = output === undefined ? 'stream' : 'output';
		const part = winner(['servants', tool, key]);
		const message = `servant "${tool}" answers in JSON lines, but stream.text does not say where its answer is found; it will be empty`;
		return part === undefined ? [] : [complainOf(part, [key], message, { level: 'warning' })];
	});
}
