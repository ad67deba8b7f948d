import { inTurn } from './measure.mjs';

const answer =
	'## Findings\n- [LOW] src/a.txt:1 could be shorter\n## Test gaps\nNone.\n## Breaking changes\nNone.\n## Minimal fix\nNone.\n\nVerdict: APPROVED\n';
const seconds = { codex: 1.2, gemini: 0.9, copilot: 0.6 };
const streams = {
	codex: [
		{ type: 'thread.started', thread_id: 'thread' },
		{ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: answer } },
		{ type: 'turn.completed', usage: { input_tokens: 100, cached_input_tokens: 10, output_tokens: 20 } },
	],
	gemini: [
		{ type: 'init', session_id: 'gem', model: 'pro' },
		{ type: 'message', role: 'assistant', content: answer, delta: true },
		{ type: 'result', status: 'success', stats: { input_tokens: 100, cached: 10, output_tokens: 20, total_tokens: 120 } },
	],
	copilot: [
		{ type: 'assistant.turn_start', data: { turnId: '0' } },
		{ type: 'assistant.message', data: { content: answer } },
		{ type: 'result', sessionId: 'cop', exitCode: 0, usage: { premiumRequests: 1 } },
	],
};

/** Two reviews side by side and their consolidation, by fake CLIs that take fixed times. */
export const reviewCross = {
	name: 'review-cross',
	cheap: false,
	run: async (bed) => {
		for (const [tool, events] of Object.entries(streams)) {
			const lines = events.map((event) => JSON.stringify(event)).join('\n');
			bed.program(tool, `cat > /dev/null\nsleep ${seconds[tool]}\ncat <<'END_OF_STREAM'\n${lines}\nEND_OF_STREAM`);
		}
		let packets = 0;
		const cross = () => {
			const id = `cross-${++packets}`;
			bed.packet(id, 'routing:\n  intent: review_cross\n');
			return bed.dispatch('run', id, '-q');
		};
		const bare = (...tools) => bed.time('/bin/sh', ['-c', tools.map((tool) => `${tool} < /dev/null > /dev/null`).join('; ')]);
		const ms = await inTurn(5, {
			cross,
			needed: () => bare('codex', 'copilot'),
			sum: () => bare('codex', 'gemini', 'copilot'),
			node: () => bed.time(process.execPath, ['-e', '0']),
		});
		const { needed, sum } = ms;
		const beside = {
			'whole run, ms': ms.cross,
			'longest review + consolidation, ms': needed,
			'one after the other, ms': sum,
			'node -e 0, ms': ms.node,
		};
		return [{ what: 'review_cross beyond its longest path', value: ms.cross - needed, unit: 'ms', most: 100, beside }];
	},
};
