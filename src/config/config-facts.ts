import type { ConfigLayer } from '../contract/config.ts';
import type { Part, Winner } from './part.ts';

/** What checks across files look at. */
export interface ConfigFacts {
	readonly merged: ConfigLayer;
	/** Lower layers first. */
	readonly parts: readonly Part[];
	/** Servants that may be named: built in, or with a file of their own in any layer. */
	readonly configured: ReadonlySet<string>;
	readonly winner: Winner;
}
