import { isMap, isScalar, parseDocument } from 'yaml';

/** A manifest's text with one of its budgets set; comments, order and what else was typed stay. */
export function setBudget(text: string, key: string, value: number): string {
	const document = parseDocument(text);
	const there = document.getIn(['budgets', key], true);
	if (isScalar(there) && there.range) return `${text.slice(0, there.range[0])}${value}${text.slice(there.range[1])}`;
	const top = document.contents;
	if (isMap(top) && !top.flow && !document.has('budgets')) {
		const newline = text.includes('\r\n') ? '\r\n' : '\n';
		const added = `${text}${text.endsWith('\n') ? '' : newline}budgets:${newline}  ${key}: ${value}${newline}`;
		// Not after a `...` or below a block of literal text that would swallow it.
		if (parseDocument(added).getIn(['budgets', key]) === value) return added;
	}
	if (!isMap(document.get('budgets'))) document.delete('budgets');
	document.setIn(['budgets', key], value);
	return document.toString({ lineWidth: 0 });
}
