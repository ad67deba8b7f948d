import type { Complaint } from '../contract/complaint.ts';
import { effortProblem } from '../contract/effort-words.ts';
import type { ServantFile } from '../contract/servant-file.ts';
import type { ConfigFacts } from './config-facts.ts';
import { complainOf, type Part } from './part.ts';

/** Settings of a servant file that its program would refuse, or would never hear of. */
export function checkSettings(facts: ConfigFacts): readonly Complaint[] {
	return facts.parts.filter(({ at: [kind] }) => kind === 'servants').flatMap((part) => [...effortsIn(part, facts), ...unusedIn(part)]);
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
	const { wrapper_defaults = {} } = part.value as ServantFile;
	const unused = (['approval_mode', 'sandbox'] as const).filter((key) => part.at[1] !== 'gemini' && wrapper_defaults[key] !== undefined);
	return unused.map((key) =>
		complainOf(part, ['wrapper_defaults', key], `${key} has no effect: only gemini uses it`, { what: 'key', level: 'warning' }),
	);
}
