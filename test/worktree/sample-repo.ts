import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { TreeChange } from '../../src/contract/evidence.ts';
import type { Outcome } from '../../src/contract/outcome.ts';
import type { TreeSnapshot } from '../../src/contract/tree-snapshot.ts';
import { changesBetween } from '../../src/gate/compare.ts';
import { deniedBy } from '../../src/gate/scope.ts';
import { committedBetween } from '../../src/worktree/committed.ts';
import { takeSnapshot } from '../../src/worktree/snapshot.ts';

/** A git repository in a temporary directory, removed at the end of the test. */
export class SampleRepo implements Disposable {
	readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'dispatch-tree-')));
	readonly dir: string;

	constructor(
		files: Readonly<Record<string, string>> = {
			'src/a.ts': 'a\n',
			'src/b.ts': 'b\n',
			'docs/x.md': 'x\n',
			'.gitignore': '.tmp/\n*.secret\n',
		},
	) {
		this.dir = join(this.home, 'repo');
		mkdirSync(this.dir);
		this.git('init', '-q', '-b', 'main');
		this.git('config', 'user.name', 'Ada');
		this.git('config', 'user.email', 'ada@example.com');
		for (const [path, text] of Object.entries(files)) this.write(path, text);
		if (Object.keys(files).length > 0) this.commit('first');
	}

	git(...args: string[]): string {
		return execFileSync('git', ['-c', 'protocol.file.allow=always', ...args], {
			cwd: this.dir,
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'pipe'],
		}).trimEnd();
	}

	commit(message: string): string {
		this.git('add', '-A');
		this.git('commit', '-q', '-m', message);
		return this.git('rev-parse', 'HEAD');
	}

	path(path: string): string {
		return join(this.dir, path);
	}

	write(path: string, text: string): void {
		mkdirSync(dirname(this.path(path)), { recursive: true });
		writeFileSync(this.path(path), text);
	}

	async snapshot(options: { deny?: string[]; guard?: string[]; tree?: boolean; dir?: string } = {}): Promise<TreeSnapshot> {
		const taken = await takeSnapshot({
			dir: options.dir ?? this.dir,
			denied: options.deny === undefined ? null : deniedBy(options.deny),
			guard: options.guard ?? [],
			scratch: options.tree === true ? this.home : null,
		});
		const snapshot = got(taken);
		if (snapshot === null) throw new Error('not in git');
		// It must survive being kept in a file.
		return JSON.parse(JSON.stringify(snapshot)) as TreeSnapshot;
	}

	async changes(before: TreeSnapshot, options: Parameters<SampleRepo['snapshot']>[0] = {}): Promise<TreeChange[]> {
		const after = await this.snapshot(options);
		return changesBetween(before, after, got(await committedBetween({ dir: options.dir ?? this.dir, before, after })));
	}

	/** What changed while `act` ran, as `kind path`. */
	async during(act: () => void, options: Parameters<SampleRepo['snapshot']>[0] = {}): Promise<string[]> {
		const before = await this.snapshot(options);
		act();
		return (await this.changes(before, options)).map(({ kind, path }) => `${kind} ${path}`);
	}

	[Symbol.dispose](): void {
		rmSync(this.home, { recursive: true, force: true });
	}
}

export function got<T>(outcome: Outcome<T, string>): T {
	if (!outcome.ok) expect.fail(outcome.failures.join('; '));
	return outcome.value;
}
