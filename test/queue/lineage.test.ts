import { expect, test } from 'vitest';
import { packetNames } from '../../src/packet/names.ts';
import { lineageOf } from '../../src/queue/lineage.ts';
import { askedOfReviewed } from '../../src/queue/under-review.ts';
import { PacketYard, put } from './packet-yard.ts';

/** plan → implement → review → improve, with the implementation on a branch of its own. */
function chain(yard: PacketYard): void {
	yard.packet('explored', { task_type: 'explore' });
	yard.completed('explored', { answer: 'There is one file.\n' });
	yard.packet('plan', { task_type: 'plan', based_on: 'explored' });
	yard.completed('plan', { answer: '# Plan\n' });
	yard.packet('impl', { task_type: 'implement', based_on: 'plan' });
	yard.completed('impl');
	const base = yard.git('rev-parse', 'HEAD');
	yard.git('switch', '-q', '-c', 'dispatch/impl');
	yard.write('src/new.ts', 'new\n');
	yard.commit('work');
	yard.git('switch', '-q', 'main');
	yard.workedIn('impl', { mode: 'worktree', branch: 'dispatch/impl', base, path: '.tmp/worktree/impl' });
	yard.packet('impl-review', { task_type: 'review', based_on: 'impl' });
	yard.completed('impl-review', { answer: '## Findings\n', verdict: 'CHANGES_REQUESTED' });
}

const paths = async (yard: PacketYard, id: string) => (await lineageOf(yard.dir, id)).map(({ path }) => path);

test('each packet of a chain gets what it needs of those before it', async () => {
	using yard = new PacketYard();
	chain(yard);
	yard.packet('better', { task_type: 'improve', based_on: 'impl-review' });
	yard.packet('better-too', { task_type: 'improve', based_on: 'impl' });
	expect(await paths(yard, 'explored')).toEqual([]);
	expect(await lineageOf(yard.dir, 'plan')).toEqual([{ path: 'explored/outputs/claude_work.artifact.md', text: 'There is one file.\n' }]);
	expect(await lineageOf(yard.dir, 'impl')).toEqual([{ path: 'plan/outputs/claude_work.artifact.md', text: '# Plan\n' }]);
	const [plan, diff, ...rest] = await lineageOf(yard.dir, 'impl-review');
	expect([plan?.path, diff?.path, rest]).toEqual(['plan/outputs/claude_work.artifact.md', 'impl/branch.diff', []]);
	expect(diff!.text).toMatch(/^diff --git a\/src\/new.ts b\/src\/new.ts\nnew file mode 100644\n[\s\S]*\n\+new\n$/);
	const improved = ['plan/outputs/claude_work.artifact.md', 'impl-review/outputs/claude_work.artifact.md'];
	expect(await paths(yard, 'better')).toEqual(improved);
	expect(await paths(yard, 'better-too')).toEqual(improved);
});

test('a review is told what was asked of the nearest packet that changed something', () => {
	using yard = new PacketYard();
	const asked = { scope: { allow: ['src'] }, acceptance: { criteria: ['it is fast'] } };
	yard.packet('plan', { task_type: 'plan', acceptance: { criteria: ['it is a plan'] } });
	yard.packet('impl', { task_type: 'implement', based_on: 'plan', ...asked });
	yard.completed('impl', { stage: 'claude_impl' });
	put(packetNames(yard.dir, 'impl').patch('claude_impl'), 'diff --git a/x b/x\n');
	yard.packet('first', { task_type: 'review', based_on: 'impl' });
	yard.packet('second', { task_type: undefined, routing: { intent: 'review_cross' }, based_on: 'first' });
	yard.packet('better', { task_type: 'improve', based_on: 'first' });
	yard.packet('of-plan', { task_type: 'review', based_on: 'plan' });
	for (const id of ['first', 'second']) expect(askedOfReviewed(yard.dir, id), id).toMatchObject(asked);
	for (const id of ['better', 'of-plan', 'impl', 'nobody']) expect(askedOfReviewed(yard.dir, id), id).toBeNull();
});

test('a review of a branch that is merged still sees its change; of one that is gone, the patch', async () => {
	using yard = new PacketYard();
	chain(yard);
	yard.git('merge', '-q', 'dispatch/impl');
	expect(await paths(yard, 'impl-review')).toContain('impl/branch.diff');
	yard.git('branch', '-q', '-D', 'dispatch/impl');
	put(packetNames(yard.dir, 'impl').patch('claude_work'), 'diff --git a/x b/x\n');
	expect(await paths(yard, 'impl-review')).toEqual(['plan/outputs/claude_work.artifact.md', 'impl/outputs/claude_work.patch']);
});
