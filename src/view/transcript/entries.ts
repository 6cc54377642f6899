import { assertNever } from '../../base/errors.ts';
import { countOf, shorten } from '../../base/text.ts';
import type {
  CompactionEntry,
  MessageEntry,
  NoticeEntry,
  PlanEntry,
  SummaryEntry,
  UnknownEntry,
} from '../../model/entries.ts';
import type { Piece } from '../../ports/frame.ts';
import { count, duration, elapsed, moreLines, price, timeOfDay } from '../format.ts';
import { type Line, makeLine } from '../line.ts';
import { markdownLines } from '../markdown.ts';
import { sanitise, sanitiseLine } from '../sanitise.ts';
import * as signs from '../signs.ts';
import { displayWidth, piecesWidth } from '../text/display-width.ts';
import { bodyLines, limitLines, maxBodyColumns } from './body.ts';
import type { ViewContext } from './view-context.ts';

const maxTitle = 300;
const shownPromptLines = 12;
const maxPromptCharacters = 1_500;

export function userHeading(entry: MessageEntry): Line {
  const heading = entry.isInjected
    ? makeLine(['You', 'AcpUser'], [' into the running turn', 'AcpMuted'])
    : makeLine(['You', 'AcpUser']);
  return entry.isReplayed ? heading : { ...heading, right: [[timeOfDay(entry.at), 'AcpMuted']] };
}

/** The text of a prompt; of a long one only the beginning, until it is opened. */
export function promptLines(entry: MessageEntry, context: ViewContext): readonly Line[] {
  const text = sanitise(entry.text.toString());
  const lines = text.split('\n');
  if (context.isOpen(entry.id) || !isLongPrompt(lines)) return markdownLines(text);
  const beginning = shorten(lines.slice(0, shownPromptLines).join('\n'), maxPromptCharacters);
  const left = lines.length - beginning.split('\n').length;
  const hint = `${left === 0 ? '… more' : moreLines(left)} · za shows all`;
  return [...markdownLines(beginning), makeLine([hint, 'AcpMuted'])];
}

// A fold that hides a few lines would save nothing.
function isLongPrompt(lines: readonly string[]): boolean {
  if (lines.length > shownPromptLines + 3) return true;
  return lines.reduce((sum, line) => sum + line.length, 0) > 2 * maxPromptCharacters;
}

export function agentHeading(title: string): Line {
  return makeLine([sanitiseLine(title), 'AcpAgent']);
}

export function thoughtLines(entry: MessageEntry, context: ViewContext): readonly Line[] {
  const isOpen = context.isOpen(entry.id);
  const mark = isOpen ? signs.opened : signs.closed;
  const label = entry.isReplayed
    ? 'thought'
    : entry.endedAt === undefined
      ? `thinking for ${elapsed(context.now - entry.at)}`
      : `thought for ${duration(entry.endedAt - entry.at)}`;
  const heading = makeLine([`${mark} ${label}`, 'AcpThought']);
  return isOpen ? [heading, ...bodyLines(entry.text.toString(), 'AcpThought')] : [heading];
}

export function planLines(entry: PlanEntry): readonly Line[] {
  if (entry.text !== '')
    return [makeLine(['Plan', 'AcpPlan']), ...planTextLines(withoutPlanHeading(entry.text))];
  if (entry.items.length === 0) return [];
  const done = entry.items.filter(({ status }) => status === 'done').length;
  const heading = makeLine(['Plan', 'AcpPlan'], [` ${done}/${entry.items.length}`, 'AcpMuted']);
  const items = entry.items.map(({ text, status }) => {
    const colour = status === 'done' ? 'AcpMuted' : '';
    return makeLine(['  ', ''], signs.planSigns[status], [
      ` ${shorten(sanitiseLine(text), maxTitle)}`,
      colour,
    ]);
  });
  return [heading, ...items];
}

