import { expect, test } from 'vitest';
import { answers, Rig, say } from '../rig.ts';

/** One tree, shared by packets: `w` writes in place as long as the test wants, `r` reads. */
async function sharedRig(): Promise<Rig> {
	const rig = await Rig.create();
	const writes = 'echo half > src/a.txt; echo one >> "$SEEN/writing"; until [ -e "$SEEN/go" ]; do sleep 0.02; done; echo whole > src/a.txt';
	await rig.textServant('wri', `cat > /dev/null; ${writes}; echo changed src/a.txt`);
	await rig.textServant('rea', `cat > /dev/null; cat src/a.txt >> "$SEEN/read"; ${say(answers.review!)}`);
	await rig.textServant('ver', `cat > /dev/null; ${say(answers.verify!)}`);
	await rig.write(
		'configs/pipeline/own.yaml',
		'default_profile: w\nprofiles:\n  w: { stages: [wri_impl] }\n  r: { stages: [rea_review] }\n  v: { stages: [ver_verify] }\n  rv: { stages: [rea_explore, ver_verify] }\n',
	);
	await rig.packet('w', { routing: { intent: 'w' }, workspace: 'inplace', scope: { allow: ['src'] } });
	await rig.packet('r', { routing: { intent: 'r' } });
	return rig;
}

const starts = async (rig: Rig, id: string): Promise<boolean> =>
	rig.has(`.tmp/task/${id}/state/events.jsonl`) && (await rig.events(id)).some((event) => event.type === 'stage_reserved');

for (const signal of ['SIGHUP', 'SIGKILL'] as const) {
	test(`a writer that goes on after ${signal} to its run holds the tree: readers wait for it, and nobody is blamed`, async () => {
		await using rig = await sharedRig();
		const first = rig.start(['run', 'w']);
		await rig.until('the writer writes', () => rig.seen('writing').length === 1);
		first.child.kill(signal);
		await first.ended;

		const reader = rig.start(['run', 'r']);
		let said = '';
		reader.child.stdout!.on('data', (text: string) => {
			said += text;
		});
		await rig.until('the reader waits', () => said.includes('waiting for the work tree'));
		expect(await starts(rig, 'r')).toBe(false);
		const again = rig.start(['run', 'w']);
		await rig.until('the writer is adopted', async () =>
			(await rig.events('w')).some((event) => event.type === 'stage_started' && event.adopted),
		);
		await rig.let('go');
		expect([(await again.ended).exitCode, (await reader.ended).exitCode]).toEqual([0, 0]);
		expect([rig.seen('read'), rig.seen('writing')]).toEqual([['whole'], ['one']]);
	});
}

test('acceptance commands wait for a writer in place, and see what it has finished', async () => {
	await using rig = await sharedRig();
	await rig.packet('v', { routing: { intent: 'v' }, acceptance: { commands: ['grep -q whole src/a.txt'] } });
	const writer = rig.start(['run', 'w']);
	await rig.until('the writer writes', () => rig.seen('writing').length === 1);
	const verifier = rig.start(['run', 'v']);
	let said = '';
	verifier.child.stdout!.on('data', (text: string) => {
		said += text;
	});
	await rig.until('the commands wait', () => said.includes('waiting for the work tree'));
	await rig.let('go');
	expect([(await writer.ended).exitCode, (await verifier.ended).exitCode]).toEqual([0, 0]);
});

test('what an acceptance command writes is not the servant’s doing, however soon it follows a reader', async () => {
	await using rig = await sharedRig();
	for (const n of [1, 2, 3, 4]) {
		await rig.packet(`rv${n}`, { routing: { intent: 'rv' }, acceptance: { commands: [`echo built > built-${n}.txt`] } });
		const { exitCode, stdout } = await rig.dispatch('run', `rv${n}`);
		expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 });
	}
});
