import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { stringify } from 'yaml';
import type { Meta, Usage } from '../../src/contract/meta.ts';
import { type Ran, Rig } from '../rig.ts';
import type { RealTool } from './pins.ts';
import { pointedAt } from './real-servants.ts';

/** One line of the model server's log. */
export interface Request {
	readonly run: string | null;
	readonly path: string;
	readonly bytes: number;
	readonly step?: number;
	readonly tools?: number;
	/** The tool that the model called. */
	readonly called?: string;
	readonly status: number | string;
	readonly served?: Usage;
}

export interface RealRun {
	readonly ran: Ran;
	/** Of the attempts of this run. */
	readonly metas: readonly Meta[];
	/** What the model was asked in this run. */
	readonly requests: readonly Request[];
	readonly answer: string;
}

const ID = 't1';
let runs = 0;

/** A repository whose only servant is the real program, shut in with the model server. */
export class RealRig implements AsyncDisposable {
	private constructor(
		readonly rig: Rig,
		readonly tool: RealTool,
	) {}

	static async create(tool: RealTool): Promise<RealRig> {
		const rig = await Rig.create();
		const program = inject('programs')[tool];
		await rig.servant(tool, `#!/bin/sh\nexec ${[...inject('enter'), program].join(' ')} "$@"\n`);
		return new RealRig(rig, tool);
	}

	async packet(manifest: object = {}, inputs: Record<string, string> = {}): Promise<void> {
		const { budgets = {}, ...rest } = manifest as { budgets?: object };
		const whole = { task_type: 'explore', provider: this.tool, ...rest, budgets: { retry_budget: 0, max_wallclock_sec: 100, ...budgets } };
		await this.rig.packet(ID, whole, inputs);
	}

	run(scenario: string): Promise<RealRun> {
		return this.#dispatch('run', scenario);
	}

	resume(scenario: string): Promise<RealRun> {
		return this.#dispatch('resume', scenario);
	}

	async #dispatch(command: 'run' | 'resume', scenario: string): Promise<RealRun> {
		runs += 1;
		const run = `${this.tool}-${process.pid}-${runs}`;
		const { env, home = {}, servantFile } = pointedAt[this.tool](`http://127.0.0.1:${inject('port')}/s/${scenario}~${run}`);
		for (const [name, text] of Object.entries(home)) await this.#writeHome(name, text);
		if (servantFile) await this.rig.write(`configs/servant/${this.tool}.yaml`, stringify(servantFile));
		await this.rig.sh('git add -A && git commit -q -m settings');
		const earlier = command === 'run' ? 0 : (await this.#metas()).length;
		const ran = await this.rig.start([command, ID], { env: { ...env, ...this.#proxies() } }).ended;
		const metas = (await this.#metas()).slice(earlier);
		return { ran, metas, requests: requestsOf(run), answer: await this.#answer(metas.at(-1)) };
	}

	/** Where the programs are not shut in, whoever wants to leave meets the model server, which refuses. */
	#proxies(): Record<string, string> {
		if (inject('enter').length > 0) return {};
		const proxy = `http://127.0.0.1:${inject('port')}`;
		return { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: '127.0.0.1,localhost' };
	}

	async #writeHome(name: string, text: string): Promise<void> {
		const file = join(this.rig.env.HOME!, name);
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, text);
	}

	async #metas(): Promise<Meta[]> {
		return (await this.rig.events(ID)).flatMap((event) => (event.type === 'stage_finished' ? [event.meta] : []));
	}

	async #answer(meta: Meta | undefined): Promise<string> {
		const file = `.tmp/task/${ID}/outputs/attempts/${meta?.stage}/${meta?.attempt}/out`;
		return this.rig.has(file) ? (await this.rig.read(file)).trim() : '';
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.rig[Symbol.asyncDispose]();
	}
}

function requestsOf(run: string): Request[] {
	return readFileSync(inject('requestLog'), 'utf8')
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line) as Request)
		.filter((request) => request.run === run && request.step !== undefined);
}
