import { describe, expect, test } from 'vitest';
import { forbiddenCheck, forbiddenInDiff } from '../../src/prompt/forbidden.ts';

const check = forbiddenCheck(
	['secrets/', '**/*.pem', './config/prod.yaml', '/abs/olute', '!odd', '/proj/vault', '/proj/**/*.key'],
	'/proj',
);

test.each<[string, string | null]>([
	['secrets', 'secrets/'],
	['secrets/a/b', 'secrets/'],
	['SECRETS/a', 'secrets/'],
	['./src/../secrets/a', 'secrets/'],
	['../proj/secrets/a', 'secrets/'],
	['/proj/secrets/a', 'secrets/'],
	['secrets\\a', 'secrets/'],
	['secrets2/a', null],
	['src/secrets/a', null],
	['x.pem', '**/*.pem'],
	['.hidden/x.pem', '**/*.pem'],
	['x.pem/inside', '**/*.pem'],
	['config/prod.yaml', './config/prod.yaml'],
	['config/prod.yaml.md', null],
	['/abs/olute/x', '/abs/olute'],
	['abs/olute/x', '/abs/olute'],
	['!odd', '!odd'],
	['vault/a', '/proj/vault'],
	['/proj/vault', '/proj/vault'],
	['deep/er/x.key', '/proj/**/*.key'],
	['anything', null],
])('%s falls under %s', (path, pattern) => expect(check(path)).toBe(pattern));

describe('a diff touches a forbidden path', () => {
	const touched = (text: string) => forbiddenInDiff(text, 'git.diff', check);
	const hunk = '@@ -1 +1 @@\n-a\n+b\n';

	test.each([
		['in its headers', `--- a/secrets/x\n+++ b/secrets/x\n${hunk}`],
		['when it deletes one', `--- a/secrets/x\n+++ /dev/null\n${hunk}`],
		['as a binary', 'diff --git a/secrets/x b/secrets/x\nindex 1..2 100644\nBinary files a/secrets/x and b/secrets/x differ\n'],
		['as the old name of a rename', 'diff --git a/secrets/x b/y\nsimilarity index 100%\nrename from secrets/x\nrename to y\n'],
		['as the target of a rename', 'diff --git a/y b/y2\nsimilarity index 100%\nrename from y\nrename to secrets/x\n'],
		['with mode changes only', 'diff --git a/secrets/x b/secrets/x\nold mode 100644\nnew mode 100755\n'],
		['without prefixes', `--- secrets/x\t2024-01-01 00:00:00\n+++ secrets/x\t2024-01-02\n${hunk}`],
		['with mnemonic prefixes', `diff --git i/secrets/x w/secrets/x\n--- i/secrets/x\n+++ w/secrets/x\n${hunk}`],
		['between two directories', `diff -ru old/secrets/x new/secrets/x\n--- old/secrets/x\n+++ new/secrets/x\n${hunk}`],
		[
			'in a quoted name',
			`diff --git "a/secrets/\\303\\244" "b/secrets/\\303\\244"\n--- "a/secrets/\\303\\244"\n+++ "b/secrets/\\303\\244"\n${hunk}`,
		],
		['in a name spelled in octal', 'diff --git "a/\\163ecrets/x" "b/\\163ecrets/x"\nold mode 100644\nnew mode 100755\n'],
		['in a name with blanks', 'diff --git a/secrets/a b c b/secrets/a b c\nold mode 100644\n'],
		['with segments that go up', `--- a/src/../secrets/x\n+++ b/src/../secrets/x\n${hunk}`],
		['with Windows line ends', `--- a/secrets/x\r\n+++ b/secrets/x\r\n${hunk}`],
		['in a combined diff', 'diff --cc secrets/x\nindex 1,2..3\n'],
		['in a context diff', '*** a/secrets/x\t2024\n--- b/secrets/x\t2024\n'],
		['in an apply_patch block', '*** Begin Patch\n*** Update File: secrets/x\n@@\n-a\n+b\n*** End Patch\n'],
		[
			'after another file whose hunk lies about its length',
			`--- a/y\n+++ b/y\n@@ -1,999 +1,999 @@\n x\ndiff --git a/secrets/x b/secrets/x\nold mode 100644\n`,
		],
		['in the middle of a document', `# Notes\n\n\`\`\`diff\n--- a/secrets/x\n+++ b/secrets/x\n${hunk}\`\`\`\n`],
	])('%s', (_, text) => expect(touched(text).length).toBeGreaterThan(0));

	test.each([
		['mentions one', 'Never read secrets/x or key.pem.\n--- secrets/x ---\nrename from secrets/x\n'],
		['changes a line that mentions one', '--- a/y\n+++ b/y\n@@ -1 +1 @@\n--- secrets/x\n+++ secrets/x\n'],
		['touches its neighbour', `diff --git a/src/secrets.ts b/src/secrets.ts\n--- a/src/secrets.ts\n+++ b/src/secrets.ts\n${hunk}`],
	])('but not when it only %s', (_, text) => expect(touched(text)).toEqual([]));

	test('and every path is named once', () => {
		expect(
			touched(`diff --git a/secrets/x b/secrets/x\n--- a/secrets/x\n+++ b/secrets/x\n${hunk}--- a/k.pem\n+++ b/k.pem\n${hunk}`),
		).toEqual([
			'git.diff is a diff that touches secrets/x, forbidden by "secrets/"',
			'git.diff is a diff that touches k.pem, forbidden by "**/*.pem"',
		]);
	});
});
