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

test('a -C that is no directory is no root', () => {
	using made = project({ 'a/file': '' });
	expect(findRoot(made.root, 'nope')).toEqual(fail('there is no directory "nope"'));
	expect(findRoot(made.root, 'a/file')).toEqual(fail('there is no directory "a/file"'));
	expect(findRoot(made.root, 'a/file/x')).toEqual(fail('there is no directory "a/file/x"'));
});

test('the package is found from its own sources', () => {
	expect(packageDir()).toBe(packageRoot);
});
