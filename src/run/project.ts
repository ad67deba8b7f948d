import { join, relative, resolve } from 'node:path';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import type { Complaint } from '../contract/complaint.ts';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import type { Servant } from '../contract/servant.ts';
import type { ServantFile } from '../contract/servant-file.ts';
import { type LoadedRoles, loadRoles, type ReadRoles, readRoles } from '../prompt/templates.ts';
import { servantFor } from '../servant/servants.ts';
import { shipped } from './shipped.ts';

/** Configuration and templates of a project: everything that its packets share. */
export interface Project {
	readonly root: string;
	readonly packageDir: string;
	readonly config: LoadedConfig;
	readonly roles: LoadedRoles;
	readonly servantOf: (tool: string) => { readonly servant: Servant; readonly file: ServantFile };
}

export interface ProjectPlaces {
	readonly root: string;
	readonly packageDir: string;
	readonly userDir: string | null;
}

export function openProject(places: ProjectPlaces): Outcome<Project, Complaint> {
	const { root, packageDir, userDir } = places;
	const config = loadConfig({ root, packageDir, userDir, defaults: shipped(packageDir).defaults });
	const roles = loadRoles(...templatePlaces(places));
	const complaints = [...(config.ok ? [] : config.failures), ...(roles.ok ? [] : roles.failures)];
	const [first, ...rest] = complaints;
	if (!config.ok || !roles.ok) return fail(first!, ...rest);
	return pass({ root, packageDir, config: config.value, roles: roles.value, servantOf: servantsOf(config.value, root) });
}

/** The templates of a project that cannot be opened, as far as they can be read. */
export const readableRoles = (places: ProjectPlaces): ReadRoles => readRoles(...templatePlaces(places));

function templatePlaces({ root, packageDir, userDir }: ProjectPlaces): Parameters<typeof loadRoles> {
	const show = (path: string) => (path.startsWith(`${root}/`) ? relative(root, path) : path);
	const dirs = [...(userDir === null ? [] : [join(userDir, 'templates')]), join(root, 'templates')];
	return [dirs, { packed: shipped(packageDir).templates, show }];
}

/** One servant per tool and process: they hold no state. */
function servantsOf(config: LoadedConfig, root: string): Project['servantOf'] {
	const made = new Map<string, { servant: Servant; file: ServantFile }>();
	return (tool) => {
		const known = made.get(tool);
		if (known !== undefined) return known;
		const file = Object.hasOwn(config.merged.servants, tool) ? config.merged.servants[tool]! : {};
		const one = { servant: servantFor(tool, fromRoot(file, root)), file };
		made.set(tool, one);
		return one;
	};
}

/** A path is meant from the project's root: a new worktree need not have what lies there, and what a servant changed in one is not to be run. */
function fromRoot(file: ServantFile, root: string): ServantFile {
	return file.command?.includes('/') ? { ...file, command: resolve(root, file.command) } : file;
}
