/** `record[key]`, where the key was written by a user: `constructor` and its kin are not found on the prototype. */
export function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
	return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
