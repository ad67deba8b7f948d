/** A message as one line of bearable length. */
export function oneLine(text: string, most = 300): string {
	const flat = text.replace(/\s+/g, ' ').trim();
	return flat.length <= most ? flat : `${flat.slice(0, most - 1)}…`;
}
