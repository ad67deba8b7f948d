import type { ServantComplaint } from '../contract/servant.ts';

/**
 * Which complaint stands, as they come in:
 *
 *   nothing ──complaint──▶ passing ──progress──▶ nothing
 *      └────────final complaint, from anywhere────────▶ final (stays)
 *
 * A later word replaces an earlier one but keeps what only the earlier one knew (a class, when to try again).
 */
export class StandingComplaint {
	#complaint: ServantComplaint | null = null;
	#final = false;

	get value(): ServantComplaint | null {
		return this.#complaint;
	}

	hear(complaint: ServantComplaint, final: boolean): void {
		const earlier = this.#complaint;
		if (earlier === null) this.#complaint = complaint;
		else this.#complaint = this.#final && !final ? fill(earlier, complaint) : fill(complaint, earlier);
		this.#final ||= final;
	}

	progress(): void {
		if (!this.#final) this.#complaint = null;
	}
}

function fill(word: ServantComplaint, other: ServantComplaint): ServantComplaint {
	const same = word.class === null || word.class === other.class;
	const timed = word.retryAfterSec !== null || word.resetAt !== null;
	return {
		...word,
		class: word.class ?? other.class,
		status: word.status ?? (same ? other.status : null),
		retryAfterSec: timed || !same ? word.retryAfterSec : other.retryAfterSec,
		resetAt: timed || !same ? word.resetAt : other.resetAt,
	};
}
