import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { anthropic } from './anthropic.mjs';
import { chat } from './chat.mjs';
import { gemini } from './gemini.mjs';
import { responses } from './responses.mjs';
import { scenarios } from './scenarios.mjs';
import { shellCall, smallest, writeCall } from './tool-call.mjs';

const apis = { anthropic, responses, chat, gemini };
const { values } = parseArgs({ options: { log: { type: 'string' } } });
let answered = 0;

const server = createServer(async (request, response) => {
	const [, scenario, run, path] = /^\/s\/([^/~]+)~([^/]*)(\/[^?]*)?/.exec(request.url) ?? [];
	const sent = await whole(request);
	const about = { run: run ?? null, path: path ?? request.url, bytes: sent.length };
	const answerWith = (status, document, headers = {}, more = {}) => {
		note({ ...about, status, ...more });
		response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(document));
	};
	const [name, api] = Object.entries(apis).find(([, { speaks }]) => path !== undefined && speaks(path)) ?? [];
	if (api === undefined || request.method !== 'POST') return besides(request, path ?? '', answerWith);

	const body = parsed(sent);
	const step = api.step(body);
	const tools = api.tools(body).filter((tool) => tool.name);
	const act = actFor(scenarios[scenario](step, name), tools, { shape: api.wantedShape?.(body), sent });
	Object.assign(about, { step, tools: tools.length, called: act.call?.name });
	if (act.refuse) return answerWith(act.refuse.status, act.refuse.body, act.refuse.headers);
	if (act.hang) return note({ ...about, status: 'hang' });

	const tokens = { input: 1000 + step, cached: 300, output: 20 + step, thoughts: 5 };
	const served = { input_tokens: tokens.input, cached_input_tokens: tokens.cached, output_tokens: tokens.output };
	answered += 1;
	const reply = api.reply(body, act, tokens, `stub${answered}`);
	if (act.cut) return breakOff(response, reply, about);
	if (!api.streams(body, path)) return answerWith(200, reply.document, {}, { served });
	response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
	for (const event of reply.events) response.write(asText(event));
	note({ ...about, status: 200, served });
	response.end();
});

/** Requests without tools are side calls (a title, a summary): they get words of the wanted shape, not a command to run. */
function actFor(act, tools, { shape, sent }) {
	if (shape !== undefined && tools.length === 0 && act.text !== undefined) return { text: JSON.stringify(smallest(shape)) };
	if (act.run === undefined) return act;
	const call = (act.write && writeCall(tools, act.write, workTreeIn(sent))) || shellCall(tools, act.run);
	return call === null ? { text: 'No shell was offered.' } : { text: act.text, call };
}

/** Tools for writing want absolute paths; every program says somewhere in its prompt where it stands. */
const workTreeIn = (sent) => /\/[\w./-]*dispatch-rig-\w+\/repo/.exec(sent.toString('utf8'))?.[0] ?? '.';

/** What the programs ask beside the model. */
function besides(request, path, answerWith) {
	if (path.endsWith('count_tokens')) return answerWith(200, { input_tokens: 123 });
	if (path.endsWith(':countTokens')) return answerWith(200, { totalTokens: 123 });
	if (request.method === 'GET' && /\/models(\/[^:]*)?$/.test(path)) return answerWith(200, { object: 'list', data: [], models: [] });
	return answerWith(404, { error: { message: 'not here' } });
}

function breakOff(response, reply, about) {
	note({ ...about, status: 'cut' });
	response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
	for (const event of reply.cut ?? reply.events.slice(0, reply.cutAfter)) response.write(asText(event));
	setTimeout(() => response.destroy(), 50);
}

async function whole(request) {
	const chunks = [];
	for await (const chunk of request) chunks.push(chunk);
	return Buffer.concat(chunks);
}

function parsed(bytes) {
	try {
		return JSON.parse(bytes.toString('utf8'));
	} catch {
		return {};
	}
}

function asText([name, data]) {
	return `${name === null ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

function note(line) {
	if (values.log !== undefined) appendFileSync(values.log, `${JSON.stringify(line)}\n`);
}

/** Whoever takes us for a proxy wanted to go elsewhere; whoever wants a WebSocket is to ask by HTTP. */
function turnAway(status, line) {
	return (request, socket) => {
		socket.on('error', () => {});
		note({ run: null, path: request.url, status, line });
		socket.end(`HTTP/1.1 ${status} ${line}\r\nContent-Length: 0\r\n\r\n`);
	};
}

server.on('connect', turnAway(403, 'Forbidden'));
server.on('upgrade', turnAway(426, 'Upgrade Required'));
server.on('clientError', (_error, socket) => socket.destroy());
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.stdin.on('end', () => process.exit(0)).resume();
