/** What to do about a program that was not found and that no known command installs. */
export function placeProgram(tool: string, command: string): string {
	const there = command.includes('/') ? `a program at ${command}` : `${command} on PATH`;
	return `put ${there} or set command in configs/servant/${tool}.yaml`;
}
