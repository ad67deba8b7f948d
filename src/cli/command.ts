import type { ParseArgsConfig } from 'node:util';

/** One command: what it takes, what it says about itself, what it does. */
export interface Command {
	readonly name: string;
	readonly summary: string;
	/** After `dispatch <name>`: `<id>… [--from S]` */
	readonly usage: string;
	readonly options: Readonly<Record<string, Option>>;
	readonly positionals: { readonly min: number; readonly max: number };
	readonly examples: readonly string[];
	readonly run: (call: Call) => Promise<number>;
}

export interface Option {
	readonly type: 'string' | 'boolean';
	readonly short?: string;
	readonly multiple?: boolean;
	/** A string that may be left out: `--diff`, `--diff main` and `--diff=main`. Left out it is ''. */
	readonly optionalValue?: boolean;
	/** Shown in the help: `N`, `FILE` */
	readonly value?: string;
	readonly help: string;
}

export const usageLine = ({ name, usage }: Command): string => `dispatch ${name} ${usage}`.trimEnd();

/** A command as it was typed. */
export interface Call {
	readonly args: readonly string[];
	readonly values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;
	readonly root: string;
	readonly cwd: string;
	readonly version: string;
	readonly env: NodeJS.ProcessEnv;
	readonly out: (text: string) => void;
	readonly err: (text: string) => void;
}

/** The caller's mistake: exit 2, with the way to the help. */
export class UsageError extends Error {}

export const text = (call: Call, name: string): string | undefined => {
	const value = call.values[name];
	return typeof value === 'string' ? value : undefined;
};
export const flag = (call: Call, name: string): boolean => call.values[name] === true;
export const texts = (call: Call, name: string): string[] => {
	const value = call.values[name];
	return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
};

export function number(call: Call, name: string, { min, whole }: { min: number; whole: boolean }): number | undefined {
	const given = text(call, name);
	if (given === undefined) return undefined;
	const value = Number(given);
	if (given.trim() === '' || !Number.isFinite(value) || value < min || (whole && !Number.isSafeInteger(value))) {
		throw new UsageError(`--${name} takes a ${whole ? 'whole ' : ''}number from ${min} on, not "${given}"`);
	}
	return value;
}

export const routingOptions = {
	provider: { type: 'string', value: 'TOOL', help: 'servant for stages whose tool is not fixed by name' },
	'force-task-provider': { type: 'string', value: 'TOOL', help: 'servant for all stages' },
	model: { type: 'string', value: 'MODEL', help: 'model for the stages' },
} as const satisfies Record<string, Option>;

export const jsonOption = { json: { type: 'boolean', help: 'one JSON document' } } as const satisfies Record<string, Option>;

export function parseConfig(command: Command): ParseArgsConfig {
	const options = Object.fromEntries(
		Object.entries({ ...command.options, ...everywhere }).map(([name, { type, short, multiple }]) => [
			name,
			{ type, ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) },
		]),
	);
	return { options, allowPositionals: true, strict: true };
}

/** `--jobs -1` is a value that is to be refused as one, and no flag -1. */
export function withNumbers(command: Command, args: readonly string[]): string[] {
	const end = args.includes('--') ? args.indexOf('--') : args.length;
	return args.flatMap((word, at) => {
		if (at < end && isNumber(word) && takesValue(command, args[at - 1])) return [];
		const next = args[at + 1];
		const joined = at + 1 < end && isNumber(next) && takesValue(command, word);
		return joined ? [word.startsWith('--') ? `${word}=${next}` : `${word}${next}`] : [word];
	});
}

const isNumber = (word = ''): boolean => /^-\.?\d/.test(word);

const takesValue = (command: Command, word = ''): boolean =>
	Object.entries({ ...command.options, ...everywhere }).some(
		([name, { type, short, optionalValue }]) => type === 'string' && !optionalValue && (word === `--${name}` || word === `-${short}`),
	);

/** Gives `--diff` alone its empty value. The next word is its value unless it is a flag or a sentence. */
export function withOptionalValues(command: Command, args: readonly string[]): string[] {
	const end = args.includes('--') ? args.indexOf('--') : args.length;
	return args.map((word, at) => {
		const isOptional = at < end && word.startsWith('--') && command.options[word.slice(2)]?.optionalValue === true;
		const next = args[at + 1];
		return isOptional && (at + 1 >= end || next === undefined || /^-|\s|^$/.test(next)) ? `${word}=` : word;
	});
}

export const everywhere: Readonly<Record<string, Option>> = {
	help: { type: 'boolean', short: 'h', help: 'this text' },
	root: { type: 'string', short: 'C', value: 'DIR', help: "the project's root" },
};
