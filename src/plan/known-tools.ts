import { builtInTools } from '../contract/built-in-tools.ts';
import type { Config } from '../contract/config.ts';

/** Every servant that can be named: those with a file and those that need none. */
export function knownTools(config: Config): ReadonlySet<string> {
	return new Set([...builtInTools, ...Object.keys(config.merged.servants)]);
}
