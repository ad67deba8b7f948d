import { closeSync, openSync, readSync } from 'node:fs';

/** Hexadecimal digits that no other process is likely to have chosen: for names, not for secrets. */
export function randomName(digits: number): string {
	let name = '';
	while (name.length < digits) name += Math.random().toString(16).slice(2, 12);
	return name.slice(0, digits);
}

/** Hexadecimal digits that nobody can guess. From the system itself: node's own crypto takes longer to load than a run to begin. */
export function randomToken(bytes: number): string {
	const fd = openSync('/dev/urandom', 'r');
	try {
		const token = Buffer.alloc(bytes);
		if (readSync(fd, token) !== bytes) throw new Error('/dev/urandom gave too little');
		return token.toString('hex');
	} finally {
		closeSync(fd);
	}
}
