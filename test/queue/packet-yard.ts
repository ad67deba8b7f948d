import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import type { DispatchEvent } from '../../src/contract/event.ts';
import type { Verdict } from '../../src/contract/words.ts';
import { type PacketNames, packetNames } from '../../src/packet/names.ts';
import { story } from '../journal/story.ts';
import { SampleRepo } from '../worktree/sample-repo.ts';

/** Packets in a git repository of their own, as runs would have left them. */
export class PacketYard extends SampleRepo {
	packet(id: string, manifest: object = {}): PacketNames {
		return this.written(id, stringify({ task_id: id, goal: `Goal of ${id}`, task_type: 'task', ...manifest }));
	}

	written(id: string, manifest: string): PacketNames {
		const names = packetNames(this.dir, id);
		put(names.manifest, manifest);
		return names;
	}

	events(id: string, ...events: DispatchEvent[]): void {
		const { journal } = packetNames(this.dir, id);
		mkdirSync(dirname(journal), { recursive: true });
		appendFileSync(journal, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
	}

	/** One stage passed and the run ended well; what it answered is its artifact too. */
	completed(id: string, { stage = 'claude_work', answer = '', verdict = null as Verdict | null } = {}): void {
		const names = packetNames(this.dir, id);
		const told = story(id);
		this.events(id, told.run([stage]), told.passed(stage, { verdict }), told.finished());
		if (answer !== '') put(names.artifact(stage), answer);
	}

	/** Where a run said that it worked. */
	workedIn(id: string, facts: object): void {
		put(packetNames(this.dir, id).workspace, JSON.stringify({ schema: 1, ...facts }));
	}
}

export function put(file: string, text: string): void {
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
}
