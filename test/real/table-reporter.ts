import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Servant × scenario, and how each went. */
export default class TableReporter implements Reporter {
	onTestRunEnd(modules: readonly TestModule[]): void {
		const cases = modules.flatMap((module) => [...module.children.allTests()]).filter((test) => test.parent.type === 'suite');
		const servants = [...new Set(cases.map(servantOf))].sort();
		const scenarios = [...new Set(cases.map(({ name }) => name))];
		const width = Math.max(...scenarios.map((name) => name.length)) + 2;
		const cell = (scenario: string, servant: string) =>
			wordFor(cases.find((test) => test.name === scenario && servantOf(test) === servant));
		const line = (first: string, rest: readonly string[]) =>
			`${first.padEnd(width)}${rest.map((text) => text.padEnd(16)).join('')}`.trimEnd();
		console.log(
			[
				'',
				line('scenario', servants),
				...scenarios.map((name) =>
					line(
						name,
						servants.map((servant) => cell(name, servant)),
					),
				),
			].join('\n'),
		);
		for (const test of cases) {
			const { state, note } = test.result() as { state: string; note?: string };
			if (state === 'skipped' && note) console.log(`skipped: ${servantOf(test)}, ${test.name}: ${note}`);
		}
		const count = (state: string) => cases.filter((test) => test.result().state === state).length;
		console.log(`\n${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
	}
}

const servantOf = (test: TestCase): string => (test.parent.type === 'suite' ? test.parent.name : '');

function wordFor(test: TestCase | undefined): string {
	if (test === undefined) return '-';
	const { state } = test.result();
	const seconds = ((test.diagnostic()?.duration ?? 0) / 1000).toFixed(1);
	return state === 'skipped' ? 'skipped' : `${state === 'passed' ? 'ok' : 'FAILED'} ${seconds} s`;
}
