export type PlaceholderValues = Readonly<Record<string, string | null>>;

/**
 * Fills `{name}` in the arguments of a described servant. An argument with a placeholder that has no value is left out,
 * and with it a directly preceding flag (`-m`, `{model}`): an argument that starts with `-` and holds no placeholder.
 */
export function fillPlaceholders(args: readonly string[], values: PlaceholderValues): string[] {
	const filled: string[] = [];
	for (const [index, arg] of args.entries()) {
		const names = [...arg.matchAll(PLACEHOLDER)].map((found) => found[1]!).filter((name) => Object.hasOwn(values, name));
		if (names.some((name) => values[name] === null)) {
			if (isFlag(args[index - 1])) filled.pop();
			continue;
		}
		filled.push(arg.replace(PLACEHOLDER, (whole, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? '') : whole)));
	}
	return filled;
}

const PLACEHOLDER = /\{([a-z_]+)\}/g;

const isFlag = (arg: string | undefined): boolean => arg?.startsWith('-') === true && !/\{[a-z_]+\}/.test(arg);
