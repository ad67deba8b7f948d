import { describe, expect, test } from 'vitest';
import type { TreeChange } from '../../src/contract/evidence.ts';
import { deniedBy, outOfScope } from '../../src/gate/scope.ts';

const changed = (...paths: string[]): TreeChange[] => paths.map((path) => ({ path, kind: 'modified' }));

describe('a writing stage', () => {
	test.each<[string, string[], string[], string, boolean]>([
		['a prefix covers what is below', ['src'], [], 'src/deep/a.ts', true],
		['a prefix with a slash too', ['src/'], [], 'src/a.ts', true],
		['a prefix is a whole name', ['src'], [], 'srcs/a.ts', false],
		['a glob', ['src/**/*.ts'], [], 'src/a.ts', true],
		['a glob sees dot files', ['**'], [], '.github/workflows/x.yml', true],
		['a star stays in its directory', ['src/*.ts'], [], 'src/deep/a.ts', false],
		['a glob that names directories covers what is below', ['packages/*'], [], 'packages/a/src/x.ts', true],
		['brackets in a real name', ['app/[id]'], [], 'app/[id]/page.tsx', true],
		['dots are resolved in patterns', ['./src/../lib'], [], 'lib/a', true],
		['a leading slash means the root', ['/src'], [], 'src/a', true],
		['the whole workspace', ['.'], [], 'anything', true],
		['an exclusion in the list of allowed', ['src/**', '!src/gen/**'], [], 'src/gen/x', false],
		['an exclusion allows nothing', ['!src/gen/**'], [], 'docs/x', false],
		['nothing is allowed by default', [], [], 'a', false],
		['an empty pattern allows nothing', [''], [], 'a', false],
		['a denial wins', ['src'], ['src/secret'], 'src/secret/key', false],
		['a denial in any case', ['**'], ['.env'], '.ENV', false],
		['a glob denial in any case', ['**'], ['**/*.pem'], 'conf/Key.PEM', false],
		['an allowance in its own case only', ['src'], [], 'SRC/a', false],
		['decomposed characters are the same file', ['**'], ['gehe\u0308im'], 'gehëim', false],
		['beside the workspace', ['**'], [], '../other/x', false],
		['a way around with dots', ['src'], [], 'src/../docs/x', false],
		["git's own directory", ['**'], [], 'sub/.GIT/hooks/x', false],
		['a name that only resembles it', ['**'], [], '.gitignore', true],
	])('%s', (_, allow, deny, path, inside) => {
		expect(outOfScope(changed(path), { allow, deny }, 'write')).toHaveLength(inside ? 0 : 1);
	});
	test.each([
		['docs/x', []],
		['../outside', ['src/link -> ../outside']],
		['/etc/passwd', ['src/link -> /etc/passwd']],
		['src/../Secret/key', ['src/link -> Secret/key']],
		['.git/hooks', ['src/link -> .git/hooks']],
	])('a symlink to %s', (target, expected) => {
		expect(outOfScope([{ path: 'src/link', kind: 'added', target }], { allow: ['src'], deny: ['secret'] }, 'write')).toEqual(expected);
	});
	test('both ends of a rename count, and all paths are listed', () => {
		expect(outOfScope(changed('z', 'src/a', 'docs/a'), { allow: ['src'], deny: [] }, 'write')).toEqual(['docs/a', 'z']);
	});
	test('ignored files count only where they are denied, protected ones always', () => {
		const changes: TreeChange[] = [
			{ path: 'node_modules/x', kind: 'added', ignored: true },
			{ path: 'conf/.env', kind: 'modified', ignored: true },
			{ path: '.tmp/task/t1/manifest.yaml', kind: 'modified', protected: true },
		];
		expect(outOfScope(changes, { allow: ['**'], deny: ['conf'] }, 'write')).toEqual(['.tmp/task/t1/manifest.yaml', 'conf/.env']);
	});
});

test('a reading stage may change nothing but ignored files', () => {
	const changes: TreeChange[] = [
		...changed('src/a'),
		{ path: 'dist/x', kind: 'added', ignored: true },
		{ path: 'keys/x', kind: 'added', ignored: true },
	];
	expect(outOfScope(changes, { allow: ['**'], deny: ['keys'] }, 'read')).toEqual(['keys/x', 'src/a']);
});

test('a pattern of any length and shape throws nothing', () => {
	for (const pattern of ['a'.repeat(100_000), `${'**/'.repeat(2000)}x`, '[', '{', '(((', '*('.repeat(50), '\\', '\0']) {
		expect(deniedBy([pattern])('src/a.ts')).toBe(false);
	}
});
