/** What a template may name. Written by the user in the manifest, or by us. */
export interface PromptFacts {
	readonly task_id: string;
	readonly goal: string;
	readonly stage: string;
	readonly scope: { readonly allow: readonly string[]; readonly deny: readonly string[] };
	readonly acceptance: { readonly commands: readonly string[]; readonly criteria: readonly string[] };
}

const values: Readonly<Record<string, (facts: PromptFacts) => string>> = {
	task_id: (facts) => facts.task_id,
	goal: (facts) => facts.goal.trim(),
	stage: (facts) => facts.stage,
	// A packet that writes states its scope; of another one it is not known.
	scope_allow: (facts) => list(facts.scope.allow, 'not stated'),
	scope_deny: (facts) => list(facts.scope.deny, facts.scope.allow.length === 0 ? 'not stated' : 'nothing beyond what is not allowed'),
	acceptance_commands: (facts) => list(facts.acceptance.commands, 'none given'),
	acceptance_criteria: (facts) => list(facts.acceptance.criteria, 'none given beyond the goal'),
};

export const placeholders: readonly string[] = Object.keys(values);

/** Fills in the facts, once: what a fact says is never itself expanded. `used` is what this template really depends on. */
export function renderTemplate(text: string, facts: PromptFacts): { text: string; used: Readonly<Record<string, string>> } {
	const used: Record<string, string> = {};
	const rendered = text.replace(placeholder, (written, name: string) => {
		const value = Object.hasOwn(values, name) ? values[name]!(facts) : null;
		if (value !== null) used[name] = value;
		return value ?? written;
	});
	return { text: rendered, used };
}

export function placeholdersIn(text: string): { name: string; line: number }[] {
	return text.split('\n').flatMap((line, n) => [...line.matchAll(placeholder)].map((match) => ({ name: match[1]!, line: n })));
}

const placeholder = /\{\{([a-z_]{1,40})\}\}/g;

function list(entries: readonly string[], none: string): string {
	if (entries.length === 0) return `- (${none})`;
	return entries.map((entry) => `- ${entry.trim().replaceAll(/\r?\n/g, '\n  ')}`).join('\n');
}
