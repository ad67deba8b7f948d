import { ExitCode, gravest } from '../contract/exit-code.ts';
import { inOrder, isOpen } from '../queue/chain.ts';
import { Pool } from '../queue/pool.ts';
import { toBeTold } from '../queue/to-be-told.ts';
import { isHalted } from '../run/halt.ts';
import { type Command, flag, UsageError } from './command.ts';
import { type PoolCall, poolOptions, tellRest, withPool } from './pool-call.ts';
import { packetOf } from './project-of.ts';

export const command: Command = {
	name: 'work',
	summary: 'Runs the next ready packet, the named ones in dependency order, or with --all everything that is or becomes ready.',
	usage: '[id…] [--all] [--jobs N]',
	options: { all: { type: 'boolean', help: 'until nothing is ready any more' }, ...poolOptions },
	positionals: { min: 0, max: 10_000 },
	examples: ['dispatch work', 'dispatch work --all --jobs 4 --max-cost 20', 'dispatch work add-login review-login'],
	run: async (call) => {
		const ids = [...new Set(call.args.map((wanted) => packetOf(call, wanted)))];
		if (ids.length > 0 && flag(call, 'all')) throw new UsageError('--all and ids exclude each other');
		return withPool(call, ids, (pool) =>
			ids.length > 0 ? workNamed(pool, ids) : workReady(pool, flag(call, 'all'), new Date().toISOString()),
		);
	},
};

async function workReady({ order, listener }: PoolCall, all: boolean, began: string): Promise<number> {
	const pool = new Pool({
		...order,
		takes: (entry, wrong) => (wrong ? all && toBeTold(entry) : isOpen(entry, began)),
		...(all ? {} : { most: 1, jobs: 1 }),
		lookEveryMs: 500,
	});
	const end = await pool.work();
	// One packet was asked for: that the calls are just enough for it is nothing to tell.
	tellRest(listener, end, all || end.exitCode === ExitCode.budget ? order.purse.empty() : null);
	return end.exitCode;
}

/** Those that cannot run are asked for all the same in the end: it says who blocks them. */
async function workNamed({ order, listener }: PoolCall, ids: readonly string[]): Promise<number> {
	const wanted = new Set(ids);
	const end = await new Pool({ ...order, takes: (entry) => wanted.has(entry.id), patient: false, lookEveryMs: 500 }).work();
	const codes = [end.exitCode];
	const empty = order.purse.empty();
	if (empty !== null || isHalted(order.halt)) {
		if (empty !== null) listener.note(`nothing more is started: ${empty}`);
		return end.exitCode;
	}
	const left = ids.filter((id) => !end.ran.includes(id));
	const byId = new Map(order.look().map((entry) => [entry.id, entry]));
	for (const id of inOrder(left, byId)) codes.push((await order.runOne(id)).exitCode);
	return gravest(codes);
}
