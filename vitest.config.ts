import { defineConfig } from 'vitest/config';

export default defineConfig({
	test: {
		globalSetup: ['test/global-setup.ts'],
		include: ['test/**/*.test.ts'],
		exclude: ['test/real/**'],
		testTimeout: 60_000,
		hookTimeout: 60_000,
		maxWorkers: 2,
	},
});
