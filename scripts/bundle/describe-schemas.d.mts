import type { z } from 'zod';

export const zodImport: string;
export const zodSetting: RegExp;
export function describe(schema: z.ZodType): object | null;
export function describeSchemas(): Promise<{
	descriptions: Map<string, object>;
	used: string[];
	settings: string[];
}>;
