/** The Chat Completions API. */
export const chat = {
	speaks: (path) => path.endsWith('/chat/completions'),
	streams: (body) => body.stream === true,
	step: (body) => (body.messages ?? []).filter(({ role }) => role === 'tool').length,
	tools: (body) => (body.tools ?? []).map((tool) => ({ name: tool.function?.name, schema: tool.function?.parameters })),
	reply: (body, { text, call }, tokens, id) => {
		const calls = call
			? [{ index: 0, id: `call_${id}`, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.args) } }]
			: [];
		const finish_reason = call ? 'tool_calls' : 'stop';
		const usage = {
			prompt_tokens: tokens.input,
			completion_tokens: tokens.output,
			total_tokens: tokens.input + tokens.output,
			prompt_tokens_details: { cached_tokens: tokens.cached },
			completion_tokens_details: { reasoning_tokens: tokens.thoughts },
		};
		const head = { id: `chatcmpl-${id}`, created: 1_700_000_000, model: body.model };
		const chunk = (choices, more = {}) => [null, { ...head, object: 'chat.completion.chunk', choices, ...more }];
		const delta = (content, reason = null) => chunk([{ index: 0, delta: content, finish_reason: reason }]);
		const message = { role: 'assistant', content: text ?? null, ...(call ? { tool_calls: calls } : {}) };
		return {
			document: { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage },
			events: [
				delta({ role: 'assistant', content: '' }),
				...(text ? [delta({ content: text })] : []),
				...(call ? [delta({ tool_calls: calls })] : []),
				delta({}, finish_reason),
				chunk([], { usage }),
				[null, '[DONE]'],
			],
			cutAfter: 2,
		};
	},
};
