import { watchQueue } from '../queue/watch.ts';
import { type Command, flag } from './command.ts';
import { poolOptions, tellRest, withPool } from './pool-call.ts';

export const command: Command = {
	name: 'watch',
	summary: 'Runs packets as they are dropped into .tmp/task/, once their manifest is whole and valid. Only packets that have not run yet.',
	usage: '[--jobs N] [--once]',
	options: { once: { type: 'boolean', help: 'drain the queue and exit' }, ...poolOptions },
	positionals: { min: 0, max: 0 },
	examples: ['dispatch watch --jobs 2', 'dispatch watch --once --json'],
	run: (call) =>
		withPool(call, [], async ({ order, listener }) => {
			const once = flag(call, 'once');
			if (!once) listener.note('watching .tmp/task/ (Ctrl-C ends)');
			const end = await watchQueue({
				...order,
				root: call.root,
				once,
				now: Date.now,
				full: () =>
					listener.error('the system allows no more watches; changes are found every 30 seconds (raise fs.inotify.max_user_watches)'),
			});
			if (once || order.purse.empty() !== null) tellRest(listener, end, order.purse.empty());
			return end.exitCode;
		}),
};