// The line above says it already.
function withoutPlanHeading(text: string): string {
  return text.replace(/^\s*(?:#{1,6}[ \t]+)?([*_]{0,3})plan\1:?[ \t]*(?:\r?\n\s*|$)/i, '');
}

/** A plan in Markdown, limited to what a chat shows. */
export function planTextLines(text: string, isConcealed = true): readonly Line[] {
  if (text === '') return [];
  const lines = sanitise(text).trimEnd().split('\n');
  const shown = limitLines(lines).map((line) => shorten(line, maxBodyColumns));
  return markdownLines(shown.join('\n'), isConcealed);
}

/** The end of a turn: what it took and changed. The command has a line of its own if one row is too short. */
export function summaryLines({ summary }: SummaryEntry, width?: number): readonly Line[] {
  const { ms, files, added, removed, cost, tokens = 0, isUnfinished } = summary;
  const sign = isUnfinished ? signs.toolSigns.cancelled : signs.toolSigns.done;
  const pieces: Piece[] = [sign, [` ${duration(ms)}`, 'AcpMuted']];
  if (files > 0) pieces.push([` · ${countOf(files, 'file')}`, 'AcpMuted']);
  if (added > 0) pieces.push([` +${added}`, 'AcpAdded']);
  if (removed > 0) pieces.push([` -${removed}`, 'AcpRemoved']);
  if (cost) pieces.push([` · ${price(cost)}`, 'AcpMuted']);
  else if (tokens > 0) pieces.push([` · ${count(tokens)} tokens`, 'AcpMuted']);
  if (files === 0) return [makeLine(...pieces)];
  const review = ':AcpReview';
  // Neovim would break the row after the colon.
  const isLong = width !== undefined && piecesWidth(pieces) + displayWidth(` · ${review}`) > width;
  if (isLong) return [makeLine(...pieces), makeLine([`  ${review}`, 'AcpMuted'])];
  return [makeLine(...pieces, [` · ${review}`, 'AcpMuted'])];
}

export function noticeLines(entry: NoticeEntry): readonly Line[] {
  const colour = signs.noticeColours[entry.severity];
  const sign = entry.severity === 'info' ? '·' : '!';
  const [title = '', ...more] = sanitise(entry.title).split('\n');
  const detail = [...more, ...entry.detail.flatMap((text) => sanitise(text).split('\n'))];
  return [
    makeLine([`${sign} ${shorten(title, maxBodyColumns)}`, colour]),
    ...limitLines(detail).map((text) => makeLine([`  ${shorten(text, maxBodyColumns)}`, 'AcpMuted'])),
    ...(entry.hint === undefined ? [] : [makeLine([`  ${sanitiseLine(entry.hint)}`, ''])]),
  ];
}

/** The status on one line; the summary below it if the entry is open. */
export function compactionLines(entry: CompactionEntry, context: ViewContext): readonly Line[] {
  const [sign, label] = compactionLabel(entry);
  const error = entry.error === '' ? '' : `: ${sanitiseLine(entry.error)}`;
  const heading = makeLine(sign, [` ${label}${error}`, 'AcpMuted']);
  if (entry.summary === '') return [heading];
  const isOpen = context.isOpen(entry.id);
  const marked: Line = { ...heading, right: [[isOpen ? signs.opened : signs.closed, 'AcpMuted']] };
  return isOpen ? [marked, ...bodyLines(entry.summary, 'AcpMuted')] : [marked];
}

function compactionLabel({ status }: CompactionEntry): readonly [Piece, string] {
  if (typeof status === 'object') {
    return [['·', 'AcpMuted'], `compacting the conversation (${sanitiseLine(status.word)})`];
  }
  const sign = signs.toolSigns[status];
  switch (status) {
    case 'running':
      return [sign, 'compacting the conversation'];
    case 'done':
      return [sign, 'the agent continues with a summary of the conversation'];
    case 'failed':
      return [sign, 'the conversation could not be compacted'];
    case 'cancelled':
      return [sign, 'the conversation was not compacted'];
    default:
      return assertNever(status);
  }
}

/** One line for all updates of a kind; the last of them as JSON if the entry is open. */
export function unknownLines(entry: UnknownEntry, context: ViewContext): readonly Line[] {
  const isOpen = context.isOpen(entry.id);
  const name = sanitiseLine(entry.name);
  const heading: Line = {
    ...makeLine([`· acp.nvim does not support the update "${name}" that the agent sent`, 'AcpMuted']),
    right: [
      [`${entry.count > 1 ? `${entry.count} × ` : ''}${isOpen ? signs.opened : signs.closed}`, 'AcpMuted'],
    ],
  };
  if (!isOpen) return [heading];
  return [heading, ...bodyLines(JSON.stringify(entry.raw, undefined, 2) ?? '', 'AcpMuted')];
}
