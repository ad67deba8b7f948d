import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { findBlocked, findProgram } from '../../src/process/find-program.ts';
import { Zoo } from './zoo.ts';

test('a program is found where a shell would find it, and nowhere else', async () => {
	await using zoo = await Zoo.create();
	for (const folder of ['a', 'b', 'b/tool', 'here']) await mkdir(zoo.path(folder));
	await zoo.animal('a/claude', '');
	await zoo.animal('b/claude', '');
	await writeFile(zoo.path('a/plain'), 'not executable');
	await zoo.animal('b/plain', '');
	await symlink(zoo.path('a/claude'), zoo.path('b/link'));
	await symlink(zoo.path('nowhere'), zoo.path('b/dangling'));
	await zoo.animal('here/local', '');
	const path = `${zoo.path('a')}:${zoo.path('gone')}:${zoo.path('b')}`;
	const find = (command: string, pathVar: string | undefined = path) => findProgram(command, pathVar, zoo.path('here'));

	expect(find('claude')).toBe(zoo.path('a/claude')); // the first wins
	expect(find('plain')).toBe(zoo.path('b/plain')); // what cannot be executed is passed over
	expect(find('link')).toBe(zoo.path('b/link'));
	expect(find('dangling')).toBeNull();
	expect(find('tool')).toBeNull(); // a folder
	expect(find('local')).toBeNull();
	expect(find('local', `${path}:`)).toBe(zoo.path('here/local')); // an empty entry is the current directory
	expect(find('claude', '../a')).toBe(zoo.path('a/claude'));
	expect(find('./local')).toBe(zoo.path('here/local'));
	expect(find('../a/claude')).toBe(zoo.path('a/claude'));
	expect(find(zoo.path('a/claude'), '')).toBe(zoo.path('a/claude'));
	expect(find(zoo.path('a/plain'))).toBeNull();
	expect(find('')).toBeNull();
	expect(find('no\0such')).toBeNull();
	expect(find('sh', undefined)).toBeNull();
	expect(findProgram('sh', undefined, '/')).toMatch(/bin\/sh$/);

	const blocked = (command: string, pathVar = path) => findBlocked(command, pathVar, zoo.path('here'));
	expect(blocked('plain')).toBeNull(); // another one can be executed
	expect(blocked('plain', zoo.path('a'))).toBe(zoo.path('a/plain'));
	expect(blocked(zoo.path('a/plain'))).toBe(zoo.path('a/plain'));
	expect([blocked('tool'), blocked('gone'), blocked('no\0such'), blocked('')]).toEqual([null, null, null, null]);
});
