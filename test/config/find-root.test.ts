import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findRoot, packageDir } from '../../src/config/find-root.ts';
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
	expect(findRoot(at('a/b/c/d'), '..')).toBe(at('a/b/c'));
	expect(findRoot(at('a/b/c/d'))).toBe(at('a/b'));
	expect(findRoot(at('a/e/f'))).toBe(at('a/e'));
	mkdirSync(at('a/h/i'), { recursive: true });
	expect(findRoot(at('a/h/i'))).toBe(at('a'));
	expect(findRoot(at('g'))).toBe(at('g'));
});

test('the package is found from its own sources', () => {
	expect(packageDir()).toBe(packageRoot);
});
