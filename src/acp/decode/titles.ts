import { shorten } from '../../base/text.ts';
import { asString } from './fields.ts';

/** Longer titles are cut: they are kept, sent and drawn often. */
const maxTitle = 1_000;

// Titles that agents use before they have generated one.
const placeholderTitle =
  /^\s*(?:(?:new|untitled)\s+(?:session|chat|conversation|thread)\b.*|untitled)?\s*$/is;

/** The title of a session, unless it is a placeholder. */
export function decodeTitle(value: unknown): string | undefined {
  const title = asString(value);
  if (title === undefined) return undefined;
  const short = shorten(title, maxTitle);
  return placeholderTitle.test(short) ? undefined : short;
}
