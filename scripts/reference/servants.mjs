/** What each built-in servant can do, as its own file says it. */
export function capabilityTable({ servantFor, builtInTools }, table) {
	const yes = (value) => (value ? 'yes' : 'no');
	const rows = builtInTools.map((tool) => {
		const servant = servantFor(tool, undefined);
		return [
			`\`${tool}\``,
			yes(servant.paid),
			yes(servant.countsSteps !== false),
			yes(servant.canResume),
			servant.maxPromptBytes === null ? 'no known limit' : `${servant.maxPromptBytes.toLocaleString('en')} bytes`,
			servant.care.knownVersions.map((version) => (version === 'v' ? 'any' : `${version}x`)).join(', '),
			servant.env.map((name) => `\`${name}\``).join(' ') || 'none',
		];
	});
	return table(
		['servant', 'paid', 'steps counted live', 'session can be resumed', 'longest prompt', 'measured version', 'variables it may see'],
		rows,
	);
}

/** The command line for a role that reads, and for one that writes. */
export function commandLines({ servantFor, builtInTools }) {
	const blocks = builtInTools
		.filter((tool) => tool !== 'replay')
		.map((tool) => `### ${tool}\n\n\`\`\`text\n${lineOf(servantFor, tool, 'read')}\n\n${lineOf(servantFor, tool, 'write')}\n\`\`\``);
	return blocks.join('\n\n');
}

function lineOf(servantFor, tool, access) {
	const { command, args } = servantFor(tool, undefined).invocation({
		model: 'MODEL',
		effort: 'EFFORT',
		access,
		maxSteps: 50,
		session: null,
		workdir: 'WORKDIR',
		promptFile: 'PROMPT',
		scratch: 'SCRATCH',
		sessionId: 'SESSION',
		wrapper: { approvalMode: null, sandbox: false },
	});
	return `# ${access}\n${[command, ...args].join(' ')}`;
}
