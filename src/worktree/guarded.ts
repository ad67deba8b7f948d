import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { sha256 } from '../contract/sha256.ts';
import type { TreeSnapshot } from '../contract/tree-snapshot.ts';
import { contentOf } from './content.ts';
import { madeOf } from './made-of.ts';
import type { Repository } from './repository.ts';

type Guarded = TreeSnapshot['guarded'][number];

/** Files of ours that no servant may change, and those of git that make it run programs or look away from files. */
export function guardedFiles(repo: Repository, files: readonly string[]): Guarded[] {
	const ours = files.map((path) => ({ path: relative(repo.dir, path), ...only(contentOf(path, repo.dir)) }));
	const { commonDir, gitDir } = repo;
	const gits = [
		join(commonDir, 'info', 'exclude'),
		join(commonDir, 'info', 'attributes'),
		join(gitDir, 'config.worktree'),
		join(gitDir, 'info', 'sparse-checkout'),
		...hooksIn(join(commonDir, 'hooks')),
		...namesIn(join(commonDir, 'modules')).flatMap((name) => hooksIn(join(commonDir, 'modules', name, 'hooks'))),
	];
	const watched = gits.map((path) => ({ path: labelOf(repo, path), ...only(contentOf(path, repo.dir)) }));
	const config = { path: '.git/config', content: configContent(join(commonDir, 'config')), target: null };
	return [...ours, config, ...watched].filter((file) => file.content !== 'none');
}

const only = ({ content, target }: { content: string; target: string | null }) => ({ content, target });

const labelOf = ({ commonDir, gitDir }: Repository, path: string) =>
	`.git/${relative(path.startsWith(`${commonDir}/`) ? commonDir : gitDir, path)}`;

const hooksIn = (dir: string) =>
	namesIn(dir)
		.filter((name) => !name.endsWith('.sample'))
		.map((name) => join(dir, name));

function namesIn(dir: string): string[] {
	try {
		return readdirSync(dir).sort();
	} catch {
		return [];
	}
}

/** Without what everyday commands write there: `git checkout -b` notes an upstream, `git submodule init` a URL. Neither runs anything. */
function configContent(path: string): string {
	try {
		return madeOf(path, statSync(path, { bigint: true }), configOf) ?? 'none';
	} catch {
		return 'none';
	}
}

function configOf(path: string): string {
	const text = readFileSync(path, 'utf8');
	let section = '';
	const kept = text.split('\n').filter((line) => {
		section = /^\s*\[\s*([A-Za-z0-9.-]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
		const plain = /^\s*(?:\[[^\]]*\]\s*)?(\w*)/.exec(line)?.[1]?.toLowerCase() ?? '';
		if (line.trim() === '') return false;
		// git takes a second section on the same line.
		if (line.indexOf('[') !== line.lastIndexOf('[')) return true;
		if (section === 'branch') return false;
		return !(section === 'submodule' && (plain === '' || plain === 'url' || plain === 'active'));
	});
	return `config:${sha256(kept.join('\n'))}`;
}
