import { builtInTools } from '../contract/built-in-tools.ts';
import type { Complaint } from '../contract/complaint.ts';
import type { ConfigLayer } from '../contract/config.ts';
import { checkDescribed } from './check-described.ts';
import { checkLegacy } from './check-legacy.ts';
import { checkProfiles } from './check-profiles.ts';
import { checkServants } from './check-servants.ts';
import { checkSettings } from './check-settings.ts';
import type { ConfigFacts } from './config-facts.ts';
import { type Part, winnerAmong } from './part.ts';

/** What no file can know by itself: whether the names in it mean anything, and which of its words still count. */
export function checkConfig({
	merged,
	parts,
	files,
}: {
	merged: ConfigLayer;
	parts: readonly Part[];
	files: readonly string[];
}): readonly Complaint[] {
	const facts: ConfigFacts = { merged, parts, configured: new Set([...builtInTools, ...files]), winner: winnerAmong(parts) };
	return [...checkServants(facts), ...checkDescribed(facts), ...checkSettings(facts), ...checkProfiles(facts), ...checkLegacy(facts)];
}
