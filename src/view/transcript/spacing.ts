import type { Entry } from '../../model/entries.ts';

/** A prompt of the user. */
export function isPrompt(entry: Entry): entry is Entry & { kind: 'message' } {
  return entry.kind === 'message' && entry.role === 'user';
}

/** A prompt of the user, or what was sent along with it. */
export function isOfUser(entry: Entry): boolean {
  return isPrompt(entry) || (entry.kind === 'attachments' && entry.role === 'user');
}

/** What the plugin itself says. */
export function isOfPlugin({ kind }: Entry): boolean {
  return kind === 'notice' || kind === 'summary';
}

export function isOpenQuestion(entry: Entry): boolean {
  return entry.kind === 'question' && entry.answer === undefined;
}

/** Whether an entry stands directly below another one, without a blank line. */
export function isWithoutGap(before: Entry, entry: Entry): boolean {
  if (entry.kind === 'summary') return before.kind === 'notice';
  if (entry.kind === 'attachments') return before.kind === 'message' && before.role === entry.role;
  return (isCompact(before) && isCompact(entry)) || (isOfUser(before) && entry.kind === 'notice');
}

/** Compact entries follow each other without a blank line. */
export function isCompact(entry: Entry): boolean {
  switch (entry.kind) {
    case 'tool':
    case 'question':
    case 'compaction':
    case 'unknown':
      return true;
    case 'message':
      return entry.role === 'thought';
    case 'plan':
    case 'notice':
    case 'summary':
    case 'attachments':
      return false;
  }
}
