import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Rig } from '../rig.ts';

/** Everything around a packet that a run has no business with: path → what it is. `.tmp` and what the fake CLIs note down is left out. */
export function surroundings(rig: Rig): Map<string, string> {
	const found = new Map<string, string>();
	const visit = (dir: string, below: string): void => {
		for (const name of readdirSync(dir)) {
			const label = below === '' ? name : `${below}/${name}`;
			if (label === 'repo/.tmp' || label === 'seen') continue;
			const path = join(dir, name);
			const stat = lstatSync(path);
			if (stat.isDirectory()) visit(path, label);
			found.set(label, stat.isFile() ? hash(path) : stat.isSymbolicLink() ? `-> ${readlinkSync(path)}` : `mode ${stat.mode}`);
		}
	};
	visit(rig.base, '');
	return found;
}

const hash = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** What reaches a terminal or a planner's context must not be able to steer it. */
export function expectTame(what: string, text: string): void {
	const wild = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b-\u200f]/u.exec(text);
	const near = wild === null ? '' : JSON.stringify(text.slice(Math.max(0, wild.index - 60), wild.index + 60));
	expect(near, `${what} holds U+${wild?.[0].codePointAt(0)?.toString(16)}`).toBe('');
}
