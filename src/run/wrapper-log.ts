import type { Meta } from '../contract/meta.ts';
import type { Attempt } from './attempt.ts';
import type { Ended } from './follow-attempt.ts';
import type { RunContext } from './run-context.ts';

/** How the servant was called and how it ended. The prompt is not in it, nor any secret. */
export function wrapperLog(
	ctx: RunContext,
	{ reserved, invocation, adopted }: Attempt,
	{ record, ending, lost }: Ended,
	meta: Meta,
): string {
	const lines: [string, unknown][] = [
		['servant', reserved.provider],
		['stage', `${reserved.stage}, attempt ${reserved.attempt} (${reserved.kind})`],
		['command', [invocation.command, ...invocation.args].map(quoted).join(' ')],
		['prompt', `${reserved.prompt_bytes} bytes by ${invocation.prompt}, sha256 ${reserved.prompt_sha256}`],
		['pid', record.pid],
		['reserved', reserved.time],
		['ended', meta.end],
		['exit', lost ? 'the wrapper ended without a record' : record.exitCode],
		['signal', record.signal],
		['ended by us', ending === null ? null : JSON.stringify(ending)],
		['wrapper limit', record.limitHit ? 'reached' : null],
		['adopted', adopted ? 'yes' : null],
		['outcome', meta.outcome],
	];
	return ctx.redact(
		lines
			.filter(([, value]) => value !== null && value !== undefined)
			.map(([name, value]) => `${name}: ${String(value)}\n`)
			.join(''),
	).text;
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
