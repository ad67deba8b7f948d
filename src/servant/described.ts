import type { Servant } from '../contract/servant.ts';
import type { ServantFile } from '../contract/servant-file.ts';
import { readDescribed } from './described-stream.ts';
import { fillPlaceholders } from './placeholders.ts';

/** A servant that is only data: its command line and its stream as its servant file describes them. */
export function described(tool: string, file: ServantFile): Servant {
	const stream = file.stream ?? {};
	const output = file.output ?? (file.stream ? 'jsonl' : 'text');
	return {
		tool,
		paid: true,
		maxPromptBytes: null,
		env: [],
		cumulativeOnResume: false,
		canResume: file.resume_args !== undefined && stream.session_id !== undefined,
		countsSteps: output === 'jsonl' && stream.step !== undefined,
		invocation: (ask) => {
			const access = ask.access === 'read' ? file.read_only_args : file.write_args;
			const resume = ask.session === null ? [] : (file.resume_args ?? []);
			return {
				command: tool,
				args: fillPlaceholders([...(file.args ?? []), ...(access ?? []), ...resume], {
					model: ask.model,
					effort: ask.effort,
					max_steps: String(ask.maxSteps),
					prompt_file: ask.promptFile,
					workdir: ask.workdir,
					session_id: ask.session,
				}),
				env: {},
				prompt: file.prompt ?? 'stdin',
				output,
				files: {},
			};
		},
		read: readDescribed(stream),
		// Where no event tells of success, the exit code is all there is.
		after: ({ exitCode }) =>
			output === 'jsonl' && stream.success === undefined && exitCode === 0 ? [{ kind: 'final', success: true }] : [],
		care: {
			versionArgs,
			knownVersions: none,
			install: null,
			login: null,
			loginSigns: none,
		},
	};
}

/** The same for all, so that each servant is small. */
const versionArgs: readonly string[] = ['--version'];
const none: readonly never[] = [];
