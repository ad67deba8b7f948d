import { randomBytes } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import type { Manifest } from '../contract/manifest.ts';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import type { TaskType } from '../contract/words.ts';
import { attempt, DiskTrouble, ensureDir, removeTree, sync, writeWhole } from '../packet/disk.ts';
import { archiveDir, packetNames, tasksDir } from '../packet/names.ts';

/** A manifest as `add` writes it. */
export interface NewManifest {
	readonly id: string;
	readonly goal: string;
	readonly type?: TaskType;
	readonly intent?: string;
	readonly group?: string;
	readonly basedOn?: string;
	readonly dependsOn?: readonly string[];
	readonly review?: boolean;
	readonly sameBranch?: boolean;
	readonly provider?: string;
	readonly model?: string;
	readonly allow?: readonly string[];
	readonly deny?: readonly string[];
	readonly security?: Manifest['security'];
	readonly createdAt: string;
}

/** The manifest's text, in the order a reader wants it. */
export function manifestText(order: NewManifest): string {
	const { dependsOn = [], allow = [], deny = [] } = order;
	const scope = { ...(allow.length > 0 ? { allow } : {}), ...(deny.length > 0 ? { deny } : {}) };
	return stringify(
		{
			task_id: order.id,
			goal: order.goal,
			...(order.type ? { task_type: order.type } : {}),
			...(order.intent ? { routing: { intent: order.intent } } : {}),
			...(order.provider ? { provider: order.provider } : {}),
			...(order.model ? { model: order.model } : {}),
			...(order.group ? { group: order.group } : {}),
			...(order.basedOn ? { based_on: order.basedOn } : {}),
			...(dependsOn.length > 0 ? { depends_on: dependsOn.length === 1 ? dependsOn[0] : dependsOn } : {}),
			...(order.sameBranch ? { same_branch: true } : {}),
			...(order.review ? { create_review: true } : {}),
			...(Object.keys(scope).length > 0 ? { scope } : {}),
			...(order.security ? { security: order.security } : {}),
			created_at: order.createdAt,
		},
		{ lineWidth: 0 },
	);
}

/** Files of a new packet, by their path in it. */
export type PacketFiles = Readonly<Record<string, string | Uint8Array>>;

/** Makes a packet that appears whole or not at all, on disk before this returns. Fails if the id is taken. */
export async function writePacket(root: string, id: string, files: PacketFiles): Promise<Outcome<void, string>> {
	const place = packetNames(root, id).dir;
	const taken = () => fail(`there is a packet "${id}" already (.tmp/task/${id})`);
	if (isTaken(root, id)) return taken();
	// A name that no packet can have: whoever watches the folder takes no notice.
	const beside = join(tasksDir(root), `.${id.slice(0, 80)}.${randomBytes(6).toString('hex')}.tmp`);
	try {
		const written = Object.entries(files).map(([path, data]) => {
			const file = join(beside, path);
			ensureDir(dirname(file));
			writeWhole(file, data);
			return file;
		});
		await sync([...written, ...new Set(written.map((file) => dirname(file)))]);
		attempt('creating', place, () => renameSync(beside, place));
		await sync([tasksDir(root)]);
		return pass(undefined);
	} catch (error) {
		if (error instanceof DiskTrouble && ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(error.code)) return taken();
		throw error;
	} finally {
		removeTree(beside);
	}
}

/** An archived packet keeps its id: others may depend on it. */
export const isTaken = (root: string, id: string): boolean =>
	existsSync(packetNames(root, id).dir) || existsSync(join(archiveDir(root), id));

/** `20241213-design-the-imagetransform-system`, from the day and the goal; `-2`, `-3` … where that is taken. */
export function deriveId(goal: string, now: Date, taken: (id: string) => boolean): string {
	const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
	return freeId(`${day}-${slug(goal)}`, taken);
}

/** The id itself, or the first of `-2`, `-3` … that nobody has. */
export function freeId(wanted: string, taken: (id: string) => boolean): string {
	for (let n = 1; ; n++) {
		const suffix = n === 1 ? '' : `-${n}`;
		const id = `${wanted.slice(0, 100 - suffix.length)}${suffix}`;
		if (!taken(id)) return id;
	}
}

const two = (n: number): string => String(n).padStart(2, '0');

function slug(goal: string): string {
	const words = goal
		.slice(0, 400)
		.normalize('NFKD')
		.replace(/\p{M}/gu, '')
		.toLowerCase()
		.split(/[^a-z0-9]+/)
		.filter((word) => word !== '');
	let made = '';
	for (const word of words) {
		if (made !== '' && made.length + word.length >= 40) break;
		made = made === '' ? word.slice(0, 40) : `${made}-${word}`;
	}
	return made === '' ? 'task' : made;
}
