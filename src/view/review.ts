import { countOf } from '../base/text.ts';
import type { Picker } from '../ports/dialogs.ts';
import type { Frame, Piece } from '../ports/frame.ts';
import { SingleBlock } from './block.ts';
import { blank, type Line, makeLine } from './line.ts';
import { sanitiseLine } from './sanitise.ts';
import { current } from './signs.ts';

export interface ReviewItem {
  /** Its path relative to the session's folder. */
  readonly name: string;
  readonly added: number;
  readonly removed: number;
  readonly hunks: number;
  readonly state: 'open' | 'kept' | 'rejected' | 'partly kept';
  readonly note: 'new' | 'deleted' | 'binary' | 'executable' | 'not executable' | `was ${string}` | undefined;
}

export interface ReviewList {
  readonly agent: string;
  readonly scope: 'session' | 'turn';
  readonly items: readonly ReviewItem[];
  /** The index of the file whose diff is open. */
  readonly shown: number | undefined;
  /** For screen readers: words instead of signs. */
  readonly isPlain?: boolean;
  /** Files and folders that could not be read, with the reason. */
  readonly unwatched: readonly { readonly name: string; readonly reason: string }[];
}

const maxUnwatched = 20;

/** Lines above the first file. */
export const headingLines = 1;

const signs = {
  open: ['○', 'AcpPending'],
  kept: ['✓', 'AcpDone'],
  'partly kept': ['✓', 'AcpDone'],
  rejected: ['✗', 'AcpFailed'],
} as const;

const plainStates: Readonly<Record<ReviewItem['state'], string>> = {
  open: 'not reviewed',
  kept: 'kept',
  'partly kept': 'partly kept',
  rejected: 'rejected',
};

/** The list of changed files in the review. */
export class ReviewView {
  private readonly chat: number;
  private readonly block: SingleBlock;
  readonly isDirty = false;

  constructor(chat: number, list: () => ReviewList) {
    this.chat = chat;
    this.block = new SingleBlock(() => reviewLines(list()));
  }

  reset(): void {
    this.block.reset();
  }

  frame(): Frame | undefined {
    const patches = this.block.draw();
    return patches.length === 0 ? undefined : { chat: this.chat, part: 'review', patches, blocks: 1 };
  }
}

/** Asks whether to revert files outside the session's folders too. */
export function outsidePicker(chat: number, ask: number, files: readonly string[]): Picker {
  const names = files.map(sanitiseLine).join(', ');
  return {
    prompt: `Outside the folders of the session: ${names}`,
    kind: 'acp.review',
    items: [
      {
        label: `Revert ${files.length === 1 ? 'this file' : 'these files'} too`,
        op: 'review.confirm',
        payload: { chat, ask },
      },
      { label: 'Leave as it is' },
    ],
  };
}

export function reviewLines(list: ReviewList): readonly Line[] {
  const unwatched = unwatchedLines(list);
  if (list.items.length > 0) return [...fileListLines(list), ...unwatched];
  const none =
    unwatched.length > 0 ? [] : [blank, makeLine(['  There are no changes to review.', 'AcpMuted'])];
  return [makeLine(reviewTitle(list)), ...none, ...unwatched];
}

function reviewTitle({ agent, scope }: ReviewList): Piece {
  const when = scope === 'turn' ? 'in the last turn' : 'in this session';
  return [`Changes by ${sanitiseLine(agent)} ${when}`, 'AcpHeading1'];
}

function unwatchedLines({ unwatched }: ReviewList): readonly Line[] {
  if (unwatched.length === 0) return [];
  const heading: Piece = ['  Not tracked, so changes here are not listed:', 'AcpFailed'];
  const shown = unwatched
    .slice(0, maxUnwatched)
    .map(({ name, reason }) =>
      makeLine([`    ${sanitiseLine(name)}  `, ''], [sanitiseLine(reason), 'AcpMuted']),
    );
  const more = unwatched.length - shown.length;
  const rest = more > 0 ? [makeLine([`    and ${more} more, see :AcpLog`, 'AcpMuted'])] : [];
  return [blank, makeLine(heading), ...shown, ...rest];
}

function fileListLines(list: ReviewList): readonly Line[] {
  const { items, shown } = list;
  const total = (key: 'added' | 'removed') => items.reduce((sum, item) => sum + item[key], 0);
  const totals = counts(total('added'), total('removed'));
  const isSettled = items.every(({ state }) => state !== 'open');
  const count = countOf(items.length, 'file');
  const files: Piece = [`   ${count}${isSettled ? ', all reviewed' : '  '}`, 'AcpMuted'];
  const width = Math.max(...items.map(({ name }) => sanitiseLine(name).length));
  return [
    makeLine(reviewTitle(list), files, ...totals),
    ...items.map((item, index) => itemLine(item, width, index === shown, list.isPlain)),
  ];
}

function itemLine(item: ReviewItem, width: number, isShown: boolean, isPlain = false): Line {
  const { name, added, removed, state } = item;
  const [sign, hl] = isPlain ? [`${plainStates[state]}:`, ''] : signs[state];
  const shown = sanitiseLine(name).padEnd(width);
  const title: Piece = [`${shown}  `, isShown ? 'AcpBold' : ''];
  const figures = state === 'open' ? counts(added, removed) : [];
  const mark = isPlain ? (isShown ? 'shown, ' : '') : isShown ? `${current} ` : '  ';
  const note = isPlain && state !== 'open' ? '' : itemNote(item);
  return makeLine([mark, 'AcpMuted'], [`${sign} `, hl], title, ...figures, [note, 'AcpMuted']);
}

function counts(added: number, removed: number): readonly Piece[] {
  // Binary files and mode changes have no lines to count.
  if (added + removed === 0) return [[' '.repeat(10), '']];
  return [
    [(added === 0 ? '' : `+${added}`).padEnd(5), 'AcpAdded'],
    [(removed === 0 ? '' : `-${removed}`).padEnd(5), 'AcpRemoved'],
  ];
}

function itemNote({ state, hunks, note }: ReviewItem): string {
  if (state !== 'open') return state;
  const parts = [note === undefined ? '' : sanitiseLine(note), hunks > 1 ? `${hunks} hunks` : ''];
  return parts.filter((part) => part !== '').join(', ');
}
