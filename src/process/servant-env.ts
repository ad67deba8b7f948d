/** What a servant may see of our environment, plus what is set for it. */
export function servantEnv({
	from,
	names,
	set,
	token,
	tmpdir,
}: {
	readonly from: Readonly<Record<string, string | undefined>>;
	/** Names it may see beyond those that every program needs. */
	readonly names: readonly string[];
	readonly set: Readonly<Record<string, string>>;
	readonly token: string;
	readonly tmpdir: string;
}): Record<string, string> {
	const seen = Object.entries(from).filter(
		(entry): entry is [string, string] =>
			entry[1] !== undefined && (isCommon(entry[0]) || names.includes(entry[0])) && !marksSession(entry[0]),
	);
	return { ...Object.fromEntries(seen), ...set, TMPDIR: tmpdir, DISPATCH_ATTEMPT: token };
}

const common = new Set(
	[
		['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TZ'],
		['LANG', 'LANGUAGE'],
		['TERM', 'COLORTERM', 'NO_COLOR'],
		['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
		// A proxy that looks into TLS has a certificate of its own, or nothing can be reached through it.
		['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
		// Where settings and logins lie when not below HOME. Not the runtime directory: it holds sockets of the user's session.
		['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME'],
	].flat(),
);

const isCommon = (name: string): boolean => common.has(name) || name.startsWith('LC_');

/**
 * Says "you run inside an agent": a servant that sees it behaves as a nested session or refuses to start. Hidden even when listed.
 * Keys and settings of the same families (CODEX_HOME, COPILOT_MODEL, DISPATCH_REPLAY_DIR …) are no markers.
 */
const marksSession = (name: string): boolean =>
	/^(CLAUDECODE|CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|SESSION_ID|CHILD_SESSION|EXECPATH)|CLAUDE_AGENT_SDK_VERSION|CODEX_(CI|THREAD_ID|SANDBOX.*|INTERNAL_.*)|GEMINI_CLI|GEMINI_CLI_IDE_.*|COPILOT_(CLI|AGENT_.*|SESSION_ID)|OPENCODE|OPENCODE_(PID|RUN_ID)|CURSOR_(AGENT|TRACE_ID)|AGENT|AI_AGENT|DISPATCH_(?!REPLAY_DIR$).*)$/.test(
		name,
	);
