import { ExitCode } from '../contract/exit-code.ts';
import { anotherReview, reviewManifest } from '../queue/auto-review.ts';
import { entryOf } from '../queue/packet-index.ts';
import { openPacket } from '../run/open-packet.ts';
import { sayRefused } from './checked-packet.ts';
import { type Command, routingOptions } from './command.ts';
import { flagsOf, packetOf, projectOf } from './project-of.ts';
import { listenerOptions } from './run-console.ts';
import { runIds } from './run-packets.ts';

export const command: Command = {
	name: 'review',
	summary: 'Makes a review packet for what a packet implemented, <id>-review, and runs it. Called again it makes <id>-review-2.',
	usage: '<id> [--provider TOOL] [--model MODEL]',
	options: { provider: routingOptions.provider, model: routingOptions.model, ...listenerOptions },
	positionals: { min: 1, max: 1 },
	examples: ['dispatch review fix-login', 'dispatch review fix-login --provider codex'],
	run: async (call) => {
		const id = packetOf(call, call.args[0]!);
		const parent = entryOf(call.root, id);
		if (parent?.status !== 'completed') {
			call.err(`${id} is not completed (${parent?.status ?? 'no manifest'}); there is nothing to review yet\n`);
			return ExitCode.blocked;
		}
		const project = await projectOf(call);
		if (typeof project === 'number') return project;
		const flags = flagsOf(call);
		const draft = reviewManifest(call.root, parent);
		// A wrong flag must not leave a packet behind.
		const opened = openPacket({ project, id: draft.id, flags, env: call.env, manifest: draft.text });
		if (!opened.ok) return sayRefused(call, draft.id, opened.failures);
		return runIds(call, [await anotherReview(call.root, parent)], { flags });
	},
};
