import type { Manifest } from '../contract/manifest.ts';
import { own } from '../contract/own.ts';
import type { RoutedStage, Situation } from './situation.ts';
import type { Candidate } from './walk.ts';
import { said } from './walk.ts';

type Override = NonNullable<NonNullable<Manifest['routing']>['stages']>[string];

/** What `routing.stages` of the manifest says of one stage. */
export function fromOverride<K extends keyof Override>(
	{ input }: Situation,
	stage: RoutedStage,
	field: K,
): Candidate<NonNullable<Override[K]>> {
	const key = stage.overrideKey ?? stage.written;
	const path = ['routing', 'stages', key, field];
	const value = stage.overrideKey === null ? undefined : own(input.manifest.routing?.stages, key)?.[field];
	return said(path.join('.'), value ?? undefined, () => input.manifestSource(path));
}
