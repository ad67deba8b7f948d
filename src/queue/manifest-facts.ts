import { parseManifest } from '../config/load-manifest.ts';
import { manifestMeaning } from '../config/manifest-meaning.ts';
import { readPlainYaml } from '../config/plain-yaml.ts';
import { readYaml } from '../config/read-yaml.ts';
import { valueAt } from '../config/value-at.ts';
import type { Complaint } from '../contract/complaint.ts';
import { Manifest } from '../contract/manifest.ts';
import { TaskType } from '../contract/words.ts';
import { blanking, usablePatterns } from '../prompt/redact.ts';

/** What the queue wants to know of a manifest. */
export interface ManifestFacts {
	/** Without secrets: it is listed, and goes into the manifest of a review. */
	readonly goal: string;
	readonly group: string | null;
	readonly type: TaskType | null;
	readonly intent: string | null;
	/** `based_on` first, then `depends_on`, each once. */
	readonly dependsOn: readonly string[];
	readonly basedOn: string | null;
	readonly createReview: boolean;
	readonly sameBranch: boolean;
	readonly createdAt: string | null;
	/** What its review must keep to as well. */
	readonly security: Manifest['security'] | null;
	/** Why the manifest is invalid; then the rest is what could be made out of it. */
	readonly problems: readonly Complaint[];
}

export function manifestFacts(text: Uint8Array, shown: string, id: string): ManifestFacts {
	const quick = quickly(text, id);
	if (quick !== null) return factsOf(quick);
	const loaded = parseManifest(text, shown, id);
	return loaded.ok ? factsOf(loaded.value.manifest) : salvaged(text, shown, loaded.failures);
}

export function factsOf(manifest: Manifest): ManifestFacts {
	return {
		goal: blanking(manifest.security?.redaction_patterns)(manifest.goal),
		group: manifest.group ?? null,
		type: manifest.task_type ?? null,
		intent: manifest.routing?.intent ?? null,
		dependsOn: dependenciesOf(manifest),
		basedOn: manifest.based_on ?? null,
		createReview: manifest.create_review ?? false,
		sameBranch: manifest.same_branch ?? false,
		createdAt: manifest.created_at ?? null,
		security: manifest.security ?? null,
		problems: [],
	};
}

export function dependenciesOf({ based_on, depends_on = [] }: Pick<Manifest, 'based_on' | 'depends_on'>): string[] {
	return [...new Set([...(based_on === undefined ? [] : [based_on]), ...[depends_on].flat()])];
}

/** A manifest that is plainly written and plainly right; null if it takes the whole reader to tell. */
function quickly(text: Uint8Array, id: string): Manifest | null {
	if (text.length > 16 * 1024) return null;
	const value = readPlainYaml(Buffer.from(text.buffer, text.byteOffset, text.length).toString('utf8'));
	if (value === null || manifestMeaning(value, id).length > 0) return null;
	return Manifest.safeParse(value).data ?? null;
}

/** An invalid packet is listed too, under its group and goal where these can be read. */
function salvaged(text: Uint8Array, shown: string, problems: readonly Complaint[]): ManifestFacts {
	const { value } = readYaml(text, shown);
	const word = (...path: string[]): string | null => {
		const found = valueAt(value, path);
		return typeof found === 'string' && found !== '' ? found : null;
	};
	const type = TaskType.safeParse(word('task_type'));
	const created = word('created_at');
	return {
		goal: blanking(usablePatterns(valueAt(value, ['security', 'redaction_patterns'])))(word('goal') ?? ''),
		group: word('group'),
		type: type.success ? type.data : null,
		intent: word('routing', 'intent'),
		dependsOn: [],
		basedOn: null,
		createReview: false,
		sameBranch: false,
		createdAt: created !== null && !Number.isNaN(Date.parse(created)) ? created : null,
		security: null,
		problems,
	};
}
