import { Rig, say } from '../rig.ts';

/** Packets `p…` are explored by a fake servant that notes who began and who ended, and waits for `$SEEN/go-<id>` if `$SEEN/hold-<id>` is there. */
export async function queueRig({ maxConcurrent, lasts = '0.02' }: { maxConcurrent?: number; lasts?: string } = {}): Promise<Rig> {
	const rig = await Rig.create();
	await rig.write('configs/dispatch.yaml', 'provider: fake\n');
	const script = [
		`id=$(sed -n 's/.*Goal of \\([A-Za-z0-9-]*\\).*/\\1/p' | head -n 1)`,
		'echo "begin $id" >> "$SEEN/log"',
		`if [ -e "$SEEN/hold-$id" ]; then while [ ! -e "$SEEN/go-$id" ]; do sleep 0.02; done; else sleep ${lasts}; fi`,
		'[ -e "$SEEN/bad-$id" ] && { echo "end $id" >> "$SEEN/log"; echo broken >&2; exit 3; }',
		'echo "end $id" >> "$SEEN/log"',
		say('It holds one file.'),
	].join('\n');
	await rig.textServant('fake', script, maxConcurrent === undefined ? {} : { max_concurrent: maxConcurrent });
	return rig;
}

export const explore = (rig: Rig, id: string, more: object = {}): Promise<void> => rig.packet(id, { task_type: 'explore', ...more });

export const begun = (rig: Rig): string[] => rig.seen('log').flatMap((line) => (line.startsWith('begin ') ? [line.slice(6)] : []));
