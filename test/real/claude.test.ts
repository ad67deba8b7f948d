import { describe, expect } from 'vitest';
import { conformance, outcomeOf, PROMPT, scenarioOf } from './conformance.ts';

conformance('claude');

describe('claude', () => {
	// It knows the windows of some models, and refuses by itself what exceeds them.
	scenarioOf('claude', 'past the window', async (real) => {
		await real.packet({ context: { digest_policy: 'off' }, model: 'sonnet' }, { 'user_request.md': PROMPT.repeat(10_000) });
		const run = await real.run('text');
		expect(outcomeOf(run)).toEqual({ outcome: 'prompt_too_large', exitCode: 1 });
		expect(run.requests).toEqual([]);
	});
});
