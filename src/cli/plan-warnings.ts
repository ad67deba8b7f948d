import { complainAbout } from '../config/complain-about.ts';
import type { Complaint } from '../contract/complaint.ts';
import type { OpenedPacket } from '../run/open-packet.ts';

/** What a plan warns of, as complaints about the manifest or the configuration, where it stands there. */
export function planWarnings({ project, loaded, warnings }: OpenedPacket): Complaint[] {
	return warnings.map(({ message, at, source }) => {
		if (source !== null) return { ...complainAbout(project.root, source, message), level: 'warning' };
		const complaint = loaded.complain(at ?? [], message, { level: 'warning' });
		return at === null ? { ...complaint, line: null, col: null, excerpt: null } : complaint;
	});
}
