/** Milliseconds that this process has computed: what else the machine does at the time counts for nothing. */
export function cpuMs(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1000;
}
