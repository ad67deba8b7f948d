import { defineConfig } from 'vitest/config';

/** The real agent CLIs against a model server on loopback: `npm run test:real`. One file per servant, two at a time. */
export default defineConfig({
	test: {
		globalSetup: ['test/global-setup.ts', 'test/real/global-setup.ts'],
		include: ['test/real/**/*.test.ts'],
		reporters: ['default', './test/real/table-reporter.ts'],
		testTimeout: 150_000,
		hookTimeout: 60_000,
		maxWorkers: 2,
	},
});
