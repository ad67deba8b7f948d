import { join } from 'node:path';
import { own } from '../contract/own.ts';
import type { Reading, Servant, ServantComplaint } from '../contract/servant.ts';
import { complain } from './complain.ts';
import { entriesAt, numberAt, sumOf, textAt, valueAt } from './event-value.ts';

const USAGE_FILE = 'usage.json';

export const copilot: Servant = {
	tool: 'copilot',
	paid: true,
	maxPromptBytes: null,
	env: [
		'COPILOT_GITHUB_TOKEN',
		'GH_TOKEN',
		'GITHUB_TOKEN',
		'GH_HOST',
		'COPILOT_HOME',
		'COPILOT_MODEL',
		'COPILOT_OFFLINE',
		'COPILOT_PROVIDER_API_KEY',
		'COPILOT_PROVIDER_BASE_URL',
		'COPILOT_PROVIDER_BEARER_TOKEN',
		'COPILOT_PROVIDER_TYPE',
		'COPILOT_PROVIDER_WIRE_API',
	],
	cumulativeOnResume: true,
	canResume: true,
	choosesSession: true,
	invocation: (ask) => ({
		command: 'copilot',
		args: [
			...['--output-format', 'json', '--no-color', '--no-auto-update', '--no-ask-user', '--no-remote'],
			...['--disable-builtin-mcps', '--disable-client-telemetry'],
			...['--usage-output-file', join(ask.scratch, USAGE_FILE)],
			...(ask.model === null ? [] : ['--model', ask.model]),
			...(ask.effort === null ? [] : ['--reasoning-effort', ask.effort]),
			// Commands that only read run without being named; everything else would ask, and nobody answers.
			...(ask.access === 'read' ? ['--deny-tool=write'] : ['--allow-tool=write', '--allow-tool=shell']),
			ask.session === null ? `--session-id=${ask.sessionId}` : `--resume=${ask.session}`,
		],
		env: { COPILOT_AUTO_UPDATE: 'false' },
		prompt: 'stdin',
		output: 'jsonl',
		files: {},
	}),
	read: (event) => {
		switch (textAt(event, 'type')) {
			case 'assistant.turn_start':
				return [{ kind: 'step' }];
			case 'assistant.message': {
				const text = valueAt(event, 'data', 'parentToolCallId') === undefined ? textAt(event, 'data', 'content') : null;
				return text === null ? [] : [{ kind: 'text', mode: 'replace', text }];
			}
			case 'model.call_failure': {
				const message = textAt(event, 'data', 'errorMessage') ?? 'a model call failed';
				return [complain({ message, status: numberAt(event, 'data', 'statusCode'), final: false })];
			}
			case 'session.error':
				return [sessionError(event)];
			case 'abort':
				return [
					complain({ class: 'interrupted', message: `aborted: ${textAt(event, 'data', 'reason') ?? 'no reason given'}`, final: true }),
				];
			case 'result':
				return result(event);
			default:
				return [];
		}
	},
	/** The stream tells no tokens; this file is written at the end, unless the program was killed outright. */
	after: ({ scratchFile }) => {
		const models = entriesAt(parsed(scratchFile(USAGE_FILE)), 'modelMetrics');
		if (models.length === 0) return [];
		const of = (key: string) => sumOf(models, 'usage', key);
		const usage = { input_tokens: of('inputTokens'), cached_input_tokens: of('cacheReadTokens'), output_tokens: of('outputTokens') };
		return [{ kind: 'usage', mode: 'total', usage }];
	},
	care: {
		versionArgs: ['--version'],
		knownVersions: ['1.0.'],
		install: 'npm install -g @github/copilot',
		login: 'copilot login',
		loginSigns: [
			{ variable: 'COPILOT_GITHUB_TOKEN' },
			{ variable: 'GH_TOKEN' },
			{ variable: 'GITHUB_TOKEN' },
			{ variable: 'COPILOT_PROVIDER_BASE_URL' },
			// Its own config.json is no sign: it is there from the first launch on, login or not.
			{ file: '.config/gh/hosts.yml' },
		],
	},
};

function sessionError(event: unknown): Reading {
	const message = textAt(event, 'data', 'message') ?? 'the session failed';
	const status = numberAt(event, 'data', 'statusCode');
	const kind = textAt(event, 'data', 'errorType');
	// Its `rate_limit` is any 429, an empty purse included: those words decide.
	const known = status === null && kind !== null ? own(errorTypes, kind) : undefined;
	return complain({ class: known, message, status, final: false });
}

const errorTypes: Readonly<Record<string, ServantComplaint['class']>> = {
	authentication: 'auth',
	authorization: 'auth',
	quota: 'quota',
	rate_limit: 'rate_limit',
	context_limit: 'prompt_too_large',
};

function result(event: unknown): readonly Reading[] {
	const code = valueAt(event, 'exitCode');
	if (typeof code !== 'number') return [];
	const id = textAt(event, 'sessionId');
	return [...(id === null ? [] : [{ kind: 'session', id } as const]), { kind: 'final', success: code === 0 }];
}

function parsed(text: string | null): unknown {
	try {
		return text === null ? null : JSON.parse(text);
	} catch {
		return null;
	}
}
