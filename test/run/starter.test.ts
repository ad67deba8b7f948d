import { expect, test } from 'vitest';
import { answers, Rig, say } from '../rig.ts';

test('the first wrapper of a run is its own child, the others are begun by its starter; when it ends nothing of either is left', async () => {
	await using rig = await Rig.create();
	// The servant's parent is its wrapper; who that one's parent is stands in the fourth field of its row.
	const parent = 'cut -d" " -f4 /proc/$PPID/stat >> "$SEEN/parents"';
	await rig.textServant('zoo', `cat > /dev/null; ${parent}; ${say(answers.explore!)}`);
	await rig.write(
		'configs/pipeline/three.yaml',
		'pipeline: three\ndefault_profile: three\nprofiles:\n  three:\n    stages: [zoo_explore, zoo_explore-2, zoo_explore-3]\n',
	);
	await rig.packet('p', { routing: { intent: 'three' } });
	const run = rig.start(['run', 'p']);
	const { exitCode, stdout, stderr } = await run.ended;
	expect(exitCode, stdout + stderr).toBe(0);
	const own = String(run.pid);
	expect(rig.seen('parents').map((pid) => pid === own)).toEqual([true, false, false]);
	expect(rig.living()).toEqual([]);
});
