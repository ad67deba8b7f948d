import type { Complaint } from '../contract/complaint.ts';
import type { RoleContract } from '../contract/role.ts';
import { placeholders, placeholdersIn } from './render-template.ts';
import type { LoadedRoles, TemplateFile } from './templates.ts';

/** A template that does not ask for what its gate demands makes every call fail, and each is paid for. */
export function checkTemplates({ roles, files }: LoadedRoles): Complaint[] {
	return files.flatMap((file) => [...unasked(file, roles[file.role]!), ...unknownPlaceholders(file)]);
}

function unasked(file: TemplateFile, contract: RoleContract): Complaint[] {
	const body = file.body.toLowerCase();
	const wanted = [...contract.sections, ...Object.values(contract.subsections).flat(), ...demanded(contract)];
	return wanted
		.filter((words) => !body.includes(words.toLowerCase()))
		.map((words) => complain(file, null, 'error', `the gate of role ${file.role} demands "${words}", but the template never asks for it`));
}

function demanded(contract: RoleContract): string[] {
	const verdict = contract.verdict ? ['Verdict:', '[HIGH]', '[MEDIUM]', '[LOW]'] : [];
	if (contract.demands === 'acceptance') return [...verdict, 'PASS', 'FAIL'];
	return contract.demands === 'proposal' ? [...verdict, 'No diff required.', '```diff'] : verdict;
}

function unknownPlaceholders(file: TemplateFile): Complaint[] {
	return placeholdersIn(file.body)
		.filter(({ name }) => !placeholders.includes(name))
		.map(({ name, line }) => complain(file, line, 'warning', `{{${name}}} is sent as it stands; known: ${placeholders.join(', ')}`));
}

function complain(file: TemplateFile, line: number | null, level: Complaint['level'], message: string): Complaint {
	const excerpt = line === null ? null : (file.body.split('\n')[line] ?? null);
	const col = excerpt === null ? null : excerpt.indexOf('{{') + 1;
	return { level, file: file.path, line: line === null ? null : line + file.offset + 1, col, message, excerpt };
}
