import { join } from 'node:path';
import { classFromStatus } from '../contract/complaint-text.ts';
import type { AfterEnd, Ask, Reading, Servant, ServantComplaint } from '../contract/servant.ts';
import { complain } from './complain.ts';
import { numberAt, textAt, valueAt } from './event-value.ts';

const noise: readonly string[] = [
	'Ripgrep is not available',
	'YOLO mode is enabled',
	'Loaded cached credentials',
	'Warning: True color',
	'Warning: 256-color',
	'Warning: Basic terminal detected',
];

export const gemini: Servant = {
	tool: 'gemini',
	paid: true,
	// Beyond the window of its largest model (about 4.19 MB) the CLI asks nobody, answers nothing, and calls it a success.
	maxPromptBytes: 4_000_000,
	env: [
		'GEMINI_API_KEY',
		'GOOGLE_API_KEY',
		'GOOGLE_GEMINI_BASE_URL',
		'GOOGLE_GENAI_USE_VERTEXAI',
		'GOOGLE_GENAI_USE_GCA',
		'GOOGLE_CLOUD_PROJECT',
		'GOOGLE_CLOUD_LOCATION',
		'GOOGLE_APPLICATION_CREDENTIALS',
		'GEMINI_CLI_HOME',
	],
	cumulativeOnResume: false,
	canResume: true,
	choosesSession: true,
	invocation: (ask) => {
		const policy = join(ask.scratch, 'policy.toml');
		const rules = rulesFor(ask);
		return {
			command: 'gemini',
			args: [
				...['--output-format', 'stream-json', '--skip-trust', '--approval-mode', approvalMode(ask)],
				...(rules === null ? [] : ['--admin-policy', policy]),
				...(ask.model === null ? [] : ['-m', ask.model]),
				...(ask.wrapper.sandbox ? ['--sandbox'] : []),
				...(ask.session === null ? ['--session-id', ask.sessionId] : ['--resume', ask.session]),
			],
			// Without it the program starts itself anew as a child, and its parent ignores signals.
			env: { GEMINI_CLI_NO_RELAUNCH: 'true', GEMINI_TELEMETRY_ENABLED: 'false' },
			prompt: 'stdin',
			output: 'jsonl',
			files: rules === null ? {} : { [policy]: rules },
		};
	},
	read: (event) => {
		switch (textAt(event, 'type')) {
			case 'init': {
				const id = textAt(event, 'session_id');
				return id === null ? [] : [{ kind: 'session', id }];
			}
			case 'message': {
				const text = textAt(event, 'role') === 'assistant' ? textAt(event, 'content') : null;
				return text === null ? [] : [{ kind: 'text', mode: 'append', text }];
			}
			case 'tool_use':
				// The answer is what is said after the last tool.
				return textAt(event, 'tool_name') === null ? [] : [{ kind: 'step' }, { kind: 'text', mode: 'replace', text: '' }];
			case 'error': {
				const message = textAt(event, 'message');
				return message === null || textAt(event, 'severity') !== 'error' ? [] : [complain({ message, final: false })];
			}
			case 'result':
				return textAt(event, 'status') === null ? [] : result(event);
			default:
				return [];
		}
	},
	after: ({ exitCode, stderr }: AfterEnd) => {
		if (exitCode === null || exitCode === 0) return [];
		const meaning = exitMeanings[exitCode] ?? classFromStatus(exitCode >= 144 ? exitCode + 256 : null, '');
		const said = stderr.split('\n').filter((line) => line.trim() !== '' && !noise.some((words) => line.startsWith(words)));
		const words = said.slice(-3).join(' ').trim();
		return meaning === null ? [] : [complain({ class: meaning, message: words || `exit code ${exitCode}`, final: false })];
	},
	noise,
	care: {
		versionArgs: ['--version'],
		knownVersions: ['0.61.'],
		install: 'npm install -g @google/gemini-cli',
		login: 'gemini',
		loginSigns: [
			{ variable: 'GEMINI_API_KEY' },
			{ variable: 'GOOGLE_API_KEY' },
			{ variable: 'GOOGLE_APPLICATION_CREDENTIALS' },
			{ file: '.gemini/oauth_creds.json', below: 'GEMINI_CLI_HOME' },
			{ file: '.gemini/oauth_creds.json' },
		],
	},
};

