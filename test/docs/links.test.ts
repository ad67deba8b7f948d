import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { projectDir } from '../project-dir.ts';

const pages = ['README.md', 'CHANGELOG.md', 'templates/README.md', ...pagesIn('docs')];

test('every relative link leads to a file, and every anchor to a heading', () => {
	const dead = pages.flatMap((page) =>
		linksOf(page)
			.filter((link) => !/^[a-z]+:/.test(link))
			.filter((link) => !leads(page, link))
			.map((link) => `${page}: ${link}`),
	);
	expect(dead).toEqual([]);
});

test('every page of the documentation is linked from the README', () => {
	const linked = linksOf('README.md');
	expect(pagesIn('docs').filter((page) => !linked.includes(page))).toEqual([]);
});

test('every script and command the README names is there', () => {
	const readme = readFileSync(join(projectDir, 'README.md'), 'utf8');
	const scripts = [...readme.matchAll(/\.\/(scripts\/[\w./-]+\.sh)/g)].map((found) => found[1]!);
	expect(scripts.length).toBeGreaterThan(0);
	expect(scripts.filter((file) => !existsSync(join(projectDir, file)))).toEqual([]);
	const commands = readFileSync(join(projectDir, 'docs/commands.md'), 'utf8');
	const called = [...readme.matchAll(/^dispatch ([a-z]+)/gm)].map((found) => found[1]!);
	expect(called.length).toBeGreaterThan(0);
	expect(called.filter((name) => !commands.includes(`\n## ${name}\n`))).toEqual([]);
});

function pagesIn(dir: string): string[] {
	return readdirSync(join(projectDir, dir))
		.filter((name) => name.endsWith('.md'))
		.map((name) => `${dir}/${name}`)
		.sort();
}

function linksOf(page: string): string[] {
	const prose = readFileSync(join(projectDir, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
	return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((found) => found[1]!);
}

function leads(page: string, link: string): boolean {
	const [path = '', anchor] = link.split('#');
	const file = path === '' ? join(projectDir, page) : join(projectDir, dirname(page), path);
	if (!existsSync(file)) return false;
	if (anchor === undefined) return true;
	const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
		title!
			.toLowerCase()
			.replace(/[^\w\- ]/g, '')
			.replaceAll(' ', '-'),
	);
	return headings.includes(anchor);
}
