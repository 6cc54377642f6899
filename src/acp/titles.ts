import { textOf } from './wire.ts';

// What agents call a session until they have thought of something.
const placeholder = /^\s*(?:(?:new|untitled)\s+(?:session|chat|conversation|thread)\b.*|untitled)?\s*$/is;

/** The title of a session, if it says what the session is about. */
export function titleFrom(value: unknown): string | undefined {
  const title = textOf(value);
  return title === undefined || placeholder.test(title) ? undefined : title;
}