/**
 * A reader does not get the CLI's plan mode: without a terminal, leaving that mode is allowed by default, and with it
 * everything else. In the default mode whatever needs a confirmation is refused.
 */
const approvalMode = (ask: Ask): string => (ask.access === 'read' ? 'default' : (ask.wrapper.approvalMode ?? 'auto_edit'));

/** Rules that stand above the user's and the project's own. A mode chosen on purpose is left as it is. */
function rulesFor(ask: Ask): string | null {
	if (ask.access === 'read') return readerRules;
	return approvalMode(ask) === 'auto_edit' ? writerRules : null;
}

const readerRules = `[[rule]]
toolName = ["write_file", "replace", "enter_plan_mode", "exit_plan_mode"]
decision = "deny"
priority = 900

[[rule]]
toolName = "run_shell_command"
commandRegex = ".*--output"
decision = "deny"
priority = 800

[[rule]]
toolName = "run_shell_command"
commandPrefix = ["cat", "diff", "echo", "grep", "head", "ls", "pwd", "tail", "wc", "git blame", "git diff", "git log", "git ls-files", "git show", "git status"]
decision = "allow"
priority = 700

[[rule]]
toolName = "run_shell_command"
decision = "deny"
priority = 100
`;

/** Editing is allowed by the mode; running tests needs the shell, and still not everything else that yolo would allow. */
const writerRules = `[[rule]]
toolName = "run_shell_command"
decision = "allow"
allowRedirection = true
priority = 500
`;

function result(event: unknown): readonly Reading[] {
	const input = numberAt(event, 'stats', 'input_tokens');
	const cached = numberAt(event, 'stats', 'cached');
	const output = numberAt(event, 'stats', 'output_tokens');
	const total = numberAt(event, 'stats', 'total_tokens');
	const calls = numberAt(event, 'stats', 'tool_calls');
	// Thoughts are billed as output, and told only as what is missing in the total.
	const billedOutput = total === null || input === null ? output : Math.max(output ?? 0, total - input);
	return [
		...(calls === null ? [] : [{ kind: 'steps_reported', steps: calls } as const]),
		{
			kind: 'usage',
			mode: 'total',
			usage: { input_tokens: input, cached_input_tokens: cached, output_tokens: output },
			billed: { input_tokens: input, cached_input_tokens: cached, output_tokens: billedOutput },
		},
		...outcome(event, input === 0 && total === 0),
	];
}

function outcome(event: unknown, nothingAsked: boolean): readonly Reading[] {
	const error = valueAt(event, 'error');
	if (textAt(event, 'status') === 'success' && error === undefined && !nothingAsked) return [{ kind: 'final', success: true }];
	const message = textAt(event, 'error', 'message');
	const failed: Reading = { kind: 'final', success: false };
	if (message !== null) return [complain({ ...named(message, textAt(event, 'error', 'type')), message, final: true }), failed];
	// What went wrong was said by an `error` event before.
	if (textAt(event, 'status') !== 'success') return [failed];
	return [complain({ class: 'prompt_too_large', message: 'no model was asked: the prompt exceeds the window', final: true }), failed];
}

/** `[API Error: {"error":{"code":400,…}}]`, or only its words. */
function named(message: string, type: string | null): { class?: ServantComplaint['class']; status: number | null } {
	if (type === 'FatalTurnLimitedError') return { class: 'max_steps', status: null };
	const code = /"code": ?([45]\d\d)\b/.exec(message);
	return { status: code ? Number(code[1]) : null };
}

/** Its own exit codes; beyond 128 it exits with the HTTP status modulo 256. */
const exitMeanings: Readonly<Record<number, ServantComplaint['class']>> = {
	41: 'auth',
	42: 'config_error',
	44: 'config_error',
	52: 'config_error',
	53: 'max_steps',
	55: 'config_error',
	130: 'interrupted',
};
