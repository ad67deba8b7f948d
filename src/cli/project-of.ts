import { join } from 'node:path';
import { packageDir } from '../config/find-root.ts';
import type { Complaint } from '../contract/complaint.ts';
import { ExitCode } from '../contract/exit-code.ts';
import type { Outcome } from '../contract/outcome.ts';
import type { PlanFlags } from '../contract/plan.ts';
import { findPacket } from '../packet/find-packet.ts';
import { renderComplaints } from '../report/complaints.ts';
import { visible } from '../report/visible.ts';
import { openProject, type Project } from '../run/project.ts';
import { type Call, text, UsageError } from './command.ts';

/** The project's configuration and templates, or an exit code after every complaint was shown. */
export function projectOf(call: Call): Project | number {
	const opened = projectOutcome(call);
	if (opened.ok) return opened.value;
	call.err(`${renderComplaints(opened.failures)}\n`);
	return ExitCode.invalid;
}

export const projectOutcome = (call: Call): Outcome<Project, Complaint> =>
	openProject({ root: call.root, packageDir: packageDir(), userDir: userDir(call.env) });

function userDir(env: NodeJS.ProcessEnv): string | null {
	if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, 'dispatch');
	return env.HOME ? join(env.HOME, '.config', 'dispatch') : null;
}

/** The packet an id or a unique prefix of one means. */
export function packetOf(call: Call, wanted: string): string {
	const found = findPacket(call.root, wanted);
	if (!found.ok) throw new UsageError(visible(found.failures[0]));
	return found.value;
}

export const flagsOf = (call: Call): PlanFlags => ({
	...(text(call, 'provider') ? { provider: text(call, 'provider') } : {}),
	...(text(call, 'force-task-provider') ? { force_task_provider: text(call, 'force-task-provider') } : {}),
	...(text(call, 'model') ? { model: text(call, 'model') } : {}),
});
