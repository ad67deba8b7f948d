/** The programs whose behaviour was measured, by the command they install. */
export const pins = {
	claude: '@anthropic-ai/claude-code@2.1.197',
	codex: '@openai/codex@0.169.0',
	gemini: '@google/gemini-cli@0.61.0',
	copilot: '@github/copilot@1.0.102',
	opencode: 'opencode-ai@1.18.33',
} as const;

export type RealTool = keyof typeof pins;
export const realTools = Object.keys(pins) as RealTool[];

export const versionOf = (tool: RealTool): string => pins[tool].slice(pins[tool].lastIndexOf('@') + 1);
