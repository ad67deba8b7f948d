import type { Command } from './command.ts';

/** All commands. Each is loaded only when it is called. */
export const commandList: readonly {
	readonly name: string;
	readonly summary: string;
	readonly load: () => Promise<{ readonly command: Command }>;
	readonly alias?: string;
}[] = [
	{ name: 'init', summary: 'prepare a repository: configs/, templates/, .tmp/', load: () => import('./init.ts') },
	{ name: 'add', alias: 'new', summary: 'make a packet', load: () => import('./add.ts') },
	{ name: 'validate', summary: 'check one packet, or the whole project', load: () => import('./validate.ts') },
	{ name: 'plan', summary: 'show the stages of a packet, with the source of every value', load: () => import('./plan.ts') },
	{ name: 'run', summary: 'run packets, or continue them', load: () => import('./run.ts') },
	{ name: 'wait', summary: 'wait until a running packet ends, and exit as it does', load: () => import('./wait.ts') },
	{ name: 'stop', summary: 'end a running packet', load: () => import('./stop.ts') },
	{ name: 'work', summary: 'run the next ready packet, or all of them', load: () => import('./work.ts') },
	{ name: 'watch', summary: 'run packets as they are dropped', load: () => import('./watch.ts') },
	{ name: 'status', summary: 'list packets by group', load: () => import('./status.ts') },
	{ name: 'groups', summary: 'list groups', load: () => import('./groups.ts') },
	{ name: 'next', summary: 'list what can run now', load: () => import('./next.ts') },
	{ name: 'show', summary: "show a packet's summary", load: () => import('./show.ts') },
	{ name: 'logs', summary: 'show what a stage wrote', load: () => import('./logs.ts') },
	{ name: 'diff', summary: 'show what a packet changed', load: () => import('./diff.ts') },
	{ name: 'retry', summary: 'run the failed stages anew', load: () => import('./retry.ts') },
	{ name: 'resume', summary: "continue the servant's own session of a failed stage", load: () => import('./resume.ts') },
	{ name: 'review', summary: 'review what a packet implemented', load: () => import('./review.ts') },
	{ name: 'edit', summary: "change a packet's group", load: () => import('./edit.ts') },
	{ name: 'budget', summary: "raise a packet's budget on purpose", load: () => import('./budget.ts') },
	{ name: 'unlock', summary: 'remove the lock of a run that is gone', load: () => import('./unlock.ts') },
	{ name: 'archive', summary: 'put finished packets away', load: () => import('./archive.ts') },
	{ name: 'config', summary: 'show configuration with its sources', load: () => import('./config.ts') },
	{ name: 'doctor', summary: 'check which servants can be used', load: () => import('./doctor.ts') },
	{ name: 'stats', summary: 'calls, success, latency, tokens and cost per servant', load: () => import('./stats.ts') },
	{ name: 'compose', summary: "print a stage's prompt without sending it", load: () => import('./compose.ts') },
	{ name: 'digest', summary: "print the context pack's digest", load: () => import('./digest.ts') },
];

export async function loadCommand(name: string): Promise<Command | null> {
	const entry = commandList.find((one) => one.name === name || one.alias === name);
	return entry === undefined ? null : (await entry.load()).command;
}
