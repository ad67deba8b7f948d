import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { composePrompt } from '../../src/prompt/compose.ts';
import { openKeyAt } from '../../src/prompt/private-keys.ts';
import { makeRedactor, type Redactor } from '../../src/prompt/redact.ts';
import { textSource } from '../../src/prompt/source.ts';
import { cpuMs } from '../cpu-time.ts';

function redactorOf(...patterns: string[]): Redactor {
	const made = makeRedactor(patterns);
	if (!made.ok) throw new Error(made.failures[0]);
	return made.value;
}
const redact = redactorOf();
const alnum = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0';
// Put together here, so that no scanner takes this file for a leak.
const made = (prefix: string, length: number) => prefix + alnum.repeat(4).slice(0, length);
const pem = (kind: string) => `-----BEGIN ${kind}-----\n${`${made('', 64)}\n`.repeat(3)}-----END ${kind}-----`;

const tokens: Record<string, string> = {
	'AWS key id': `AKIA${made('', 16).toUpperCase()}`,
	'GitHub token': made('ghp_', 36),
	'fine-grained GitHub token': made('github_pat_', 82),
	'GitLab token': made('glpat-', 20),
	'OpenAI key': made('sk-proj-', 60),
	'Anthropic key': made('sk-ant-api03-', 95),
	'Google key': made('AIza', 35),
	'Google OAuth token': made('ya29.', 60),
	'Google client secret': made('GOCSPX-', 28),
	'Slack token': `xoxb-123456789012-${made('', 24)}`,
	'Slack app token': made('xapp-1-', 40),
	'npm token': made('npm_', 36),
	'PyPI token': made('pypi-', 80),
	'Hugging Face token': made('hf_', 34),
	'Stripe key': made('sk_live_', 24),
	'Stripe webhook secret': made('whsec_', 32),
	'DigitalOcean token': `dop_v1_${'0a1b2c3d'.repeat(8)}`,
	'SendGrid key': `${made('SG.', 22)}.${made('', 43)}`,
	JWT: `${made('eyJ', 20)}.${made('eyJ', 40)}.${made('', 43)}`,
	'private key': pem('PRIVATE KEY'),
	'OpenSSH key': pem('OPENSSH PRIVATE KEY'),
	'PGP key': pem('PGP PRIVATE KEY BLOCK'),
};

test.each(Object.entries(tokens))('a %s is blanked wherever it stands', (_, secret) => {
	expect(redact(`before ${secret} after`)).toEqual({ text: 'before [REDACTED] after', count: 1 });
	expect(redact(secret).text).toBe('[REDACTED]');
});

test.each([
	['password: hunter2', 'password: [REDACTED]'],
	['DB_PASSWORD=correcthorse\n', 'DB_PASSWORD=[REDACTED]\n'],
	['api_key = "abcdefghij"', 'api_key = "[REDACTED]"'],
	['{"client_secret": "s3cr3t-value"}', '{"client_secret": "[REDACTED]"}'],
	['{\\"password\\": \\"hunter2\\"}', '{\\"password\\": \\"[REDACTED]\\"}'],
	['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEX', 'AWS_SECRET_ACCESS_KEY=[REDACTED]'],
	['Authorization: Bearer abcdefgh', 'Authorization: Bearer [REDACTED]'],
	['curl -H "bearer 0123456789abcdef"', 'curl -H "bearer [REDACTED]"'],
	['postgres://me:p@ssw0rd@host/db', 'postgres://me:[REDACTED]@host/db'],
	['https://hooks.slack.com/services/T00000000/B00000000/abcdefgh', 'https://hooks.slack.com/services/[REDACTED]'],
])('in %s only the value goes', (text, redacted) => {
	expect(redact(text).text).toBe(redacted);
});

test.each([
	'const token = readToken2(file);',
	'password: string',
	'token: config.auth2.token',
	'secret = process.env.SECRET1',
	'PASSWORD=$DB_PASSWORD_1',
	'password: "<your-password-1>"',
	'SyntaxError: unexpected token: src/a1.ts:12:3',
	'max_tokens: 4096000',
	'task-list-of-many-words-in-kebab-case-0123456789',
	'https://example.org:8080/path@2',
	'-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG\n-----END PUBLIC KEY-----',
])('%s is no secret', (text) => {
	expect(redact(text)).toEqual({ text, count: 0 });
});

test('a key that was wrapped over lines is found', () => {
	const wrapped = (secret: string, at: number) => `${secret.slice(0, at)}\n  ${secret.slice(at)}`;
	expect(redact(`x ${wrapped(tokens['GitHub token']!, 17)} y`).text).toBe('x [REDACTED] y');
	expect(redact(`x ${wrapped(tokens['Anthropic key']!, 70)} y`).text).toBe('x [REDACTED] y');
});

