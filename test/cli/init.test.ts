import { expect, test } from 'vitest';
import { Rig } from '../rig.ts';

const created = (rig: Rig, gitignore: string[]) => `${rig.root}:
  created configs/dispatch.yaml
  created templates/README.md
  created configs/schemas/dispatch.schema.json
  created configs/schemas/manifest.schema.json
  created configs/schemas/pipeline.schema.json
  created configs/schemas/servant.schema.json
${gitignore.map((line) => `  ${line}\n`).join('')}`;

test('init prepares a repository and says which agent CLIs are missing; running it again changes nothing', async () => {
	await using rig = await Rig.create();
	await rig.servant('codex', 'true');
	await rig.write('.gitignore', 'node_modules');
	const first = await rig.dispatch('init');
	expect(first).toMatchObject({ exitCode: 0, stderr: '' });
	expect(first.stdout).toBe(`${created(rig, ['added .tmp/ to .gitignore'])}
Agent CLIs:
  claude   missing; to install it: npm install -g @anthropic-ai/claude-code
  codex    found: ${rig.base}/bin/codex
  copilot  missing; to install it: npm install -g @github/copilot
  gemini   missing; to install it: npm install -g @google/gemini-cli

Next: dispatch doctor (versions and logins), dispatch add (a first packet).
`);
	expect(await rig.read('.gitignore')).toBe('node_modules\n.tmp/\n');
	expect((await rig.read('configs/dispatch.yaml')).split('\n')[0]).toBe('# yaml-language-server: $schema=./schemas/dispatch.schema.json');
	expect((await rig.dispatch('validate')).exitCode).toBe(0);

	await rig.write('configs/dispatch.yaml', 'provider: codex\n');
	const before = await rig.sh('find . -path ./.git -prune -o -type f -exec sha256sum {} +');
	const again = await rig.dispatch('init');
	expect(again.stdout.split('\n')[0]).toBe(`${rig.root}: nothing to do, all is there`);
	expect(await rig.sh('find . -path ./.git -prune -o -type f -exec sha256sum {} +')).toEqual(before);
});

test('outside git init works, and says what needs git', async () => {
	await using rig = await Rig.create({ git: false });
	const { exitCode, stdout } = await rig.dispatch('init');
	expect(exitCode).toBe(0);
	expect(stdout).toContain(
		`${created(rig, ['created .gitignore'])}\nThis is no git repository: reading profiles run here, writing ones need git`,
	);
	// The repository that may come later is not to begin with packets in it.
	expect(await rig.read('.gitignore')).toBe('.tmp/\n');
});

test('a manifest made in a prepared repository names its schema, where editors find it', async () => {
	await using rig = await Rig.create();
	await rig.dispatch('init');
	expect((await rig.dispatch('add', 'look', 'Look around', '--type', 'explore')).exitCode).toBe(0);
	const [line] = (await rig.read('.tmp/task/look/manifest.yaml')).split('\n');
	const path = line!.replace('# yaml-language-server: $schema=', '');
	expect(rig.has(`.tmp/task/look/${path}`)).toBe(true);
});
