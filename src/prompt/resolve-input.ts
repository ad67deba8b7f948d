import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import type { ForbiddenCheck } from './forbidden.ts';

/** Where inputs may really lie. Both with links resolved. */
export interface Ground {
	readonly packet: string;
	readonly root: string;
	readonly forbidden: ForbiddenCheck;
}

export type Resolved =
	| { readonly kind: 'absent' }
	| { readonly kind: 'file'; readonly real: string }
	| { readonly kind: 'dangling' }
	| { readonly kind: 'refused'; readonly reason: string };

/** Follows links as far as they stay inside the packet or the project and reach nothing forbidden. `names` are other names the input goes by. */
export function resolveInput(file: string, label: string, ground: Ground, names: readonly string[] = []): Resolved {
	const own = [file, ...names].map(ground.forbidden).find((pattern) => pattern !== null);
	if (own !== undefined) return { kind: 'refused', reason: `${label} is forbidden by "${own}"` };
	const stats = lstatSync(file, { throwIfNoEntry: false });
	if (stats === undefined) return { kind: 'absent' };
	const target = realOf(file, stats.isSymbolicLink());
	const shown = inside(ground.root, target.path) ? relative(ground.root, target.path) : target.path;
	const pattern = ground.forbidden(target.path);
	if (pattern !== null) return { kind: 'refused', reason: `${label} links to ${shown}, forbidden by "${pattern}"` };
	if (!inside(ground.packet, target.path) && !inside(ground.root, target.path)) {
		return { kind: 'refused', reason: `${label} links to ${shown}, outside the packet and the project` };
	}
	return target.exists ? { kind: 'file', real: target.path } : { kind: 'dangling' };
}

/** Of a link that leads nowhere, where it would lead. */
function realOf(file: string, isLink: boolean): { path: string; exists: boolean } {
	try {
		return { path: realpathSync.native(file), exists: true };
	} catch {
		return { path: isLink ? resolve(dirname(file), readlinkSync(file)) : file, exists: false };
	}
}

const inside = (directory: string, path: string): boolean => path === directory || path.startsWith(directory + sep);
