import { describe, expect, test } from 'vitest';
import { countFindings } from '../../src/gate/findings.ts';
import { passLine } from '../../src/gate/pass-line.ts';
import { headings, missingSections } from '../../src/gate/sections.ts';
import { extractDiff } from '../../src/gate/unified-diff.ts';
import { verdictOf } from '../../src/gate/verdict.ts';
import { cpuMs } from '../cpu-time.ts';

describe('a required section is a real heading', () => {
	test.each([
		['## Findings', true],
		['###### FINDINGS', true],
		['# findings #', true],
		['   ## Findings', true],
		['## **Findings**', true],
		['## 1. Findings:', true],
		['## 3) Findings', true],
		['Findings\n---', true],
		['Findings\n=====', true],
		['text\n```\ncode\n```\n## Findings', true],
		['- item\n  ```\n  code\n  ```\n## Findings', true],
		['##Findings', false],
		['    ## Findings', false],
		['**Findings**', false],
		['Findings', false],
		['## Findings of others', false],
		['```\n## Findings\n```', false],
		['~~~md\n## Findings\n```\n## Findings\n~~~', false],
		['````\n```\n## Findings\n````', false],
		['- item\n  ```\n## Findings\n  ```', false],
		['```\nunclosed\n## Findings', false],
	])('%j: %j', (answer, found) => {
		expect(missingSections(answer, { sections: ['Findings'], subsections: {} })).toEqual(found ? [] : ['missing section "Findings"']);
	});
	test('spelling of slashes and of numbers', () => {
		expect(missingSections('## Go / No-Go\n## 2 Rollback plan', { sections: ['Go/No-Go', 'Rollback plan'], subsections: {} })).toEqual([]);
		expect(headings('## 2. Scope\r\nx\r\n### 2.1 Out\r\n')).toMatchObject([
			{ level: 2, title: 'scope', number: '2', line: 0 },
			{ level: 3, title: 'out', number: '2.1', line: 2 },
		]);
	});
});

describe('a context pack', () => {
	const contract = {
		sections: ['Summary', 'Acceptance', 'Updated Context Pack'],
		subsections: { 'Updated Context Pack': ['0. Goal', '3. Acceptance'] },
	};
	test('passes with its numbered parts beside it or below it', () => {
		expect(
			missingSections('## Summary\n## Acceptance\n## Updated Context Pack\n## 0. Goal\n## 3. Acceptance\n## Afterword', contract),
		).toEqual([]);
		expect(missingSections('# Summary\n# Acceptance\n# Updated Context Pack\n### 0. Goal\n### 3. Acceptance', contract)).toEqual([]);
	});
	test('does not lend its parts to the answer, nor the answer its own to it', () => {
		expect(missingSections('## Summary\n## 0. Goal\n## Updated Context Pack\n## 3. Acceptance', contract)).toEqual([
			'missing section "Acceptance"',
			'missing section "0. Goal" under "Updated Context Pack"',
		]);
	});
	test('needs the numbers: without them the hand-off would end too early', () => {
		expect(missingSections('## Summary\n## Acceptance\n## Updated Context Pack\n### Goal\n### 3. Acceptance', contract)).toEqual([
			'missing section "0. Goal" under "Updated Context Pack"',
		]);
	});
});

describe('a verdict', () => {
	test.each([
		['Verdict: APPROVED', 'APPROVED'],
		['**Verdict:** CHANGES_REQUESTED', 'CHANGES_REQUESTED'],
		['- **Verdict**: `NEEDS_DISCUSSION`', 'NEEDS_DISCUSSION'],
		['## Verdict: APPROVED', 'APPROVED'],
		['## Verdict\n\nAPPROVED, well done', 'APPROVED'],
		['verdict: changes requested', 'CHANGES_REQUESTED'],
		['Verdict: APPROVED\n\nFinal verdict: APPROVED', 'APPROVED'],
		['Verdict: APPROVED | CHANGES_REQUESTED | NEEDS_DISCUSSION\nVerdict: APPROVED', 'APPROVED'],
		['```\nVerdict: APPROVED\n```', null],
		['Verdict: not approved', null],
		['Verdict: not yet approved', null],
		['Verdict: this cannot be APPROVED', null],
		['**Verdict:** isn’t APPROVED', null],
		['Verdict: no, CHANGES_REQUESTED', 'CHANGES_REQUESTED'],
		['Verdict: not perfect, but APPROVED', 'APPROVED'],
		['The verdict will be APPROVED some day', null],
		['no word on it', null],
	])('%j is read as %j', (answer, verdict) => {
		expect(verdictOf(answer)).toEqual({ verdict, contradictory: false });
	});
	test('that contradicts another is none, and said to be contradictory', () => {
		expect(verdictOf('Verdict: APPROVED\nVerdict: CHANGES_REQUESTED')).toEqual({ verdict: null, contradictory: true });
	});
});

