import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { renderComplaint } from '../../src/contract/complaint.ts';
import type { RoleContract } from '../../src/contract/role.ts';
import { checkTemplates } from '../../src/prompt/check-templates.ts';
import { loadRoles, packTemplates } from '../../src/prompt/templates.ts';

const shipped = join(import.meta.dirname, '../../templates');
const nothing = {
	sections: [],
	subsections: {},
	verdict: false,
	min_lines: 0,
	demands: 'nothing',
	artifact: false,
	handoff: 'none',
} as const;
const reviewed = {
	...nothing,
	purpose: 'review',
	access: 'read',
	verdict: true,
	sections: ['Findings', 'Test gaps', 'Breaking changes', 'Minimal fix'],
} as const;
const planned = { ...nothing, purpose: 'plan', access: 'read' } as const;

const contracts: Record<string, unknown> = {
	brief: {
		...planned,
		sections: ['Summary', 'Acceptance', 'Scope', 'Constraints', 'Verify Commands', 'Updated Context Pack'],
		subsections: {
			'Updated Context Pack': [
				'0. Goal',
				'1. Non-goals',
				'2. Scope',
				'3. Acceptance',
				'4. Fixed Decisions',
				'5. Files to Read',
				'6. Prohibited Actions',
				'7. Current State',
				'8. Open Questions',
				'9. Change History',
			],
		},
		handoff: 'context_pack',
	},
	impl: { ...nothing, purpose: 'impl', access: 'write', demands: 'change' },
	improve: { ...nothing, purpose: 'impl', access: 'write', demands: 'change' },
	runbook: { ...nothing, purpose: 'one_shot', access: 'write', sections: ['Problem', 'Plan', 'Commands', 'Risks'] },
	verify: { ...nothing, purpose: 'verify', access: 'read', demands: 'acceptance', artifact: true },
	review: { ...reviewed, artifact: true },
	review_consolidate: reviewed,
	cross_review: reviewed,
	test_design: { ...planned, min_lines: 10 },
	test_impl: {
		...nothing,
		purpose: 'impl',
		access: 'read',
		sections: ['Added or Updated Tests', 'Unified Diff', 'Rationale'],
		demands: 'proposal',
	},
	static_verify: {
		...nothing,
		purpose: 'verify',
		access: 'read',
		sections: ['Pre-execution checks', 'Dangerous changes', 'Rollback plan', 'Go/No-Go'],
	},
	draft: planned,
	enrich: planned,
	consolidate: planned,
	plan: { ...planned, artifact: true },
	explore: { ...planned, artifact: true },
};

function load(...dirs: string[]) {
	const loaded = loadRoles(dirs, { show: (path) => path.slice(path.indexOf('templates/')) });
	if (!loaded.ok) throw new Error(loaded.failures.map(renderComplaint).join('\n'));
	return loaded.value;
}

describe('the shipped templates', () => {
	test('there is one for every role and for nothing else', () => {
		expect(Object.keys(load(shipped).roles).sort()).toEqual(Object.keys(contracts).sort());
	});

	test.each(Object.entries(contracts))('%s has the contract its gate is documented with', (role, contract) => {
		expect(load(shipped).roles[role]).toEqual(contract);
	});

	test('each asks for everything its gate demands', () => {
		expect(checkTemplates(load(shipped))).toEqual([]);
	});

	test('packed at build time they are the same', () => {
		const packed = packTemplates(shipped);
		const again = loadRoles([], { packed: packed.ok ? packed.value : {} });
		expect(again.ok && again.value.roles).toEqual(load(shipped).roles);
		expect(again.ok && again.value.template('review', 'codex').sha256).toBe(load(shipped).template('review', 'codex').sha256);
	});
});

