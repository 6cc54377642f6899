/** A value of the wire as a text, if it is one. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The id of a session as a text; nothing else can be one. */
export function sessionIdOf({ sessionId }: Record<string, unknown>): string | undefined {
  return typeof sessionId === 'number' ? String(sessionId) : textOf(sessionId);
}

/** The items of a list that can be read; the others are left out, and what is no list has none. */
export function listOf<T>(value: unknown, read: (item: unknown) => T | undefined): readonly T[] {
  if (!Array.isArray(value)) return [];
  return value.map(read).filter((item) => item !== undefined);
}
