import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { git, records } from './git.ts';
import { repositoryOf } from './repository.ts';

/**
 * Fills the submodules of a new worktree from the clones that the user's checkout already has: no network, and nothing is written to
 * the shared configuration. Those that the user has not initialised stay empty, as they are in the checkout. Returns warnings.
 */
export async function fillSubmodules({ from, to }: { from: string; to: string }): Promise<string[]> {
	if (!existsSync(join(to, '.gitmodules'))) return [];
	const listed = await git(to, ['config', '-z', '--file', '.gitmodules', '--get-regexp', '^submodule\\..*\\.path$']);
	if (!listed.ok) return [];
	const warnings: string[] = [];
	for (const record of records(listed.value)) {
		const [key = '', path = ''] = record.toString('utf8').split('\n');
		const name = key.slice('submodule.'.length, -'.path'.length);
		const source = repositoryOf(join(from, path));
		if (path === '' || source === null || source.prefix !== '' || source.top === repositoryOf(from)?.top) continue;
		const settings = ['-c', 'protocol.file.allow=always', '-c', `submodule.${name}.url=${source.gitDir}`];
		const filled = await git(to, [...settings, 'submodule', '--quiet', 'update', '--init', '--checkout', '--', path]);
		if (filled.ok) warnings.push(...(await fillSubmodules({ from: source.top, to: join(to, path) })));
		else warnings.push(`submodule ${path} could not be filled from the local clone: ${filled.failures[0]}`);
	}
	return warnings;
}
