import type { DispatchEvent, EventOf } from '../../src/contract/event.ts';
import type { Meta } from '../../src/contract/meta.ts';

const noUsage = { input_tokens: null, cached_input_tokens: null, output_tokens: null };

type Change<T extends DispatchEvent['type']> = Partial<Omit<EventOf<T>, 'type'>>;

/** Events of one packet, a second apart, with everything filled in that a test does not care about. */
export function story(taskId = 't1', start = '2026-03-01T12:00:00.000Z') {
	let clock = Date.parse(start);
	const base = () => {
		const time = new Date(clock).toISOString();
		clock += 1000;
		return { time, task_id: taskId };
	};
	const at = (stage: string, attempt = 1, provider = stage.split('_')[0]!) => ({ ...base(), stage, attempt, provider });
	return {
		run: (plan_stages: string[], change: Change<'run_started'> = {}): EventOf<'run_started'> => ({
			...base(),
			type: 'run_started',
			version: '1',
			pid: 1,
			flags: {},
			rerun: [],
			plan_stages,
			...change,
		}),
		reserved: (stage: string, change: Change<'stage_reserved'> = {}): EventOf<'stage_reserved'> => ({
			...at(stage),
			type: 'stage_reserved',
			kind: 'first',
			token: 'k',
			paid: true,
			role: 'review',
			model: null,
			effort: null,
			timeout_sec: 900,
			timeout_mode: 'enforce',
			max_steps: 50,
			prompt_sha256: 'p',
			prompt_bytes: 1,
			inputs_sha256: 'i',
			session: null,
			boot_id: 'b',
			pid_namespace: 'n',
			host: 'h',
			...change,
		}),
		started: (stage: string, change: Change<'stage_started'> = {}): EventOf<'stage_started'> => ({
			...at(stage),
			type: 'stage_started',
			pid: 2,
			start_time: '1',
			adopted: false,
			...change,
		}),
		progress: (stage: string, change: Change<'stage_progress'> = {}): EventOf<'stage_progress'> => ({
			...at(stage),
			type: 'stage_progress',
			elapsed_sec: 0,
			steps: null,
			cost_usd: null,
			overtime: false,
			activity: null,
			...change,
		}),
		waiting: (stage: string, change: Change<'stage_waiting'> = {}): EventOf<'stage_waiting'> => ({
			...at(stage),
			type: 'stage_waiting',
			class: 'rate_limit',
			until: '2026-03-01T12:30:00.000Z',
			...change,
		}),
		fallback: (stage: string, change: Change<'stage_fallback'> = {}): EventOf<'stage_fallback'> => ({
			...at(stage),
			type: 'stage_fallback',
			from: stage.split('_')[0]!,
			class: 'quota',
			...change,
		}),
		collected: (stage: string, change: Change<'stage_collected'> = {}): EventOf<'stage_collected'> => ({
			...at(stage),
			type: 'stage_collected',
			call: 'used',
			adopted: false,
			...change,
		}),
		passed: (stage: string, change: Change<'stage_finished'> = {}, meta: Partial<Meta> = {}): EventOf<'stage_finished'> => ({
			...at(stage),
			type: 'stage_finished',
			status: 'passed',
			decision: null,
			class: null,
			signature: null,
			reason: null,
			meta: metaOf(stage, meta),
			verdict: null,
			findings: null,
			inputs_sha256: 'i',
			handoff: null,
			next_action: null,
			run_again: [],
			...change,
		}),
		failed: (stage: string, change: Change<'stage_finished'> = {}, meta: Partial<Meta> = {}): EventOf<'stage_finished'> => ({
			...at(stage),
			type: 'stage_finished',
			status: 'failed',
			decision: 'stop',
			class: 'unknown',
			signature: '0123456789abcdef',
			reason: 'it broke',
			meta: metaOf(stage, { outcome: 'unknown', exit_code: 1, out_bytes: null, ...meta }),
			verdict: null,
			findings: null,
			inputs_sha256: null,
			handoff: null,
			next_action: null,
			run_again: [],
			...change,
		}),
		finished: (change: Change<'run_finished'> = {}): EventOf<'run_finished'> => ({
			...base(),
			type: 'run_finished',
			status: 'completed',
			exit_code: 0,
			next_action: '',
			...change,
		}),
	};
}

export function metaOf(stage: string, change: Partial<Meta> = {}): Meta {
	return {
		schema: 1,
		stage,
		tool: stage.split('_')[0]!,
		exit_code: 0,
		start: '2026-03-01T12:00:00.000Z',
		end: '2026-03-01T12:00:12.300Z',
		duration_sec: 12.3,
		prompt_sha256: 'p',
		attempt: 1,
		role: 'review',
		model: null,
		effort: null,
		signal: null,
		outcome: 'passed',
		signature: null,
		reason: null,
		num_steps_reported: null,
		num_steps_computed: 4,
		num_turns_reported: null,
		usage: noUsage,
		cost_usd: 0.02,
		cost_source: 'reported',
		session_id: null,
		out_sha256: 'o',
		out_bytes: 10,
		prompt_bytes: 1,
		adopted: false,
		verdict: null,
		fallback_from: null,
		...change,
	};
}
