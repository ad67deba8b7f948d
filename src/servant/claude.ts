import { own } from '../contract/own.ts';
import type { Ask, Reading, Servant, ServantComplaint } from '../contract/servant.ts';
import { complain } from './complain.ts';
import { entriesAt, listAt, numberAt, sumOf, textAt, valueAt } from './event-value.ts';

export const claude: Servant = {
	tool: 'claude',
	paid: true,
	maxPromptBytes: 10_000_000,
	env: [
		'ANTHROPIC_API_KEY',
		'ANTHROPIC_AUTH_TOKEN',
		'ANTHROPIC_BASE_URL',
		'ANTHROPIC_CUSTOM_HEADERS',
		'CLAUDE_CODE_OAUTH_TOKEN',
		'CLAUDE_CONFIG_DIR',
		'CLAUDE_CODE_USE_BEDROCK',
		'CLAUDE_CODE_USE_VERTEX',
		'ANTHROPIC_VERTEX_PROJECT_ID',
		'CLOUD_ML_REGION',
		'AWS_PROFILE',
		'AWS_REGION',
	],
	cumulativeOnResume: false,
	canResume: true,
	choosesSession: true,
	invocation: (ask) => ({
		command: 'claude',
		args: [
			'-p',
			...['--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
			...(ask.model === null ? [] : ['--model', ask.model]),
			...(ask.effort === null ? [] : ['--effort', ask.effort]),
			...['--max-turns', String(ask.maxSteps)],
			...permissions(ask),
			...(ask.session === null ? ['--session-id', ask.sessionId] : ['--resume', ask.session]),
		],
		env: {
			CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
			DISABLE_TELEMETRY: '1',
			DISABLE_ERROR_REPORTING: '1',
			DISABLE_AUTOUPDATER: '1',
			// The default of 10 spends three minutes on a bad key; what is worth a wait is waited for by the dispatcher.
			CLAUDE_CODE_MAX_RETRIES: '2',
		},
		prompt: 'stdin',
		output: 'jsonl',
		files: {},
	}),
	read: (event) => {
		switch (textAt(event, 'type')) {
			case 'system':
				return system(event);
			case 'rate_limit_event':
				return rateLimit(event);
			case 'assistant':
				return assistant(event);
			case 'stream_event':
				return partial(event);
			case 'result':
				return textAt(event, 'subtype') === null ? [] : result(event);
			default:
				return [];
		}
	},
	care: {
		versionArgs: ['--version'],
		knownVersions: ['2.1.'],
		install: 'npm install -g @anthropic-ai/claude-code',
		login: 'claude auth login',
		loginSigns: [
			{ variable: 'ANTHROPIC_API_KEY' },
			{ variable: 'ANTHROPIC_AUTH_TOKEN' },
			{ variable: 'CLAUDE_CODE_OAUTH_TOKEN' },
			{ file: '.credentials.json', below: 'CLAUDE_CONFIG_DIR' },
			{ file: '.claude/.credentials.json' },
		],
	},
};

/** `dontAsk` refuses what is not pre-approved; reading and commands the CLI knows to be harmless still run. */
function permissions(ask: Ask): readonly string[] {
	return ask.access === 'read'
		? ['--permission-mode', 'dontAsk', '--allowedTools', 'Read,Grep,Glob', '--disallowedTools', 'Edit,Write,NotebookEdit']
		: ['--permission-mode', 'acceptEdits', '--allowedTools', 'Bash'];
}

function system(event: unknown): readonly Reading[] {
	const session = textAt(event, 'session_id');
	const opened: readonly Reading[] = session === null ? [] : [{ kind: 'session', id: session }];
	if (textAt(event, 'subtype') !== 'api_retry') return textAt(event, 'subtype') === 'init' ? opened : [];
	const kind = textAt(event, 'error') ?? 'unknown';
	const delay = numberAt(event, 'retry_delay_ms') ?? 0;
	// The first delay of a rate limit is the server's; later ones, and short ones, are the CLI's own patience.
	const asked = kind === 'rate_limit' && valueAt(event, 'attempt') === 1 && delay >= 1000;
	return [
		complain({
			class: classOf(kind),
			message: `${kind}, trying again`,
			status: numberAt(event, 'error_status'),
			retryAfterSec: asked ? delay / 1000 : null,
			final: false,
		}),
	];
}

/** Subscription plans announce their window; only a rejected request is a complaint. */
function rateLimit(event: unknown): readonly Reading[] {
	if (textAt(event, 'rate_limit_info', 'status') !== 'rejected') return [];
	const resets = numberAt(event, 'rate_limit_info', 'resetsAt');
	const resetAt = resets === null || resets > 4e9 ? null : new Date(resets * 1000).toISOString();
	return [complain({ class: 'rate_limit', message: 'the plan’s usage limit is reached', resetAt, final: false })];
}

/** One content block a line; lines of one message repeat its id. Its `output_tokens` is only the first of them. */
function assistant(event: unknown): readonly Reading[] {
	const blocks = listAt(event, 'message', 'content');
	const words = blocks.map((block) => textAt(block, 'text')).filter((text) => text !== null);
	if (textAt(event, 'message', 'model') === '<synthetic>') {
		const kind = textAt(event, 'error');
		return kind === null ? [] : [complain({ class: classOf(kind), message: words.join('\n') || kind, final: false })];
	}
	const id = textAt(event, 'message', 'id');
	if (id === null) return [];
	const input = numberAt(event, 'message', 'usage', 'input_tokens');
	const cached = numberAt(event, 'message', 'usage', 'cache_read_input_tokens');
	const written = numberAt(event, 'message', 'usage', 'cache_creation_input_tokens');
	const main = (valueAt(event, 'parent_tool_use_id') ?? null) === null;
	return [
		{ kind: 'step', id },
		{ kind: 'usage', mode: 'add', id, ...tokens(input, cached, written, null) },
		...(main && words.length > 0 ? [{ kind: 'text', mode: 'replace', text: words.join('\n') } as const] : []),
	];
}

/** The only place where output tokens are told while a message is made. */
function partial(event: unknown): readonly Reading[] {
	if (textAt(event, 'event', 'type') !== 'message_delta') return [];
	const output = numberAt(event, 'event', 'usage', 'output_tokens');
	return output === null ? [] : [{ kind: 'usage', mode: 'add', ...tokens(null, null, null, output) }];
}

function result(event: unknown): readonly Reading[] {
	const session = textAt(event, 'session_id');
	const turns = numberAt(event, 'num_turns');
	const cost = numberAt(event, 'total_cost_usd');
	return [
		...(session === null ? [] : [{ kind: 'session', id: session } as const]),
		...(turns === null ? [] : [{ kind: 'turns_reported', turns } as const]),
		{ kind: 'usage', mode: 'total', ...totals(event) },
		...(cost === null ? [] : [{ kind: 'cost', mode: 'total', usd: cost } as const]),
		...outcome(event),
	];
}

/** `usage` leaves out the response a limit was hit in; `modelUsage` has it. */
function totals(event: unknown) {
	const models = entriesAt(event, 'modelUsage');
	if (models.length > 0) {
		const of = (key: string) => sumOf(models, key);
		return tokens(of('inputTokens'), of('cacheReadInputTokens'), of('cacheCreationInputTokens'), of('outputTokens'));
	}
	const of = (key: string) => numberAt(event, 'usage', key);
	return tokens(of('input_tokens'), of('cache_read_input_tokens'), of('cache_creation_input_tokens'), of('output_tokens'));
}

/** `subtype: success` also stands on API errors: `is_error` is what counts. */
function outcome(event: unknown): readonly Reading[] {
	const answer = textAt(event, 'result') ?? '';
	const subtype = textAt(event, 'subtype');
	const stop = textAt(event, 'stop_reason');
	const good = subtype === 'success' && valueAt(event, 'is_error') === false;
	if (good && stop !== 'max_tokens' && stop !== 'refusal') {
		return [
			{ kind: 'text', mode: 'replace', text: answer },
			{ kind: 'final', success: true },
		];
	}
	const errors = listAt(event, 'errors').filter((error) => typeof error === 'string' && !error.startsWith('[ede_diagnostic]'));
	const message = errors.join('; ') || answer || subtype || 'the run failed';
	const known = good ? (stop === 'refusal' ? 'refusal' : 'truncated') : own(endings, textAt(event, 'terminal_reason') ?? '');
	const named = known ?? (subtype === null ? undefined : own(endings, subtype));
	return [complain({ class: named, message, status: numberAt(event, 'api_error_status'), final: true }), { kind: 'final', success: false }];
}

const endings: Readonly<Record<string, ServantComplaint['class']>> = {
	error_max_turns: 'max_steps',
	error_max_budget_usd: 'budget',
	max_turns: 'max_steps',
	prompt_too_long: 'prompt_too_large',
	aborted_tools: 'interrupted',
	aborted_streaming: 'interrupted',
};

const errorKinds: Readonly<Record<string, ServantComplaint['class']>> = {
	authentication_failed: 'auth',
	billing_error: 'quota',
	rate_limit: 'rate_limit',
	model_not_found: 'config_error',
	server_error: 'provider_unavailable',
	overloaded: 'provider_unavailable',
	max_output_tokens: 'truncated',
};

const classOf = (kind: string): ServantComplaint['class'] => own(errorKinds, kind) ?? null;

/** This API lists cached and cache-writing input beside `input_tokens`, not inside; prices apply to all of it. */
function tokens(input: number | null, cached: number | null, written: number | null, output: number | null) {
	const billedInput = input === null ? null : input + (cached ?? 0) + (written ?? 0);
	return {
		usage: { input_tokens: input, cached_input_tokens: cached, output_tokens: output },
		billed: { input_tokens: billedInput, cached_input_tokens: cached, output_tokens: output },
	};
}
