import { attemptTmp } from '../packet/names.ts';
import { servantEnv } from '../process/servant-env.ts';
import type { WrapperStart } from '../process/wrapper.ts';
import type { Attempt } from './attempt.ts';
import type { RunContext } from './run-context.ts';

/** The wrapper's own clock is a backstop for when we are gone; while we live, we act first. */
const backstopSec = 60;

/** All that a wrapper is told of its attempt. */
export function wrapperStart(ctx: RunContext, { reserved, names, servant, file, invocation }: Attempt): WrapperStart {
	const hard = reserved.timeout_sec * (reserved.timeout_mode === 'wait_done' ? 4 : 1);
	const tmpdir = attemptTmp(ctx.names.root, reserved.token);
	return {
		command: invocation.command,
		args: invocation.args,
		env: servantEnv({ from: ctx.env, names: [...servant.env, ...(file.env ?? [])], set: invocation.env, token: reserved.token, tmpdir }),
		cwd: ctx.workspace.dir,
		token: reserved.token,
		recordFile: names.record,
		promptFile: invocation.prompt === 'stdin' ? names.prompt : null,
		stdoutFile: invocation.output === 'jsonl' ? names.stream : names.out,
		stderrFile: names.err,
		wrapperErrFile: names.wrapperErr,
		hardLimitSec: hard > 0 ? hard + backstopSec : null,
	};
}
