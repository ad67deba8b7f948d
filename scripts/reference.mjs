// Writes the generated parts of docs/ from the schemas, the shipped files and the help texts. --check only compares.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { importSource, root } from './import-source.mjs';
import { schemaRows } from './reference/schema-rows.mjs';
import { capabilityTable, commandLines } from './reference/servants.mjs';

const check = process.argv.includes('--check');
const read = (file) => readFileSync(join(root, file), 'utf8');
const yamlFiles = (dir) => readdirSync(join(root, dir)).filter((name) => name.endsWith('.yaml'));

const { manifest, servantFile, pipelineFile, dispatchFile, role, servants, cli } = await importSource('scripts/reference/sources.ts');

const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
const fields = (schema, defaults) =>
	table(
		['key', 'type', 'default', 'meaning'],
		schemaRows(schema).map(({ path, type, required, meaning }) => [
			`\`${path}\``,
			type,
			required ? '**required**' : (defaults[path] ?? ''),
			meaning,
		]),
	);
const code = (value) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

const parts = {
	'docs/manifest.md': {
		manifest: fields(manifest.Manifest, {
			...Object.fromEntries(
				Object.entries(manifest.manifestDefaults).map(([key, value]) => [
					`${key === 'digest_policy' ? 'context' : 'budgets'}.${key}`,
					code(value),
				]),
			),
			workspace: '`worktree` for task, implement, improve; else `inplace`',
		}),
	},
	'docs/configuration.md': {
		'servant file': fields(servantFile.ServantFile, {}),
		'pipeline file': fields(pipelineFile.PipelineFile, {}),
		'dispatch file': fields(dispatchFile.DispatchFile, shipped(parse(read('configs/dispatch.yaml')))),
		profiles: profiles(),
		'flags and options': table(
			['group', 'flags', 'options'],
			Object.keys(pipelineFile.groupOptions).map((group) => [
				group,
				pipelineFile.groupFlags[group].map(code).join(', ') || 'none',
				Object.entries(pipelineFile.groupOptions[group])
					.map(([name, values]) => `\`${name}\`: ${values.join(', ')}`)
					.join('; '),
			]),
		),
	},
	'docs/roles-and-gates.md': { roles: roles() },
	'docs/servants.md': {
		capabilities: capabilityTable(servants, table),
		'command lines': commandLines(servants),
		opencode: `\`\`\`yaml\n${read('test/fixtures/servants/opencode.yaml').trim()}\n\`\`\``,
		ollama: `\`\`\`yaml\n${read('test/fixtures/servants/ollama.yaml').trim()}\n\`\`\``,
	},
	'docs/commands.md': { commands: await commands() },
};

const drifted = [];
for (const [file, sections] of Object.entries(parts)) {
	const before = read(file);
	const after = Object.entries(sections).reduce((text, [name, content]) => replaced(text, name, content, file), before);
	if (after === before) continue;
	drifted.push(file);
	if (!check) writeFileSync(join(root, file), after);
}
if (drifted.length > 0)
	process.stdout.write(`${drifted.map((file) => `${file} ${check ? 'is out of date; npm run docs' : 'written'}`).join('\n')}\n`);
process.exitCode = check && drifted.length > 0 ? 1 : 0;

function replaced(text, name, content, file) {
	const [from, to] = [`<!-- generated: ${name} -->`, `<!-- end of ${name} -->`];
	const [start, end] = [text.indexOf(from), text.indexOf(to)];
	if (start === -1 || end < start) throw new Error(`${file} has no place for "${name}": ${from} … ${to}`);
	return `${text.slice(0, start + from.length)}\n\n${content}\n\n${text.slice(end)}`;
}

/** The values of a shipped file by dotted path. */
function shipped(value, path = '') {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return { [path]: code(value) };
	return Object.assign({}, ...Object.entries(value).map(([key, inner]) => shipped(inner, path === '' ? key : `${path}.${key}`)));
}

function profiles() {
	const rows = yamlFiles('configs/pipeline').flatMap((name) => {
		const { pipeline, default_profile, profiles } = parse(read(`configs/pipeline/${name}`));
		return Object.entries(profiles).map(([profile, { stages, needs, options = {} }]) => [
			pipeline,
			`\`${profile}\`${profile === default_profile ? ' (usual)' : ''}`,
			stages.map((stage) => `\`${stage}\``).join(', '),
			needs === undefined ? (stages.length > 1 ? 'a chain' : '') : needsWords(needs),
			Object.entries(options)
				.map(([key, value]) => `\`${key}: ${value}\``)
				.join(', '),
		]);
	});
	return table(['group', 'profile (= intent)', 'stages', 'needs', 'options'], rows);
}

function needsWords(needs) {
	return Object.entries(needs)
		.map(([stage, needed]) => `\`${stage}\` ← ${needed.map((one) => `\`${one}\``).join(', ')}`)
		.join('<br>');
}

function roles() {
	const files = readdirSync(join(root, 'templates/roles')).sort();
	const rows = files.map((name) => {
		const front = role.RoleContract.parse(parse(read(`templates/roles/${name}`).split(/^---$/m)[1]));
		return [
			`\`${name.replace('.md', '')}\``,
			front.purpose,
			front.access,
			front.sections.join(', ') || '—',
			demandsWords(front) || 'a non-empty answer',
			front.artifact ? 'yes' : '',
		];
	});
	return table(['role', 'purpose', 'access', 'sections', 'beyond the sections', 'artifact'], rows);
}

function demandsWords({ demands, verdict, min_lines, handoff, subsections }) {
	return [
		demands === 'change' ? 'the work tree changed, inside scope' : '',
		demands === 'proposal' ? 'a diff that applies in scope, or `No diff required.`' : '',
		demands === 'acceptance' ? 'acceptance commands exit 0, the report does not end in `FAIL`' : '',
		verdict ? 'findings counted, verdict recorded' : '',
		min_lines > 0 ? `at least ${min_lines} lines` : '',
		Object.keys(subsections).length > 0 ? `${Object.values(subsections).flat().length} numbered parts of the context pack` : '',
		handoff === 'context_pack' ? 'hands its context pack on' : '',
	]
		.filter((words) => words !== '')
		.join('; ');
}

async function commands() {
	const texts = await Promise.all(
		cli.commandList.map(async ({ name, load }) => `## ${name}\n\n\`\`\`text\n${cli.commandHelp((await load()).command).trim()}\n\`\`\``),
	);
	return texts.join('\n\n');
}
