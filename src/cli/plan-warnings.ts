import { complainAbout } from '../config/complain-about.ts';
import type { LoadedManifest } from '../config/load-manifest.ts';
import type { Complaint } from '../contract/complaint.ts';
import type { OpenedPacket } from '../run/open-packet.ts';

/** What a plan warns of, as complaints about the manifest or the configuration, where it stands there. */
export function planWarnings({ project, loaded, warnings }: OpenedPacket): Complaint[] {
	return warnings.map(({ message, at, source }) => {
		if (source !== null) return { ...complainAbout(project.root, source, message), level: 'warning' };
		return at === null ? aboutPacket(loaded, message) : loaded.complain(at, message, { level: 'warning' });
	});
}

/** What a look at the checkout warns of, said once of the first packet it concerns. The looking is loaded only where a worktree may be made. */
export async function worktreeWarnings(packets: readonly OpenedPacket[]): Promise<Complaint[]> {
	if (packets.every(({ plan }) => plan.workspace !== 'worktree')) return [];
	const { beginsWorktree, notInTheWorktree } = await import('../queue/worktree-start.ts');
	const first = packets.find(beginsWorktree);
	if (first === undefined) return [];
	return (await notInTheWorktree(first.names.root)).map((message) => aboutPacket(first.loaded, message));
}

function aboutPacket(loaded: LoadedManifest, message: string): Complaint {
	return { ...loaded.complain([], message, { level: 'warning' }), line: null, col: null, excerpt: null };
}
