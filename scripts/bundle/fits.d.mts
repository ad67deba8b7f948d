import type { z } from 'zod';

export function fits(schema: object | null, value: unknown): boolean;
export function isKnown(schema: object): boolean;
export function atFirstUse<S extends z.ZodType>(make: () => S, describe?: () => object | null): S;