test('a private key without its end is blanked as far as it goes', () => {
	const cut = pem('RSA PRIVATE KEY').split('-----END')[0]!;
	expect(redact(`a\n${cut}then prose`).text).toBe('a\n[REDACTED]\nthen prose');
});

test('of lines that go on a key that has begun and not ended is known', () => {
	const lines = `a\nkey: ${pem('EC PRIVATE KEY').replace('\n', '\nProc-Type: 4,ENCRYPTED\n\n')}\n`;
	const within = [...lines.matchAll(/\n/g)].map(({ index }) => lines.slice(0, index + 1));
	expect(within.map(openKeyAt)).toEqual(within.map((text) => (text === 'a\n' || text === lines ? text.length : 2)));
	for (const text of ['-----BEGIN PRIVATE KEY-----\nis how a key begins\n', 'grep "-----BEGIN PRIVATE KEY-----" src\nx\n', lines + lines])
		expect(openKeyAt(text)).toBe(text.length);
});

test('two lines that merely name the markers keep what lies between', () => {
	const text = `-----BEGIN PRIVATE KEY-----\n${'some prose here.\n'.repeat(5000)}-----END PRIVATE KEY-----`;
	expect(redact(text).text).toContain('some prose here.');
});

describe('own patterns', () => {
	test('may span lines and see the text before anything else has touched it', () => {
		expect(redactorOf('(?s)<s>.*?</s>')(`a <s>x\n${tokens['npm token']}\n</s> b`).text).toBe('a [REDACTED] b');
	});

	test('that match nothing, everything, or their own mark do no harm', () => {
		expect(redactorOf('', 'x*', '^')('abc')).toEqual({ text: 'abc', count: 0 });
		expect(redactorOf('.')('😀bc\nd').text).toBe('[REDACTED]\n[REDACTED]');
		expect(redactorOf('RED', '[A-Z]+')('[REDACTED] abc').text).toBe('[REDACTED] abc');
	});

	test('that do not compile are all named', () => {
		const result = makeRedactor(['ok', '(', '(?=x)']);
		expect(result.ok ? [] : result.failures).toEqual([
			expect.stringContaining('"(" is not a regular expression in RE2 syntax'),
			expect.stringContaining('"(?=x)" is not a regular expression in RE2 syntax'),
		]);
	});

	test.each([['(a+)+$'], ['(a|aa)*b'], ['a.*z|a'], ['(.*)*(.*)*x']])('%s cannot hang a run', (pattern) => {
		const start = cpuMs();
		redactorOf(pattern)('a'.repeat(200_000));
		expect(cpuMs() - start).toBeLessThan(8000);
	});
});

test.each([
	'sk-',
	'sk-aaaaaaaaaaaaaaaaaaaaaaaa\n',
	'eyJ-',
	'eyJaaaaaaaa.',
	'-----BEGIN PRIVATE KEY-----\n ',
	'://a:',
	'://a:b@',
	'password=',
	'password: a1',
	'ghp_\n a',
	'SG.aaaaaaaaaaaaaaaa.',
	'\n',
	' ',
])('a megabyte of %j is no burden', (piece) => {
	const start = cpuMs();
	redact(piece.repeat(1_000_000 / piece.length));
	expect(cpuMs() - start).toBeLessThan(1000);
});

test('no secret of any mixture survives in prompt or log, and redacting twice is redacting once', () => {
	const text = fc.array(
		fc.oneof(fc.constantFrom(...Object.values(tokens)), fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', 'password: ', '=', '"')),
		{
			maxLength: 12,
		},
	);
	fc.assert(
		fc.property(text, fc.constantFrom('off', 'auto', 'aggressive'), (pieces, digestPolicy) => {
			// A blank between, as neighbours would make another word of it.
			const joined = pieces.join(' ');
			const once = redact(joined).text;
			expect(redact(once).text).toBe(once);
			const composed = composePrompt({
				template: { text: '{{goal}}', path: 't', sha256: '' },
				manifestFacts: {
					task_id: 't',
					goal: joined,
					stage: 's',
					scope: { allow: [], deny: [] },
					acceptance: { commands: [], criteria: [] },
				},
				sources: [textSource('context_pack', joined, `## Goal\n${joined}`), textSource('attachment', 'x.log', joined)],
				digestPolicy,
				redactor: redact,
			});
			for (const secret of Object.values(tokens)) {
				expect(composed.prompt).not.toContain(secret);
				expect(composed.log).not.toContain(secret);
				expect(composed.digest ?? '').not.toContain(secret);
			}
		}),
		{ numRuns: 200 },
	);
});
