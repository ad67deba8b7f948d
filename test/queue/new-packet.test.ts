import { readdirSync, readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { parseManifest } from '../../src/config/load-manifest.ts';
import { anotherReview, reviewPacketFor } from '../../src/queue/auto-review.ts';
import { deriveId, manifestText, writePacket } from '../../src/queue/new-packet.ts';
import { entryOf } from '../../src/queue/packet-index.ts';
import { PacketYard } from './packet-yard.ts';

beforeEach(() => {
	process.env.TZ = 'UTC';
});

test('an id is derived from the day and the goal, and is nobody else’s', () => {
	const day = new Date('2024-12-13T10:00:00Z');
	const derived = (goal: string, taken: string[] = []) => deriveId(goal, day, (id) => taken.includes(id));
	expect(derived('Design the ImageTransform system per specs/v2-design.md')).toBe('20241213-design-the-imagetransform-system-per');
	expect(derived('Größe: ändern!', ['20241213-grosse-andern'])).toBe('20241213-gro-e-andern');
	expect(derived('直す', ['20241213-task', '20241213-task-2'])).toBe('20241213-task-3');
	expect(derived('x'.repeat(200))).toHaveLength(49);
});

test('a manifest reads as it was ordered, whatever the goal is', () => {
	for (const goal of ['yes', '12', '# no comment', 'a: b', 'two\nlines', '  x', '"q"', 'ü → \u2028']) {
		const loaded = parseManifest(
			manifestText({ id: '007', goal, type: 'task', group: 'null', createdAt: '2026-03-01T12:00:00Z' }),
			'm',
			'007',
		);
		expect(loaded).toMatchObject({ ok: true, value: { manifest: { task_id: '007', goal, group: 'null' } } });
	}
});

test('a packet appears whole, and never over another', async () => {
	using yard = new PacketYard();
	const files = { 'manifest.yaml': 'a', 'inputs/attachments/x.md': 'b' };
	expect((await Promise.all([1, 2, 3].map(() => writePacket(yard.dir, 'one', files)))).filter(({ ok }) => ok)).toHaveLength(1);
	expect(readdirSync(yard.path('.tmp/task'))).toEqual(['one']);
	expect(readFileSync(yard.path('.tmp/task/one/inputs/attachments/x.md'), 'utf8')).toBe('b');
});

test('a review keeps to what its parent says of secrets and forbidden paths', async () => {
	using yard = new PacketYard();
	const security = { forbidden_paths: ['.env'], redaction_patterns: ['hunter\\d+ "x": y'] };
	yard.packet('impl', { task_type: 'implement', create_review: true, goal: 'use hunter2 "x": y', security });
	yard.completed('impl');
	expect(await reviewPacketFor(yard.dir, 'impl')).toBe('impl-review');
	expect(entryOf(yard.dir, 'impl-review')).toMatchObject({ goal: 'Review impl: use [REDACTED]', security, problems: [] });
});

test('a completed packet gets one review, and another only when it is completed or asked for again', async () => {
	using yard = new PacketYard();
	yard.packet('impl', { task_type: 'implement', group: 'g', create_review: true });
	yard.completed('impl');
	expect(await reviewPacketFor(yard.dir, 'impl')).toBe('impl-review');
	expect(entryOf(yard.dir, 'impl-review')).toMatchObject({
		type: 'review',
		group: 'g',
		basedOn: 'impl',
		goal: 'Review impl: Goal of impl',
		status: 'pending',
	});
	expect(await reviewPacketFor(yard.dir, 'impl')).toBe('impl-review');
	yard.completed('impl-review');
	expect(await reviewPacketFor(yard.dir, 'impl')).toBeNull();
	expect(await anotherReview(yard.dir, entryOf(yard.dir, 'impl')!)).toBe('impl-review-2');
	yard.completed('impl-review-2');
	yard.packet('impl-review', { task_type: 'review', based_on: 'impl', created_at: '2020-01-01T00:00:00Z' });
	yard.packet('impl-review-2', { task_type: 'review', based_on: 'impl', created_at: '2020-01-01T00:00:00Z' });
	expect(await reviewPacketFor(yard.dir, 'impl')).toBe('impl-review-3');
	expect(await reviewPacketFor(yard.dir, 'nobody')).toBeNull();
});