test.each([
	['- [HIGH] a\n- **[HIGH]** b\n- [MEDIUM] c\n1. src/x.ts:3 [LOW] d\n| [low] | e |', { high: 2, medium: 1, low: 2 }],
	['Tags: [HIGH] [MEDIUM] [LOW]', { high: 0, medium: 0, low: 0 }],
	['No [HIGH] findings.\n- [HIGH] none\n- [HIGH]: None.\n### [MEDIUM]\n\nNone', { high: 0, medium: 0, low: 0 }],
	['### [HIGH]\n\n- it breaks', { high: 1, medium: 0, low: 0 }],
	['```\n[HIGH] quoted\n```\nuse `[HIGH]` for those', { high: 0, medium: 0, low: 0 }],
	['- `[HIGH]` src/a.ts:3 is read `without` a lock\n1. **`[low]`** a name', { high: 1, medium: 0, low: 1 }],
	['- `[HIGH]` none\n- `[HIGH]` `[MEDIUM]` `[LOW]`', { high: 0, medium: 0, low: 0 }],
	['[HIGH]: 0\n| [MEDIUM] | n/a |\n- [LOW] No issues found.\n**[HIGH]** none, [LOW] nothing', { high: 0, medium: 0, low: 0 }],
	['There are no [HIGH] or [MEDIUM] findings', { high: 0, medium: 0, low: 0 }],
	['- [HIGH] none; [LOW] a name is misleading', { high: 0, medium: 0, low: 1 }],
	['- [HIGH] Nothing validates the token in a.ts:3', { high: 1, medium: 0, low: 0 }],
	['- [HIGH] None of the inputs are checked', { high: 1, medium: 0, low: 0 }],
	['- [HIGH] 0 is not handled: division by zero', { high: 1, medium: 0, low: 0 }],
	['- [HIGH] No issue is raised when the disk is full', { high: 1, medium: 0, low: 0 }],
	['- a.ts:3 is read without a lock [HIGH]\n\nNone.', { high: 1, medium: 0, low: 0 }],
	['No input check: [HIGH] SQL injection', { high: 1, medium: 0, low: 0 }],
])('findings of %j', (answer, expected) => {
	expect(countFindings(answer)).toEqual(expected);
});

test.each([
	['PASS', 'PASS'],
	['PASS\n\nbut then\n**FAIL**\n', 'FAIL'],
	['FAIL\nfixed\n# PASS\n', 'PASS'],
	['PASS\n```\nFAIL\n```', 'PASS'],
	['report\n```\nFAIL\n```', 'FAIL'],
	['tests PASS\nAll FAIL', null],
	['', null],
])('the last line that is only PASS or FAIL: %j', (report, expected) => {
	expect(passLine(report)).toBe(expected);
});

test('a hostile answer of megabytes is judged at once', () => {
	const long = 1_000_000;
	const answers = ['[HIGH]\n', '_', '* ', '# ', ' #', '`', '```\n', '- [', '\n', '> ', '\t', '=\n'].map(
		(piece) => `a${piece.repeat(long / piece.length)}b`,
	);
	const start = cpuMs();
	for (const answer of answers) {
		missingSections(answer, { sections: ['A'], subsections: { B: ['C'] } });
		verdictOf(`Verdict: ${answer}`);
		countFindings(answer);
		passLine(answer);
		extractDiff(`diff --git a/${answer}`);
	}
	// It takes about one second; one quadratic step takes twenty and more.
	expect(cpuMs() - start).toBeLessThan(15_000);
});
