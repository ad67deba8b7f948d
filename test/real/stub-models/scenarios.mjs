import { refusals } from './refusals.mjs';

const commands = {
	write: 'echo data > made.txt && cat made.txt',
	sleep: 'sleep 300 & sleep 301; wait',
};

/** What the model does in answer to a request with this many tool results in it. */
export const scenarios = {
	text: () => ({ text: 'Hello from the stub model.' }),
	write: (step) => (step === 0 ? { run: commands.write } : { text: 'Done: the file is written.' }),
	edit: (step) => (step === 0 ? { write: 'made.txt', run: commands.write } : { text: 'Done: the file is written.' }),
	loop: (step) => (step < 12 ? { run: `echo step ${step + 1}` } : { text: `Done after ${step} commands.` }),
	sleep: (step) => (step === 0 ? { run: commands.sleep } : { text: 'The sleep is over.' }),
	e401: (_step, api) => ({ refuse: refusals.e401[api] }),
	e429: (_step, api) => ({ refuse: refusals.e429[api] }),
	e500: (_step, api) => ({ refuse: refusals.e500[api] }),
	quota: (_step, api) => ({ refuse: refusals.quota[api] }),
	hang: () => ({ hang: true }),
	cut: () => ({ text: 'This answer is never', cut: true }),
};
