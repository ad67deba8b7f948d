import { manifestDefaults } from '../contract/manifest.ts';
import type { TimeoutMode } from '../contract/words.ts';
import { fromOverride } from './override.ts';
import type { RoutedStage, Situation } from './situation.ts';
import { fromProfile } from './situation.ts';
import type { Walked } from './walk.ts';
import { builtIn, configured, said, walk } from './walk.ts';

/**
 * Seconds an attempt may take. A limit of 0 is none of its own, so that the next level counts; in the end there always is one. The
 * manifest's own default comes last: it is a default like any other.
 */
export function resolveTimeout(situation: Situation, stage: RoutedStage): Walked<number> {
	const { manifest, manifestSource, config } = situation.input;
	const ofServant = configured<number>(config, 'wrapper_defaults.timeout_ms', ['servants', stage.tool, 'wrapper_defaults', 'timeout_ms']);
	const candidates = [
		fromOverride(situation, stage, 'timeout_sec'),
		said('budgets.max_wallclock_sec', manifest.budgets?.max_wallclock_sec, () => manifestSource(['budgets', 'max_wallclock_sec'])),
		...ofServant.map((candidate) => ({ ...candidate, value: candidate.value === undefined ? undefined : candidate.value / 1000 })),
		builtIn<number>(String(manifestDefaults.max_wallclock_sec), manifestDefaults.max_wallclock_sec),
	];
	return walk(candidates.map((candidate) => (candidate.value === 0 ? { ...candidate, refused: 'no limit of its own' } : candidate)));
}

/** What happens at the limit. */
export function resolveTimeoutMode(situation: Situation, stage: RoutedStage): Walked<TimeoutMode> {
	const { manifest, manifestSource, config } = situation.input;
	const path = ['routing', 'pipeline', 'options', 'timeout_mode'];
	return walk<TimeoutMode>([
		// Its value was checked with the other options.
		said(path.join('.'), manifest.routing?.pipeline?.options?.timeout_mode as TimeoutMode | undefined, () => manifestSource(path)),
		...fromProfile<TimeoutMode>(situation, 'options.timeout_mode', ['options', 'timeout_mode']),
		...configured<TimeoutMode>(config, 'wrapper_defaults.timeout_mode', ['servants', stage.tool, 'wrapper_defaults', 'timeout_mode']),
		builtIn<TimeoutMode>('enforce', 'enforce'),
	]);
}
