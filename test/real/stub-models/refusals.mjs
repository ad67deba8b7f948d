const anthropic = (status, type, message) => ({ status, body: { type: 'error', error: { type, message }, request_id: 'req_stub' } });
const openai = (status, type, code, message) => {
	const refusal = { status, body: { error: { message, type, param: null, code } } };
	return { responses: refusal, chat: refusal };
};
const gemini = (code, status, message, details) => ({ status: code, body: { error: { code, message, status, details } } });
const rpc = (type, content) => ({ '@type': `type.googleapis.com/google.rpc.${type}`, ...content });

/** Errors in the shapes that the vendors document, by scenario and API. */
export const refusals = {
	e401: {
		anthropic: anthropic(401, 'authentication_error', 'invalid x-api-key'),
		...openai(401, 'invalid_request_error', 'invalid_api_key', 'Incorrect API key provided: sk-dummy.'),
		// This vendor says so with a 400.
		gemini: gemini(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
			rpc('ErrorInfo', { reason: 'API_KEY_INVALID', domain: 'googleapis.com' }),
		]),
	},
	e429: retryAfter(2, {
		anthropic: anthropic(429, 'rate_limit_error', 'This request would exceed the rate limit of 50,000 input tokens per minute.'),
		...openai(429, 'tokens', 'rate_limit_exceeded', 'Rate limit reached on tokens per min (TPM): Limit 30000. Please try again in 2s.'),
		gemini: gemini(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).', [rpc('RetryInfo', { retryDelay: '2s' })]),
	}),
	e500: {
		anthropic: anthropic(500, 'api_error', 'Internal server error'),
		...openai(500, 'server_error', null, 'The server had an error while processing your request. Sorry about that!'),
		gemini: gemini(500, 'INTERNAL', 'An internal error has occurred.'),
	},
	quota: {
		anthropic: anthropic(400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
		...openai(
			429,
			'insufficient_quota',
			'insufficient_quota',
			'You exceeded your current quota, please check your plan and billing details.',
		),
		gemini: gemini(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details.', [
			rpc('QuotaFailure', { violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier', quotaValue: '250' }] }),
			rpc('RetryInfo', { retryDelay: '40000s' }),
		]),
	},
};

function retryAfter(seconds, byApi) {
	const withHeader = ([api, refusal]) => [api, { ...refusal, headers: { 'retry-after': String(seconds) } }];
	return Object.fromEntries(Object.entries(byApi).map(withHeader));
}
