import { Composer, CST, type Document, Lexer, LineCounter, Parser, type YAMLError } from 'yaml';

export type ParsedYaml = { readonly lines: LineCounter } & (
	| { readonly ok: true; readonly doc: Document.Parsed; readonly problems: readonly YAMLError[] }
	| { readonly ok: false; readonly offset: number; readonly message: string }
);

const maxDepth = 100;

/**
 * One document, parsed in linear time. The library's own way takes minutes for a text of `{{{{…` or `? ? ? ?…` and
 * quadratic time to find duplicate keys, so nesting is refused at the lexer and duplicates are looked for later.
 */
export function parseYaml(source: string): ParsedYaml {
	const lines = new LineCounter();
	lines.addNewLine(0);
	const guard = new Guard();
	const parser = new Parser(lines.addNewLine);
	const composer = new Composer({ uniqueKeys: false, schema: 'core', resolveKnownTags: false, prettyErrors: false, logLevel: 'error' });
	const tokens = function* () {
		for (const lexeme of new Lexer().lex(source)) {
			if (guard.refuses(lexeme)) return;
			yield* parser.next(lexeme);
		}
		yield* parser.end();
	};
	return withoutStacks(() => {
		try {
			const [doc, second] = composer.compose(tokens(), true, source.length);
			if (guard.refusal !== null) return refused(source, guard.refusal);
			if (second !== undefined)
				return { ok: false, offset: second.range[0], message: 'a second YAML document starts here; only one is read', lines };
			return { ok: true, doc: doc as Document.Parsed, problems: [...doc!.errors, ...doc!.warnings], lines };
		} catch (error) {
			if (error instanceof RangeError) return { ok: false, offset: 0, message: tooDeep, lines };
			throw error;
		}
	});
}

export const tooDeep = `nested deeper than ${maxDepth} levels`;

function refused(source: string, { offset, message }: { offset: number; message: string }): ParsedYaml {
	// The parser has not seen the lines of what it had not finished.
	const lines = new LineCounter();
	for (let at = -1; at < offset; ) {
		lines.addNewLine(at + 1);
		at = source.indexOf('\n', at + 1);
		if (at === -1) break;
	}
	return { ok: false, offset, message, lines };
}

/** A hundred thousand errors each gather a stack that nobody reads: most of the time such a text takes. */
function withoutStacks<T>(work: () => T): T {
	const before = Error.stackTraceLimit;
	Error.stackTraceLimit = 0;
	try {
		return work();
	} finally {
		Error.stackTraceLimit = before;
	}
}

/** Watches lexemes pass and stops at what nobody writes by hand. */
class Guard {
	refusal: { offset: number; message: string } | null = null;
	private offset = 0;
	private brackets = 0;
	private dashes = 0;
	private scalarNext = false;

	refuses(lexeme: string): boolean {
		const isScalar = this.scalarNext;
		this.scalarNext = lexeme === CST.SCALAR;
		const mark = this.scalarNext || lexeme === CST.DOCUMENT || lexeme === CST.FLOW_END || lexeme === CST.BOM;
		const message = isScalar || mark ? null : this.objection(lexeme);
		if (message !== null) this.refusal = { offset: this.offset, message };
		if (!mark || isScalar) this.offset += lexeme.length;
		return message !== null;
	}

	private objection(lexeme: string): string | null {
		if (lexeme === '[' || lexeme === '{') this.brackets++;
		else if (lexeme === ']' || lexeme === '}') this.brackets = Math.max(0, this.brackets - 1);
		else if (lexeme === '-') this.dashes++;
		else if (lexeme === '\n' || lexeme === '\r\n') this.dashes = 0;
		else if (lexeme === '?') return 'keys with "?" are not supported; write key: value';
		return this.brackets > maxDepth || this.dashes > maxDepth ? tooDeep : null;
	}
}
