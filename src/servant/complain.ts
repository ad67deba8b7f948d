import { classFromStatus } from '../contract/complaint-text.ts';
import { retryAfterSeconds } from '../contract/reset-time.ts';
import type { Reading, ServantComplaint } from '../contract/servant.ts';

interface Grievance {
	/** undefined: from status and message. */
	readonly class?: ServantComplaint['class'];
	readonly message: string;
	readonly status?: number | null;
	readonly retryAfterSec?: number | null;
	readonly resetAt?: string | null;
	readonly final: boolean;
}

/** A complaint as a reading; what the event does not say is taken from its status, then from its words. */
export function complain({ message, status = null, final, ...given }: Grievance): Reading {
	const words = message.length > 4000 ? `${message.slice(0, 4000)}…` : message;
	return {
		kind: 'complaint',
		final,
		complaint: {
			class: given.class === undefined ? classFromStatus(status, words) : given.class,
			message: words,
			status,
			retryAfterSec: given.retryAfterSec ?? retryAfterSeconds(words),
			resetAt: given.resetAt ?? null,
		},
	};
}
