import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative, sep } from 'node:path';
import type { Complaint } from '../contract/complaint.ts';
import type { Config, ConfigLayer, ConfigPath } from '../contract/config.ts';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import { checkConfig } from './check-config.ts';
import { byPlace } from './complain-at.ts';
import { type LoadedLayer, loadLayer } from './load-layer.ts';
import { emptyLayer, mergeLayers } from './merge.ts';
import { layerOf, sourceIn, winnerAmong } from './part.ts';
import { withPlanStages } from './plan-stages.ts';
import { valueAt } from './value-at.ts';

export type LoadedConfig = Config & { readonly warnings: readonly Complaint[] };

export interface ConfigPlaces {
	/** The project's root. */
	readonly root: string;
	readonly packageDir: string;
	/** `$XDG_CONFIG_HOME/dispatch`, or null where there is none. */
	readonly userDir: string | null;
	/** The package's defaults, if they are at hand already: reading them again is half of what a start costs. */
	readonly defaults?: ConfigLayer | undefined;
}

/** All configuration there is: the package's, under the user's, under the project's; or everything that is wrong with it. */
export function loadConfig({ root, packageDir, userDir, defaults }: ConfigPlaces): Outcome<LoadedConfig, Complaint> {
	// In the package's own repository its defaults lie where a project's files would.
	const atHome = sameDirectory(root, packageDir);
	const shipped =
		defaults !== undefined && !atHome
			? { ...nothing, layer: mergeLayers(emptyLayer, defaults) }
			: loadLayer(join(packageDir, 'configs'), (file) => (atHome ? `configs/${file}` : join(packageDir, 'configs', file)));
	const personal = userDir === null ? nothing : loadLayer(userDir, (file) => belowHome(join(userDir, file)));
	const project = atHome ? nothing : loadLayer(join(root, 'configs'), (file) => `configs/${file}`);

	const written = [...personal.parts, ...project.parts];
	const user = layerOf(written);
	const merged = withPlanStages(mergeLayers(shipped.layer, user), shipped.layer);
	const winner = winnerAmong(written);
	const complaints = inFileOrder([
		...[shipped, personal, project].flatMap((loaded) => loaded.complaints),
		...checkConfig({
			merged,
			parts: [...shipped.parts, ...written],
			files: [shipped, personal, project].flatMap((loaded) => loaded.tools).concat(Object.keys(shipped.layer.servants)),
		}),
	]);
	const [first, ...rest] = complaints.filter((complaint) => complaint.level === 'error');
	const warnings = complaints.filter((complaint) => complaint.level === 'warning');
	if (first !== undefined) return fail(first, ...rest, ...warnings);

	const source = (layer: 'user' | 'defaults', path: ConfigPath) => {
		if (layer === 'defaults') return valueAt(shipped.layer, path) === undefined ? undefined : 'package default';
		const part = winner(path);
		return part && sourceIn(part, path);
	};
	return pass({ user, defaults: shipped.layer, merged, source, warnings });
}

/** File by file, each from its top down. */
function inFileOrder(complaints: readonly Complaint[]): readonly Complaint[] {
	return complaints.toSorted((a, b) => (a.file === b.file ? byPlace(a, b) : a.file < b.file ? -1 : 1));
}

const nothing: LoadedLayer = { layer: emptyLayer, parts: [], tools: [], complaints: [] };

function sameDirectory(a: string, b: string): boolean {
	try {
		return realpathSync(a) === realpathSync(b);
	} catch {
		return false;
	}
}

function belowHome(path: string): string {
	const below = relative(homedir(), path);
	return below.startsWith('..') || below.startsWith(sep) ? path : `~/${below}`;
}
