import type { Ask } from '../../src/contract/servant.ts';

/** The plainest thing to ask. */
export const ask: Ask = {
	model: null,
	effort: null,
	access: 'read',
	maxSteps: 30,
	session: null,
	workdir: '/work-tree',
	promptFile: '/attempt/prompt.md',
	scratch: '/attempt/scratch',
	sessionId: '11111111-1111-4111-8111-111111111111',
	wrapper: { approvalMode: null, sandbox: false },
};
