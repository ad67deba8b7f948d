import { expect, test } from 'vitest';
import { extractDiff } from '../../src/gate/unified-diff.ts';

const hunk = '@@ -1,1 +1,1 @@\n-a\n+b';
const git = (path: string) => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${hunk}`;

test.each([
	['in a fence', `Text\n\n\`\`\`diff\n${git('src/a.ts')}\n\`\`\`\nmore`, `${git('src/a.ts')}\n`],
	['in a fence without a language, after a remark', `\`\`\`\nthe patch:\n${git('x')}\n\`\`\``, `${git('x')}\n`],
	['in two fences', `\`\`\`diff\n${git('x')}\n\`\`\`\n\`\`\`patch\n${git('y')}\n\n\`\`\``, `${git('x')}\n${git('y')}\n`],
	['in a list', `- this:\n  \`\`\`diff\n  --- a/x\n  +++ b/x\n  @@ -1,1 +1,1 @@\n  -a\n  +b\n  \`\`\``, `--- a/x\n+++ b/x\n${hunk}\n`],
	['bare', `## Unified Diff\n\n${git('x')}\n\n## Rationale\n- --- \n`, `${git('x')}\n`],
	['without prefixes', `--- src/x\n+++ src/x\n${hunk}`, `--- a/src/x\n+++ b/src/x\n${hunk}\n`],
	['miscounted', '```diff\n--- a/x\n+++ b/x\n@@ -3,9 +3 @@ f()\n a\n\n+b\n```', '--- a/x\n+++ b/x\n@@ -3,2 +3,3 @@ f()\n a\n \n+b\n'],
	[
		'of a Markdown file with a fence in it',
		'```diff\n--- a/x.md\n+++ b/x.md\n@@ -1,2 +1,3 @@\n ```\n+new\n ```\n```',
		'--- a/x.md\n+++ b/x.md\n@@ -1,2 +1,3 @@\n ```\n+new\n ```\n',
	],
	[
		'with carriage returns all over',
		`\`\`\`diff\r\n--- a/x\r\n+++ b/x\r\n${hunk.replaceAll('\n', '\r\n')}\r\n\`\`\`\r\n`,
		`--- a/x\n+++ b/x\n${hunk}\n`,
	],
])('a diff %s is found', (_, answer, text) => {
	expect(extractDiff(answer)).toMatchObject({ kind: 'diff', text });
});

test.each([
	[git('src/a b.ts'), ['src/a b.ts']],
	['diff --git "a/\\303\\274.ts" "b/\\303\\274.ts"\nnew file mode 100644', ['ü.ts']],
	['diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new', ['old', 'new']],
	[`--- /dev/null\n+++ b/new\n@@ -0,0 +1,1 @@\n+x`, ['new']],
	[`--- a/gone\t2026-01-01 00:00\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x`, ['gone']],
	[`--- ../out\n+++ ../out\n${hunk}`, ['../out']],
])('the paths of %j', (diff, paths) => {
	expect(extractDiff(`\`\`\`diff\n${diff}\n\`\`\``)).toMatchObject({ kind: 'diff', paths });
});

test.each([
	['No diff required.', 'not_required'],
	['## Unified Diff\n\n**No diff required.**\n', 'not_required'],
	['```\nNo diff required.\n```', 'not_required'],
	['I think no diff required. Or is it?', 'none'],
	['```ts\nconst a = 1;\n```\n--- \n+++ \n', 'none'],
	['', 'none'],
])('%j holds no diff', (answer, kind) => {
	expect(extractDiff(answer)).toEqual({ kind });
});
