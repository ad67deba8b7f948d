import { lstatSync, realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { complainAbout } from '../config/complain-about.ts';
import { byPlace } from '../config/complain-at.ts';
import { type LoadedManifest, parseManifest } from '../config/load-manifest.ts';
import { salvageManifest } from '../config/salvage-manifest.ts';
import type { Complaint } from '../contract/complaint.ts';
import { fail, type Outcome, pass } from '../contract/outcome.ts';
import type { Explanation, Plan, PlanFlags, PlannedStage } from '../contract/plan.ts';
import { foldJournal } from '../journal/fold.ts';
import type { PacketState } from '../journal/packet-state.ts';
import { readJournal } from '../packet/journal-file.ts';
import { linkInTheWay } from '../packet/layout.ts';
import { type PacketNames, packetNames } from '../packet/names.ts';
import { readBytes } from '../packet/read.ts';
import { buildPlan, type PlanFailure, type PlanInput, type PlanWarning } from '../plan/build-plan.ts';
import { keepFlags } from '../plan/keep-flags.ts';
import { resolveStageFor } from '../plan/resolve-again.ts';
import type { Project } from './project.ts';

/** A packet that can be run: manifest and plan, and where it stands. */
export interface OpenedPacket {
	readonly project: Project;
	readonly names: PacketNames;
	readonly loaded: LoadedManifest;
	readonly state: PacketState;
	readonly flags: PlanFlags;
	readonly plan: Plan;
	readonly explanation: Explanation;
	/** The plan's warnings with their places. */
	readonly warnings: readonly PlanWarning[];
	readonly stageFor: (stage: PlannedStage, tool: string) => PlannedStage;
}

/** A complaint and the exit code it means: 2 where a flag is wrong, 3 where a file is. */
export interface Refusal {
	readonly exit: 2 | 3;
	readonly complaint: Complaint;
}

export interface OpenAsk {
	readonly project: Project;
	readonly id: string;
	readonly flags: PlanFlags;
	/** Forget what flags an earlier run was given. */
	readonly fresh?: boolean;
	readonly env: Readonly<Record<string, string | undefined>>;
	/** What the chain says about the manifest: unknown dependencies, cycles. */
	readonly checkChain?: (loaded: LoadedManifest, id: string) => readonly Complaint[];
	/** A manifest that is not yet written. */
	readonly manifest?: string;
}

/** Reads and plans a packet. Nothing is written. */
export function openPacket({ project, id, flags, fresh = false, env, checkChain, manifest }: OpenAsk): Outcome<OpenedPacket, Refusal> {
	const names = packetNames(project.root, id);
	const shown = relative(project.root, names.manifest);
	const wrong = (complaint: Complaint): Refusal => ({ exit: 3, complaint });
	const link = linkInTheWay(names);
	if (link !== null)
		return fail(
			wrong(aboutFile(relative(project.root, link), 'is a symbolic link or no directory: a packet must lie where its name says')),
		);
	if (leadsOut(names.manifest, project.root)) return fail(wrong(aboutFile(shown, 'is a link out of the project')));
	const text = manifest ?? readBytes(names.manifest, 256 * 1024 * 1024);
	if (text === null) return fail(wrong(aboutFile(shown, 'there is no manifest that can be read')));
	const parsed = parseManifest(text, shown, id);
	const salvaged = parsed.ok ? null : salvageManifest(text, shown, id);
	const loaded = parsed.ok ? parsed.value : salvaged?.loaded;
	if (loaded === undefined) return refused(parsed.ok ? [] : parsed.failures.map(wrong));
	const isSpoilt = salvaged?.isSpoilt ?? (() => false);
	const state = foldJournal(readJournal(names.journal));
	const kept = keepFlags(project.config, fresh ? {} : state.flags, flags);
	const input: PlanInput = {
		manifest: loaded.manifest,
		manifestSource: (path) => loaded.source(path),
		config: project.config,
		roles: project.roles.roles,
		flags: kept.flags,
		keptFlags: kept.kept,
		env: { DISPATCH_PROVIDER: env.DISPATCH_PROVIDER, DISPATCH_MODEL: env.DISPATCH_MODEL },
	};
	const built = buildPlan(input);
	const refusalOf = ({ exit, at, what, source, message }: PlanFailure): Refusal => ({
		exit,
		complaint: at === null ? complainAbout(project.root, source ?? shown, message) : loaded.complain(at, message, { what }),
	});
	const chain = checkChain?.(loaded, id) ?? [];
	const failures = built.ok ? [] : built.failures.filter(({ at, source }) => !isSpoilt(at ?? [source === '--model' ? 'model' : '-']));
	const refusals = [...(parsed.ok ? [] : parsed.failures), ...absoluteScope(loaded, project.root), ...chain]
		.map(wrong)
		.concat(failures.map(refusalOf));
	if (!built.ok || refusals.length > 0) return refused(inOrder(refusals, shown));
	return pass({
		project,
		names,
		loaded,
		state,
		flags: kept.flags,
		plan: { ...built.value.plan, warnings: [...kept.warnings, ...built.value.plan.warnings] },
		explanation: built.value.explanation,
		warnings: [...kept.warnings.map((message) => ({ message, at: null, source: null })), ...built.value.warnings],
		stageFor: (stage, tool) => resolveStageFor(tool, input, stage),
	});
}

const refused = ([first, ...rest]: readonly Refusal[]): Outcome<never, Refusal> => fail(first!, ...rest);

/** The manifest's own from its top down, then the other files' and the flags'. */
function inOrder(refusals: readonly Refusal[], manifest: string): readonly Refusal[] {
	const rank = ({ complaint }: Refusal) => (complaint.file === manifest ? '' : complaint.file);
	return refusals.toSorted((a, b) => (rank(a) === rank(b) ? byPlace(a.complaint, b.complaint) : rank(a) < rank(b) ? -1 : 1));
}

const aboutFile = (file: string, message: string): Complaint => ({ level: 'error', file, line: null, col: null, message, excerpt: null });

/** A leading slash means the root of the work tree, so a path of this machine would match nothing, and the stage be paid for in vain. */
function absoluteScope(loaded: LoadedManifest, root: string): Complaint[] {
	const { allow = [], deny = [] } = loaded.manifest.scope ?? {};
	return Object.entries({ allow, deny }).flatMap(([key, paths]) =>
		paths.flatMap((path, at) => {
			if (!isAbsoluteIn(root, path)) return [];
			return [loaded.complain(['scope', key, String(at)], `"${path}" is absolute; write "${relative(root, path) || '.'}"`)];
		}),
	);
}

export const isAbsoluteIn = (root: string, path: string): boolean => path === root || path.startsWith(`${root}/`);

/** What lies there is nobody's manifest, and its lines must not be quoted. */
function leadsOut(file: string, root: string): boolean {
	if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return false;
	try {
		return !realpathSync(file).startsWith(realpathSync(root) + sep);
	} catch {
		return true;
	}
}
