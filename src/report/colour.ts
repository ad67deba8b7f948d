export interface Colour {
	readonly green: Paint;
	readonly red: Paint;
	readonly yellow: Paint;
	readonly cyan: Paint;
	readonly dim: Paint;
	readonly bold: Paint;
}
export type Paint = (text: string) => string;

export function makeColour(on: boolean): Colour {
	const paint =
		(open: number, close: number): Paint =>
		(text) =>
			on && text !== '' ? `\x1b[${open}m${text}\x1b[${close}m` : text;
	return {
		green: paint(32, 39),
		red: paint(31, 39),
		yellow: paint(33, 39),
		cyan: paint(36, 39),
		dim: paint(2, 22),
		bold: paint(1, 22),
	};
}

/** A terminal gets colour unless NO_COLOR is set to anything but nothing, or the terminal is dumb. */
export function colourWanted(isTTY: boolean, env: { readonly NO_COLOR?: string; readonly TERM?: string }): boolean {
	return isTTY && !env.NO_COLOR && env.TERM !== 'dumb';
}
