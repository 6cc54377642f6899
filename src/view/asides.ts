import { assertNever } from '../base.ts';
import type { CompactionEntry, UnknownEntry } from '../session/model.ts';
import { bodyLines } from './body.ts';
import type { ViewContext } from './entries.ts';
import { type Line, lineOf, type Piece } from './line.ts';
import { sanitiseLine } from './sanitise.ts';
import * as signs from './signs.ts';

/** One line that says how it stands; the summary below it when it is opened. */
export function compactionLines(entry: CompactionEntry, context: ViewContext): readonly Line[] {
  const [sign, label] = compactionWords(entry);
  const error = entry.error === '' ? '' : `: ${sanitiseLine(entry.error)}`;
  const heading = lineOf(sign, [` ${label}${error}`, 'AcpMuted']);
  if (entry.summary === '') return [heading];
  const isOpen = context.isOpen(entry.id);
  const marked: Line = { ...heading, right: [[isOpen ? signs.opened : signs.closed, 'AcpMuted']] };
  return isOpen ? [marked, ...bodyLines(entry.summary, 'AcpMuted')] : [marked];
}

function compactionWords({ status }: CompactionEntry): readonly [Piece, string] {
  if (typeof status === 'object') {
    return [['·', 'AcpMuted'], `the conversation is being shortened (${sanitiseLine(status.word)})`];
  }
  const sign = signs.toolSigns[status];
  switch (status) {
    case 'running':
      return [sign, 'shortening the conversation for the agent'];
    case 'done':
      return [sign, 'the agent goes on with a summary of the conversation'];
    case 'failed':
      return [sign, 'the conversation could not be shortened'];
    case 'cancelled':
      return [sign, 'the conversation was not shortened'];
    default:
      return assertNever(status);
  }
}

/** One muted line for all reports of a kind; the last of them when it is opened. */
export function unknownLines(entry: UnknownEntry, context: ViewContext): readonly Line[] {
  const isOpen = context.isOpen(entry.id);
  const name = sanitiseLine(entry.name);
  const heading: Line = {
    ...lineOf([`· the agent sent "${name}", which is not understood here`, 'AcpMuted']),
    right: [
      [`${entry.count > 1 ? `${entry.count} × ` : ''}${isOpen ? signs.opened : signs.closed}`, 'AcpMuted'],
    ],
  };
  if (!isOpen) return [heading];
  return [heading, ...bodyLines(JSON.stringify(entry.raw, undefined, 2) ?? '', 'AcpMuted')];
}
