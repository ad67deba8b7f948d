import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findRoot, packageDir } from '../../src/config/find-root.ts';
import { fail, pass } from '../../src/contract/outcome.ts';
import { packageRoot, project } from './project.ts';

test('the root is what -C says, else the nearest with packets or configuration, else the git top level, else here', () => {
	using made = project({
		'a/.git/HEAD': '',
		'a/b/configs/dispatch.yaml': '',
		'a/b/c/d/x': '',
		'a/e/.tmp/task/x': '',
		'a/e/f/x': '',
		'g/x': '',
	});
	const at = (path: string) => join(made.root, path);
	expect(findRoot(at('a/b/c/d'), '..')).toEqual(pass(at('a/b/c')));
	expect(findRoot(at('a/b/c/d'))).toEqual(pass(at('a/b')));
	expect(findRoot(at('a/e/f'))).toEqual(pass(at('a/e')));
	mkdirSync(at('a/h/i'), { recursive: true });
	expect(findRoot(at('a/h/i'))).toEqual(pass(at('a')));
	expect(findRoot(at('g'))).toEqual(pass(at('g')));
});

test("a packet's worktree is part of its project; what has packets of its own in one is not", () => {
	using made = project({
		'a/.tmp/task/x': '',
		'a/.tmp/worktree/w/.git': '',
		'a/.tmp/worktree/w/configs/dispatch.yaml': '',
		'a/.tmp/worktree/w/src/x': '',
		'a/.tmp/worktree/w/.tmp/demo/configs/dispatch.yaml': '',
		'a/.tmp/worktree/nested/.tmp/task/x': '',
		'b/.tmp/worktree/w/configs/dispatch.yaml': '',
	});
	const at = (path: string) => join(made.root, path);
	expect(findRoot(at('a/.tmp/worktree/w/src'))).toEqual(pass(at('a')));
	expect(findRoot(at('a/.tmp/worktree/w'), '.')).toEqual(pass(at('a/.tmp/worktree/w')));
	expect(findRoot(at('a/.tmp/worktree/w/.tmp/demo'))).toEqual(pass(at('a/.tmp/worktree/w/.tmp/demo')));
	expect(findRoot(at('a/.tmp/worktree/nested'))).toEqual(pass(at('a/.tmp/worktree/nested')));
	expect(findRoot(at('b/.tmp/worktree/w'))).toEqual(pass(at('b/.tmp/worktree/w')));
});

test('a -C that is no directory is no root', () => {
	using made = project({ 'a/file': '' });
	expect(findRoot(made.root, 'nope')).toEqual(fail('there is no directory "nope"'));
	expect(findRoot(made.root, 'a/file')).toEqual(fail('there is no directory "a/file"'));
	expect(findRoot(made.root, 'a/file/x')).toEqual(fail('there is no directory "a/file/x"'));
});

test('the package is found from its own sources', () => {
	expect(packageDir()).toBe(packageRoot);
});
