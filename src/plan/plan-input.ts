import type { Config } from '../contract/config.ts';
import type { Manifest } from '../contract/manifest.ts';
import type { PlanFlags } from '../contract/plan.ts';
import type { Roles } from '../contract/role.ts';

export type ManifestPath = readonly string[];

/** All that a plan is made from. */
export interface PlanInput {
	readonly manifest: Manifest;
	/** `manifest.yaml:7:3` for a path of the manifest. */
	readonly manifestSource: (path: ManifestPath) => string;
	readonly config: Config;
	readonly roles: Roles;
	readonly flags: PlanFlags;
	/** Those of the flags that an earlier run was given. */
	readonly keptFlags?: ReadonlySet<keyof PlanFlags> | undefined;
	readonly env: { readonly DISPATCH_PROVIDER?: string | undefined; readonly DISPATCH_MODEL?: string | undefined };
	/** Whether a tool says itself what a call cost; without it, claude does. */
	readonly reportsCost?: ((tool: string) => boolean) | undefined;
}

/** Something worth saying that refuses nothing. */
export type PlanWarning = Pick<PlanFailure, 'message' | 'at' | 'source'>;

export interface PlanFailure {
	/** 2: a flag's value is wrong; 3: the manifest, configuration or environment is. */
	readonly exit: 2 | 3;
	readonly message: string;
	/** Where in the manifest, if it is the manifest's fault. */
	readonly at: ManifestPath | null;
	/** Whether it is the name that is wrong or, as a rule, what it is given. */
	readonly what?: 'key' | 'value' | undefined;
	/** Where else: a place in configuration, a flag, a variable. */
	readonly source: string | null;
}
