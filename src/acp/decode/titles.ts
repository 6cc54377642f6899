import { asString } from './fields.ts';

// Titles that agents use before they have generated one.
const placeholderTitle =
  /^\s*(?:(?:new|untitled)\s+(?:session|chat|conversation|thread)\b.*|untitled)?\s*$/is;

/** The title of a session, unless it is a placeholder. */
export function decodeTitle(value: unknown): string | undefined {
  const title = asString(value);
  return title === undefined || placeholderTitle.test(title) ? undefined : title;
}