describe("a project's templates", () => {
	let root: string;
	let own: string;
	beforeEach(() => {
		root = mkdtempSync(join(tmpdir(), 'dispatch-templates-'));
		own = join(root, 'templates');
		mkdirSync(join(own, 'roles'), { recursive: true });
	});
	afterEach(() => rmSync(root, { recursive: true }));
	const write = (name: string, text: string) => writeFileSync(join(own, 'roles', name), text);
	const complaints = (): string => {
		const loaded = loadRoles([shipped, own], { show: (path) => path.slice(root.length + 1) });
		return loaded.ok ? '' : loaded.failures.map(renderComplaint).join('\n');
	};

	test('win over the package and inherit its contract where they give none', () => {
		write('review.md', 'Our own review: {{goal}}\n');
		const loaded = load(shipped, own);
		expect(loaded.template('review', 'gemini').text).toBe('Our own review: {{goal}}\n');
		expect(loaded.roles.review).toEqual(contracts.review);
	});

	test('change only the keys they give', () => {
		write('review.md', '---\nsections: [Findings]\n---\nFindings, please.\n');
		expect(load(shipped, own).roles.review).toEqual({
			...reviewed,
			sections: ['Findings'],
			artifact: true,
		} satisfies Partial<RoleContract>);
	});

	test('for one tool are used for that tool alone', () => {
		write('review.codex.md', 'For codex.\n');
		const loaded = load(shipped, own);
		expect(loaded.template('review', 'codex').text).toBe('For codex.\n');
		expect(loaded.template('review', 'gemini').path).toMatch(/roles\/review\.md$/);
	});

	test('may bring a new role, which needs a contract', () => {
		write('audit.md', '---\npurpose: review\naccess: read\n---\nAudit.\n');
		expect(load(shipped, own).roles.audit).toEqual({ ...nothing, purpose: 'review', access: 'read' });
		write('audit.md', 'Audit.\n');
		expect(complaints()).toContain('templates/roles/audit.md  error  audit is a new role');
	});

	test('are complained about with line, column and caret, all at once', () => {
		write('audit.md', '---\npurpose: revue\nsectons: [A]\n---\nAudit.\n');
		write('hunt.md', '---\npurpose: plan\npurpose: plan\naccess: read\n---\nHunt.\n');
		write('review.copilot.md', '---\naccess: write\n---\nReview.\n');
		write('ghost.codex.md', 'Nobody.\n');
		write('Bad-Name.md', 'x');
		const said = complaints();
		expect(said).toContain(
			'templates/roles/audit.md:3:1  error  unknown key "sectons"; did you mean "sections"?\n    3 | sectons: [A]\n      | ^',
		);
		expect(said).toContain('templates/roles/audit.md:2:1  error  purpose: ');
		expect(said).toMatch(/audit\.md:\d+:\d+ {2}error {2}"access" is missing/);
		expect(said).toMatch(/hunt\.md:3:1 {2}error {2}Map keys must be unique/);
		expect(said).toContain('review.copilot.md  error  a role has one contract for all tools; change it in review.md');
		expect(said).toContain('ghost.codex.md  error  there is no role ghost (no ghost.md)');
		expect(said).toContain('Bad-Name.md  error  a template is named <role>.md');
	});

	test('that lead out of the project are refused', () => {
		symlinkSync('/etc/hostname', join(own, 'roles', 'review.md'));
		expect(complaints()).toContain('templates/roles/review.md  error  links out of the project');
	});

	test('that do not ask for what the gate demands, or use an unknown placeholder, are found by the check', () => {
		write('verify.md', 'Is it good?\n\nSay {{gaol}}: PASS or nothing.\n');
		expect(checkTemplates(load(shipped, own)).map(renderComplaint)).toEqual([
			'templates/roles/verify.md  error  the gate of role verify demands "FAIL", but the template never asks for it',
			'templates/roles/verify.md:3:5  warning  {{gaol}} is sent as it stands; known: task_id, goal, stage, scope_allow, scope_deny, acceptance_commands, acceptance_criteria\n    3 | Say {{gaol}}: PASS or nothing.\n      |     ^',
		]);
	});
});
