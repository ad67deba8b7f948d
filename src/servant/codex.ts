import type { Ask, Reading, Servant } from '../contract/servant.ts';
import type { ServantFile } from '../contract/servant-file.ts';
import { complain } from './complain.ts';
import { numberAt, textAt } from './event-value.ts';

export const codex = (unit: NonNullable<ServantFile['step_unit']>): Servant => ({
	tool: 'codex',
	paid: true,
	// 1,048,576 characters: more is refused before any model is asked.
	maxPromptBytes: 1_048_576,
	env: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'OPENAI_BASE_URL', 'CODEX_HOME'],
	cumulativeOnResume: true,
	canResume: true,
	invocation: (ask) => ({
		command: 'codex',
		args: [
			'exec',
			...(ask.session === null ? ['--sandbox', sandbox(ask)] : ['resume', ask.session]),
			...['--json', '--skip-git-repo-check'],
			...(ask.model === null ? [] : ['-m', ask.model]),
			// `resume` knows no --sandbox: without this it would fall back to the user's own setting.
			...(ask.session === null ? [] : ['-c', `sandbox_mode="${sandbox(ask)}"`]),
			...['-c', 'approval_policy="never"', '-c', 'analytics.enabled=false'],
			...(ask.effort === null ? [] : ['-c', `model_reasoning_effort=${JSON.stringify(ask.effort)}`]),
			...(ask.session === null ? [] : ['-']),
		],
		env: {},
		prompt: 'stdin',
		output: 'jsonl',
		files: {},
	}),
	read: (event) => {
		switch (textAt(event, 'type')) {
			case 'thread.started': {
				const id = textAt(event, 'thread_id');
				return id === null ? [] : [{ kind: 'session', id }];
			}
			case 'item.completed':
				return item(event, unit);
			case 'error': {
				// Reconnecting notices, and the words of a failure that `turn.failed` repeats.
				const message = textAt(event, 'message');
				return message === null || textAt(event, 'severity') !== null
					? []
					: [complain({ message, status: statusIn(message), final: false })];
			}
			case 'turn.completed':
				return [usage(event), { kind: 'final', success: true }];
			case 'turn.failed': {
				const message = textAt(event, 'error', 'message') ?? 'the turn failed';
				return [complain({ message, status: statusIn(message), final: true }), { kind: 'final', success: false }];
			}
			default:
				return [];
		}
	},
	noise: ['Reading prompt from stdin', 'Reading additional input from stdin'],
	care: {
		versionArgs: ['--version'],
		knownVersions: ['0.169.'],
		install: 'npm install -g @openai/codex',
		login: 'codex login',
		loginSigns: [
			{ variable: 'CODEX_API_KEY' },
			{ variable: 'OPENAI_API_KEY' },
			{ file: 'auth.json', below: 'CODEX_HOME' },
			{ file: '.codex/auth.json' },
		],
	},
});

const sandbox = (ask: Ask): string => (ask.access === 'read' ? 'read-only' : 'workspace-write');

/** A lower bound: a command that the sandbox refused leaves no item. An item of type error is a warning, not work. */
function item(event: unknown, unit: NonNullable<ServantFile['step_unit']>): readonly Reading[] {
	const type = textAt(event, 'item', 'type');
	if (type === null || type === 'error') return [];
	const answer = type === 'agent_message' ? textAt(event, 'item', 'text') : null;
	return [
		...(unit !== 'agent_message' || type === 'agent_message' ? [{ kind: 'step' } as const] : []),
		...(answer === null ? [] : [{ kind: 'text', mode: 'replace', text: answer } as const]),
	];
}

const usage = (event: unknown): Reading => ({
	kind: 'usage',
	mode: 'total',
	usage: {
		input_tokens: numberAt(event, 'usage', 'input_tokens'),
		cached_input_tokens: numberAt(event, 'usage', 'cached_input_tokens'),
		output_tokens: numberAt(event, 'usage', 'output_tokens'),
	},
});

/** `unexpected status 401 Unauthorized: …`, `last status: 429 Too Many Requests` */
function statusIn(message: string): number | null {
	const found = /\bstatus:? ([45]\d\d)\b/.exec(message.slice(0, 4000));
	return found ? Number(found[1]) : null;
}
