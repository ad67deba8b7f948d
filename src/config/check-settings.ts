import { builtInTools } from '../contract/built-in-tools.ts';
import type { Complaint } from '../contract/complaint.ts';
import { effortProblem } from '../contract/effort-words.ts';
import type { ServantFile } from '../contract/servant-file.ts';
import type { ConfigFacts } from './config-facts.ts';
import { complainOf, type Part } from './part.ts';
import { valueAt } from './value-at.ts';

/** Settings of a servant file that its program would refuse, or would never hear of. */
export function checkSettings(facts: ConfigFacts): readonly Complaint[] {
	return facts.parts
		.filter(({ at: [kind] }) => kind === 'servants')
		.flatMap((part) => [...effortsIn(part, facts), ...unusedIn(part), ...variablesIn(part)]);
}

function effortsIn(part: Part, { merged }: ConfigFacts): readonly Complaint[] {
	const tool = part.at[1]!;
	const { purpose_efforts = {}, wrapper_defaults } = part.value as ServantFile;
	const efforts: readonly (readonly [readonly string[], string | undefined])[] = [
		...Object.entries(purpose_efforts).map(([purpose, effort]) => [['purpose_efforts', purpose], effort] as const),
		[['wrapper_defaults', 'effort'], wrapper_defaults?.effort],
	];
	return efforts.flatMap(([path, effort]) => {
		const problem = effortProblem(tool, merged.servants[tool], effort);
		return problem === null ? [] : [complainOf(part, path, problem.message, { level: problem.level })];
	});
}

function unusedIn(part: Part): readonly Complaint[] {
	const tool = part.at[1]!;
	const file = part.value as ServantFile;
	const unused = (path: readonly string[], why: string) =>
		valueAt(file, path) === undefined
			? []
			: [complainOf(part, path, `${path.at(-1)} has no effect: ${why}`, { what: 'key', level: 'warning' })];
	return [
		...(tool === 'gemini' ? [] : ofGemini).flatMap((key) => unused(['wrapper_defaults', key], 'only gemini uses it')),
		...(tool === 'codex' || tool === 'replay' ? [] : unused(['step_unit'], 'only codex uses it')),
		...(isBuiltIn(tool) ? ofDescribed : [])
			.filter((key) => tool !== 'replay' || key !== 'args')
			.flatMap((key) => unused([key], `${tool} is built in, and not described by its file`)),
	];
}

const ofGemini = ['approval_mode', 'sandbox'];
const ofDescribed = ['args', 'read_only_args', 'write_args', 'resume_args', 'prompt', 'output', 'stream'];

const isBuiltIn = (tool: string) => (builtInTools as readonly string[]).includes(tool);

/** What looks like a value would be passed to nobody: the servant would go without its key. */
function variablesIn(part: Part): readonly Complaint[] {
	return ((part.value as ServantFile).env ?? []).flatMap((name, i) => {
		if (!name.includes('=')) return [];
		const [meant] = name.split('=', 1);
		return [complainOf(part, ['env', i], `env lists names of variables, and a name cannot hold "="${meant && `; write ${meant}`}`)];
	});
}
