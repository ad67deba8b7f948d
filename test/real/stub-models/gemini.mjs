/** The generateContent API. */
export const gemini = {
	speaks: (path) => /:(streamGenerateContent|generateContent)$/.test(path),
	streams: (_body, path) => path.endsWith(':streamGenerateContent'),
	step: (body) => (body.contents ?? []).flatMap(({ parts }) => parts ?? []).filter(({ functionResponse }) => functionResponse).length,
	tools: (body) =>
		(body.tools ?? [])
			.flatMap(({ functionDeclarations }) => functionDeclarations ?? [])
			.map(({ name, parametersJsonSchema, parameters }) => ({ name, schema: parametersJsonSchema ?? parameters })),
	/** Side calls, such as the choice of a model, want a document of this shape. */
	wantedShape: (body) => body.generationConfig?.responseJsonSchema ?? body.generationConfig?.responseSchema,
	reply: (_body, { text, call }, tokens, id) => {
		const parts = [
			...(text ? [{ text }] : []),
			...(call ? [{ functionCall: { id: `call_${id}`, name: call.name, args: call.args }, thoughtSignature: 'c3R1Yg==' }] : []),
		];
		const usageMetadata = {
			promptTokenCount: tokens.input,
			cachedContentTokenCount: tokens.cached,
			candidatesTokenCount: tokens.output,
			thoughtsTokenCount: tokens.thoughts,
			totalTokenCount: tokens.input + tokens.output + tokens.thoughts,
		};
		const piece = (content, more = {}) => ({
			candidates: [{ content: { role: 'model', parts: content }, index: 0, ...more }],
			usageMetadata,
			responseId: `resp-${id}`,
		});
		const end = { finishReason: 'STOP' };
		const [first, ...rest] = parts;
		const events = rest.length > 0 ? [piece([first]), piece(rest, end)] : [piece(parts, end)];
		return { document: piece(parts, end), events: events.map((event) => [null, event]), cut: [[null, piece([first])]] };
	},
};
