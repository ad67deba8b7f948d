/** Tools that can be called without a servant file. */
export const builtInTools = ['claude', 'codex', 'gemini', 'copilot', 'replay'] as const;
