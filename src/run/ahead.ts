import type { EventOf } from '../contract/event.ts';
import type { PlannedStage } from '../contract/plan.ts';
import { nextAttempt } from '../packet/attempts.ts';
import { randomToken } from '../packet/random-name.ts';
import type { WaitingShell } from '../process/waiting-shell.ts';
import { shellStart } from '../process/wrapper.ts';
import { attemptOf, planned } from './attempt.ts';
import type { RunContext } from './run-context.ts';
import { wrapperStart } from './wrapper-start.ts';

/** The next attempt of a stage before it is reserved. Its wrapper may wait already, and never begins unless it is taken. */
export interface Ahead {
	readonly token: string;
	/** The wrapper, if one was begun for this attempt; null if not, or if that could not be. */
	readonly take: (attempt: number) => Promise<WaitingShell | null> | null;
	/** It will not be taken any more. */
	readonly drop: () => void;
}

/** While the prompt is composed a small shell can start the wrapper for us. */
export function beginAhead(ctx: RunContext, stage: PlannedStage, session: EventOf<'stage_reserved'>['session']): Ahead {
	const token = randomToken(16);
	const attempt = nextAttempt(ctx.names, ctx.journal.state, stage.name);
	let begun = ctx.starter.isLaid
		? ctx.starter.begin(shellStart(wrapperStart(ctx, attemptOf(ctx, stage, planned(stage, { attempt, token, session }), false))))
		: null;
	const drop = () => {
		void begun?.then((shell) => shell?.abandon());
		begun = null;
	};
	return {
		token,
		take: (wanted) => {
			if (wanted !== attempt) drop();
			const mine = begun;
			begun = null;
			return mine;
		},
		drop,
	};
}
