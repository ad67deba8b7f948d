/** The Messages API: what a request holds, and an answer to it as a document and as a stream. */
export const anthropic = {
	speaks: (path) => path.endsWith('/messages'),
	streams: (body) => body.stream === true,
	step: (body) =>
		(body.messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(({ type }) => type === 'tool_result')
			.length,
	tools: (body) => (body.tools ?? []).map(({ name, input_schema }) => ({ name, schema: input_schema })),
	reply: (body, { text, call }, tokens, id) => {
		const content = [
			...(text ? [{ type: 'text', text }] : []),
			...(call ? [{ type: 'tool_use', id: `toolu_${id}`, name: call.name, input: call.args }] : []),
		];
		const stop = { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null };
		const usage = {
			input_tokens: tokens.input,
			cache_creation_input_tokens: 40,
			cache_read_input_tokens: tokens.cached,
			output_tokens: tokens.output,
		};
		const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model: body.model, content, ...stop, usage };
		// As the real one: at its start a message knows of one token only.
		const opening = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
		const events = [
			{ type: 'message_start', message: opening },
			...content.flatMap(blockEvents),
			{ type: 'message_delta', delta: stop, usage: { output_tokens: tokens.output } },
			{ type: 'message_stop' },
		];
		return { document: message, events: events.map((event) => [event.type, event]), cutAfter: 3 };
	},
};

function blockEvents(block, index) {
	const tool = block.type === 'tool_use';
	const opening = tool ? { ...block, input: {} } : { type: 'text', text: '' };
	const delta = tool ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) } : { type: 'text_delta', text: block.text };
	return [
		{ type: 'content_block_start', index, content_block: opening },
		{ type: 'content_block_delta', index, delta },
		{ type: 'content_block_stop', index },
	];
}
