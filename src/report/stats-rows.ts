/**
 * `dispatch stats --json` prints `{ rows: StatsRow[], total: StatsRow }`: a row per servant, role and model, the most calls
 * first. What no record knows is null; sums are of what is known.
 */
export interface StatsRow {
	readonly tool: string | null;
	readonly role: string | null;
	readonly model: string | null;
	readonly calls: number;
	readonly passed: number;
	/** 0–1 */
	readonly success_rate: number;
	readonly p50_sec: number | null;
	readonly p95_sec: number | null;
	readonly steps: number | null;
	readonly input_tokens: number | null;
	readonly cached_input_tokens: number | null;
	readonly output_tokens: number | null;
	readonly cost_usd: number | null;
	/** Calls whose cost is not known. */
	readonly cost_unknown: number;
	/** Failures by class. */
	readonly failures: Readonly<Record<string, number>>;
}

export interface StatsDocument {
	readonly rows: readonly StatsRow[];
	readonly total: StatsRow;
}

/** From meta records of any age, read as they were parsed: what is missing is unknown, what is no record at all is passed over. */
export function statsRows(metas: Iterable<unknown>): StatsDocument {
	const records = [...metas].flatMap((meta) => readRecord(meta) ?? []);
	const groups = new Map<string, StatRecord[]>();
	for (const record of records) {
		const key = JSON.stringify([record.tool, record.role, record.model]);
		groups.set(key, [...(groups.get(key) ?? []), record]);
	}
	const rows = [...groups.values()].map((group) => rowOf(group, group[0]!));
	const name = (row: StatsRow) => [row.tool, row.role, row.model].join(' ');
	rows.sort((a, b) => b.calls - a.calls || (name(a) < name(b) ? -1 : 1));
	return { rows, total: rowOf(records, { tool: null, role: null, model: null }) };
}

interface StatRecord {
	readonly tool: string;
	readonly role: string | null;
	readonly model: string | null;
	readonly outcome: string;
	readonly durationSec: number | null;
	readonly steps: number | null;
	readonly usage: Readonly<Record<'input_tokens' | 'cached_input_tokens' | 'output_tokens', number | null>>;
	readonly costUsd: number | null;
}

/** null for an attempt that never came as far as a servant, too. */
function readRecord(value: unknown): StatRecord | null {
	const meta = fieldsOf(value);
	const tool = text(meta.tool);
	if (tool === null || (meta.prompt_sha256 === null && meta.exit_code === null)) return null;
	const usage = fieldsOf(meta.usage);
	const steps = [meta.num_steps_computed, meta.num_steps_reported, meta.num_turns_reported, meta.num_turns_computed, meta.num_turns];
	return {
		tool,
		role: text(meta.role) ?? roleIn(text(meta.stage)),
		model: text(meta.model),
		outcome: outcomeOf(text(meta.outcome) ?? text(meta.failure_reason), number(meta.exit_code)),
		durationSec: number(meta.duration_sec),
		steps: steps.map(number).find((n) => n !== null) ?? null,
		usage: {
			input_tokens: number(usage.input_tokens),
			cached_input_tokens: number(usage.cached_input_tokens),
			output_tokens: number(usage.output_tokens),
		},
		costUsd: number(meta.cost_usd),
	};
}

/** Old records name the step limit `MAX_TURNS`, and the oldest only know an exit code. */
function outcomeOf(outcome: string | null, exitCode: number | null): string {
	const word = outcome?.toLowerCase() ?? (exitCode === 0 ? 'passed' : 'unknown');
	return word === 'max_turns' ? 'max_steps' : word;
}

function rowOf(records: readonly StatRecord[], { tool, role, model }: Pick<StatsRow, 'tool' | 'role' | 'model'>): StatsRow {
	const passed = records.filter((record) => record.outcome === 'passed').length;
	const durations = known(records.map((record) => record.durationSec)).sort((a, b) => a - b);
	const failures: Record<string, number> = {};
	for (const { outcome } of records) if (outcome !== 'passed') failures[outcome] = (failures[outcome] ?? 0) + 1;
	return {
		tool,
		role,
		model,
		calls: records.length,
		passed,
		success_rate: records.length === 0 ? 0 : passed / records.length,
		p50_sec: percentile(durations, 0.5),
		p95_sec: percentile(durations, 0.95),
		steps: sum(records.map((record) => record.steps)),
		input_tokens: sum(records.map((record) => record.usage.input_tokens)),
		cached_input_tokens: sum(records.map((record) => record.usage.cached_input_tokens)),
		output_tokens: sum(records.map((record) => record.usage.output_tokens)),
		cost_usd: sum(records.map((record) => record.costUsd)),
		cost_unknown: records.filter((record) => record.costUsd === null).length,
		failures,
	};
}

/** The smallest value that this share of all values does not exceed. */
const percentile = (sorted: readonly number[], share: number): number | null => sorted[Math.ceil(sorted.length * share) - 1] ?? null;

const known = (values: readonly (number | null)[]): number[] => values.filter((n) => n !== null);
const sum = (values: readonly (number | null)[]): number | null => {
	const numbers = known(values);
	return numbers.length === 0 ? null : numbers.reduce((total, n) => total + n, 0);
};

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
	typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const number = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null);
const roleIn = (stage: string | null): string | null => stage?.replace(/^[^_]*_/, '').replace(/-\d+$/, '') ?? null;
