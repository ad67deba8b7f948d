import type { Plan, PlanFlags } from '../contract/plan.ts';
import type { Starter } from '../process/starter.ts';
import type { HaltSwitch } from '../run/halt.ts';
import type { Purse } from '../run/purse.ts';
import type { RunOrder, Standing } from '../run/run-order.ts';
import type { Listener } from './run-console.ts';

export interface RunSettings {
	readonly flags: PlanFlags;
	readonly listener: Listener;
	readonly halt: HaltSwitch;
	readonly purse: Purse;
	readonly starter: Starter;
	readonly wait: boolean;
	readonly resume: boolean;
	/** Leave the packet alone if another worker was faster. */
	readonly sole?: boolean;
	readonly again: RunOrder['again'];
	/** Told each plan before it is run. */
	readonly planned?: (plan: Plan) => void;
	/** How the packet that this review is about stood when we ran it. */
	readonly parent?: Standing | null;
}
