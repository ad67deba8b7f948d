import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectDir } from '../project-dir.ts';
import type { RealTool } from './pins.ts';

/** How one of the programs is pointed at the model server, as its user would do it. */
export interface Pointing {
	readonly env: Readonly<Record<string, string>>;
	/** Settings below HOME. */
	readonly home?: Readonly<Record<string, string>>;
	/** The project's servant file, where the shipped one does not do. */
	readonly servantFile?: object;
}

export const pointedAt: Readonly<Record<RealTool, (base: string) => Pointing>> = {
	claude: (base) => ({ env: { ANTHROPIC_BASE_URL: base, ANTHROPIC_API_KEY: 'sk-ant-dummy' } }),
	codex: (base) => ({
		env: { CODEX_API_KEY: 'sk-dummy' },
		home: { '.codex/config.toml': `openai_base_url = "${base}/v1"\n` },
	}),
	gemini: (base) => ({
		env: { GOOGLE_GEMINI_BASE_URL: base, GEMINI_API_KEY: 'dummy' },
		home: {
			// Two attempts of its own: with the default of ten it tries for four minutes.
			'.gemini/settings.json': JSON.stringify({
				security: { auth: { selectedType: 'gemini-api-key' } },
				general: { maxAttempts: 2, enableAutoUpdate: false },
				privacy: { usageStatisticsEnabled: false },
			}),
		},
	}),
	copilot: (base) => ({
		env: {
			COPILOT_OFFLINE: 'true',
			COPILOT_PROVIDER_BASE_URL: `${base}/v1`,
			COPILOT_PROVIDER_TYPE: 'openai',
			COPILOT_PROVIDER_WIRE_API: 'responses',
			COPILOT_PROVIDER_API_KEY: 'sk-dummy',
		},
	}),
	opencode: (base) => ({
		env: {
			OPENCODE_DISABLE_AUTOUPDATE: '1',
			OPENCODE_DISABLE_MODELS_FETCH: '1',
			OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
			OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
			OPENCODE_CONFIG_CONTENT: JSON.stringify({ autoupdate: false, share: 'disabled', provider: { stub: openCodeProvider(base) } }),
		},
		servantFile: openCodeFile(),
	}),
};

const openCodeProvider = (base: string) => ({
	npm: '@ai-sdk/openai-compatible',
	name: 'stub',
	options: { baseURL: `${base}/v1`, apiKey: 'dummy' },
	models: {
		'stub-model': { name: 'Stub', tool_call: true, limit: { context: 4_000_000, output: 8000 }, cost: { input: 3, output: 15 } },
	},
});

/** The documented example, with what this surrounding needs. */
function openCodeFile(): object {
	const documented = parse(readFileSync(join(projectDir, 'test/fixtures/servants/opencode.yaml'), 'utf8')) as { env: string[] };
	const switches = ['AUTOUPDATE', 'MODELS_FETCH', 'LSP_DOWNLOAD', 'DEFAULT_PLUGINS'].map((name) => `OPENCODE_DISABLE_${name}`);
	return { ...documented, default_model: 'stub/stub-model', env: [...documented.env, ...switches] };
}
