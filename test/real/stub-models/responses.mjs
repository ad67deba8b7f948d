/** The Responses API. */
export const responses = {
	speaks: (path) => path.endsWith('/responses'),
	streams: (body) => body.stream === true,
	step: (body) => (Array.isArray(body.input) ? body.input : []).filter(({ type }) => type?.endsWith('_call_output')).length,
	tools: (body) =>
		(body.tools ?? []).map(({ name, type, parameters }) => ({ name: name ?? type, schema: parameters, freeform: type === 'custom' })),
	reply: (body, { text, call }, tokens, id) => {
		const output = [...(text ? [message(text, id)] : []), ...(call ? [toolCall(call, id)] : [])];
		const usage = {
			input_tokens: tokens.input,
			input_tokens_details: { cached_tokens: tokens.cached },
			output_tokens: tokens.output,
			output_tokens_details: { reasoning_tokens: tokens.thoughts },
			total_tokens: tokens.input + tokens.output,
		};
		const head = { id: `resp_${id}`, object: 'response', created_at: 1_700_000_000, model: body.model };
		const response = { ...head, status: 'completed', output, usage };
		const events = [
			{ type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
			...output.flatMap(itemEvents),
			{ type: 'response.completed', response },
		];
		return {
			document: response,
			events: events.map((event, n) => [event.type, { ...event, sequence_number: n }]),
			cutAfter: 3,
		};
	},
};

const message = (text, id) => ({
	type: 'message',
	id: `msg_${id}`,
	role: 'assistant',
	status: 'completed',
	content: [{ type: 'output_text', text, annotations: [] }],
});

function toolCall({ name, args, freeform }, id) {
	const of = { call_id: `call_${id}`, name, status: 'completed' };
	return freeform
		? { type: 'custom_tool_call', id: `ctc_${id}`, ...of, input: args }
		: { type: 'function_call', id: `fc_${id}`, ...of, arguments: JSON.stringify(args) };
}

function itemEvents(item, output_index) {
	const at = { item_id: item.id, output_index };
	const opening = { ...item, status: 'in_progress', ...(item.content ? { content: [] } : {}) };
	return [
		{ type: 'response.output_item.added', output_index, item: opening },
		...(item.type === 'message' ? textEvents(item.content[0], { ...at, content_index: 0 }) : []),
		...(item.type === 'function_call' ? argumentEvents(item.arguments, at) : []),
		{ type: 'response.output_item.done', output_index, item },
	];
}

const textEvents = (part, at) => [
	{ type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
	{ type: 'response.output_text.delta', ...at, delta: part.text },
	{ type: 'response.output_text.done', ...at, text: part.text },
	{ type: 'response.content_part.done', ...at, part },
];

const argumentEvents = (text, at) => [
	{ type: 'response.function_call_arguments.delta', ...at, delta: text },
	{ type: 'response.function_call_arguments.done', ...at, arguments: text },
];
