/** Hexadecimal digits that no other process is likely to have chosen: for names, not for secrets. */
export function randomName(digits: number): string {
	let name = '';
	while (name.length < digits) name += Math.random().toString(16).slice(2, 12);
	return name.slice(0, digits);
}
