import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Outcome, pass } from '../contract/outcome.ts';
import type { TreeSnapshot } from '../contract/tree-snapshot.ts';
import { contentOf } from './content.ts';
import { git, records } from './git.ts';
import { isOurs, pathText } from './path-text.ts';
import type { Repository } from './repository.ts';

/** Beyond so many the files are recognised by size and times alone. */
const mostHashedFiles = 500;

/** Files that git ignores and that must not be touched. git lists them: it knows best what it ignores, and walks faster than we could. */
export async function ignoredFiles(repo: Repository, denied: (path: string) => boolean): Promise<Outcome<TreeSnapshot['ignored'], string>> {
	const listed = await git(repo.dir, ['ls-files', '--others', '--ignored', '--exclude-standard', '-z']);
	if (!listed.ok) return listed;
	const paths = records(listed.value)
		.flatMap((raw) => (raw.at(-1) === 0x2f ? filesBelow(repo.dir, pathText(raw).slice(0, -1)) : [raw]))
		.map((raw) => ({ raw, path: pathText(raw) }))
		.filter(({ path }) => !isOurs(path) && denied(path));
	return pass(
		paths.map(({ raw, path }) => {
			const { content, target } = contentOf(Buffer.concat([Buffer.from(`${repo.dir}/`), raw]), repo.dir, paths.length <= mostHashedFiles);
			return { path, content, target };
		}),
	);
}

/** git names an ignored repository as a whole; what it holds is not its business. It is ours, as far as it is denied. */
function filesBelow(dir: string, path: string): Buffer[] {
	if (isOurs(path)) return [];
	try {
		return readdirSync(join(dir, path), { withFileTypes: true }).flatMap((item) => {
			if (item.name === '.git') return [];
			const below = `${path}/${item.name}`;
			return item.isDirectory() ? filesBelow(dir, below) : [Buffer.from(below)];
		});
	} catch {
		return [];
	}
}
