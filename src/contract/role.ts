import { z } from 'zod';
import { Access, Purpose } from './words.ts';

/** A role's contract: the front matter of its template. */
export const RoleContract = z.strictObject({
	purpose: Purpose,
	access: Access,
	/** Headings the answer must have; any level, any case, outside fences. */
	sections: z.array(z.string()).default([]),
	/** Headings that must stand under one of `sections` (a brief's Updated Context Pack). */
	subsections: z.record(z.string(), z.array(z.string())).default({}),
	/** Whether the answer ends in a verdict and its findings are counted. */
	verdict: z.boolean().default(false),
	min_lines: z.int().min(0).default(0),
	/** What the gate demands beyond sections. `change`: the tree must change; `proposal`: a diff that applies, not applied; `acceptance`: commands and a PASS/FAIL line. */
	demands: z.enum(['nothing', 'change', 'proposal', 'acceptance']).default('nothing'),
	/** Whether the answer is also kept as `<stage>.artifact.md`. */
	artifact: z.boolean().default(false),
	/** `context_pack`: a passed answer rewrites the context pack and proposes verify commands. */
	handoff: z.enum(['none', 'context_pack']).default('none'),
});
export type RoleContract = z.infer<typeof RoleContract>;

/** All roles by name, from the package's and the project's templates. */
export type Roles = Readonly<Record<string, RoleContract>>;
