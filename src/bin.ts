#!/usr/bin/env node
import { join } from 'node:path';
import { loadCompiled } from './compiled.ts';

declare const DISPATCH_VERSION: string;
declare const DISPATCH_MAIN: string;

// The cheapest question is answered before anything is loaded.
const [first] = process.argv.slice(2);
if (first === '--version' || first === '-V') {
	process.stdout.write(`dispatch ${DISPATCH_VERSION}\n`);
} else {
	const runs = ['run', 'retry', 'resume', 'review', 'work', 'watch'].includes(first ?? '');
	const { main, isAllWritten } = loadCompiled(join(__dirname, DISPATCH_MAIN), runs ? 'run' : 'look') as typeof import('./cli/main.ts');
	main(process.argv.slice(2), DISPATCH_VERSION).then((exitCode) => {
		process.exitCode = exitCode;
		// Leaving at once, after what was left for this turn, spares node to take apart what it need not.
		if (isAllWritten()) setImmediate(() => process.exit());
	});
}
