/** `!x` in a list of globs means "but not x" to everybody who writes one; `!(x)` is an extglob. */
export const isExclusion = (pattern: string): boolean => pattern.startsWith('!') && !pattern.startsWith('!(');
