import { z } from 'zod';

// zod would write and compile a function for each schema at its first use: worth it after thousands of values, and most starts read a few.
z.config({ jitless: true });

/** The closed word lists of the domain. Everything that enumerates them (schemas, help, choices) reads them here. */

export const TaskType = z.enum(['task', 'explore', 'plan', 'implement', 'review', 'improve']);
export type TaskType = z.infer<typeof TaskType>;

export const Purpose = z.enum(['impl', 'review', 'verify', 'plan', 'one_shot']);
export type Purpose = z.infer<typeof Purpose>;

export const Access = z.enum(['read', 'write']);
export type Access = z.infer<typeof Access>;

export const TimeoutMode = z.enum(['enforce', 'wait_done']);
export type TimeoutMode = z.infer<typeof TimeoutMode>;

export const DigestPolicy = z.enum(['off', 'auto', 'aggressive']);
export type DigestPolicy = z.infer<typeof DigestPolicy>;

export const WorkspaceMode = z.enum(['inplace', 'worktree']);
export type WorkspaceMode = z.infer<typeof WorkspaceMode>;

export const Verdict = z.enum(['APPROVED', 'CHANGES_REQUESTED', 'NEEDS_DISCUSSION']);
export type Verdict = z.infer<typeof Verdict>;

export const PacketStatus = z.enum(['pending', 'in_progress', 'completed', 'failed', 'needs_human', 'interrupted', 'invalid']);
export type PacketStatus = z.infer<typeof PacketStatus>;

/** A word that becomes part of a file's name: read back from a file that anybody may have written, it must not lead elsewhere. */
export const NamePart = z.string().regex(/^(?!\.)[^/\\\0]{1,200}$/);

/** `[A-Za-z0-9._-]`, 1–100 characters, not starting with a dot. */
export const TaskId = z
	.string()
	.regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/, 'a task id is 1–100 characters of A-Z a-z 0-9 . _ - and does not start with a dot');
