import { lineageOf } from '../queue/lineage.ts';
import { reviewWord } from '../queue/review-word.ts';
import { askedOfReviewed } from '../queue/under-review.ts';
import { openWorkspace } from '../queue/workspace.ts';
import type { OpenedPacket } from '../run/open-packet.ts';
import type { Project } from '../run/project.ts';
import type { RunOrder, Standing } from '../run/run-order.ts';
import type { Call } from './command.ts';
import type { RunSettings } from './run-settings.ts';
import { nextActionOf, summaryText } from './summary-file.ts';

/** A packet that asks for a review tells what came of it. */
export function summaryOf(standing: Standing): string {
	const { names, manifest, status } = standing;
	const reviewed = status === 'completed' && manifest.create_review === true;
	return summaryText(standing, new Date(), reviewed ? reviewWord(names.root, names.id) : null);
}

/** What a run must know of the world: queue, clock, environment, and who listens. */
export function orderFor(
	call: Call,
	project: Project,
	opened: OpenedPacket,
	settings: RunSettings,
	summary: (standing: Standing) => string,
): RunOrder {
	const { manifest } = opened.loaded;
	const root = project.root;
	return {
		opened,
		again: settings.again,
		resume: settings.resume,
		wait: settings.wait,
		sole: settings.sole ?? false,
		command: ['dispatch', ...process.argv.slice(2)].join(' ').slice(0, 200),
		version: call.version,
		halt: settings.halt,
		purse: settings.purse,
		starter: settings.starter,
		env: call.env,
		now: () => new Date(),
		random: Math.random,
		openWorkspace: async (plan) => {
			const place = await openWorkspace({
				root,
				id: opened.names.id,
				manifest,
				plan,
				setup: project.config.merged.dispatch.worktree_setup ?? [],
				env: call.env,
				halt: settings.halt,
				tell: (command) => settings.listener.note(`${opened.names.id}: worktree_setup: ${command}`),
			});
			if (!('problem' in place)) for (const warning of place.warnings) settings.listener.note(`warning: ${warning}`);
			return place;
		},
		lineage: () => lineageOf(root, opened.names.id),
		reviewed: () => askedOfReviewed(root, opened.names.id),
		listen: settings.listener.event,
		summary,
		nextAction: nextActionOf,
	};
}
