import type { DispatchFile } from './dispatch-file.ts';
import type { PipelineFile } from './pipeline-file.ts';
import type { ServantFile } from './servant-file.ts';

/**
 * One layer of configuration, already merged within itself. `providers.<tool>` of dispatch.yaml is merged into
 * `servants` (its `model` as `default_model`), so readers look in one place.
 */
export interface ConfigLayer {
	readonly servants: Readonly<Record<string, ServantFile>>;
	readonly pipelines: Readonly<Record<string, PipelineFile>>;
	readonly dispatch: DispatchFile;
}

/** Path to a value: `['servants', 'codex', 'default_model']`, `['pipelines', 'review', 'profiles', 'x', 'stages']`, `['dispatch', 'provider']`. */
export type ConfigPath = readonly string[];

export interface Config {
	/** What the user wrote: user files under project files. Walked first. */
	readonly user: ConfigLayer;
	/** The package's defaults. Walked second. */
	readonly defaults: ConfigLayer;
	/** Both, for everything that is not a precedence list. */
	readonly merged: ConfigLayer;
	/** `configs/pipeline/review.yaml:14:9` for a value of the user's, `package default` for one of the package's, undefined if that layer has none. */
	readonly source: (layer: 'user' | 'defaults', path: ConfigPath) => string | undefined;
}
