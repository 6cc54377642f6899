import { PlainBlock } from './block.ts';
import type { Frame, Patch } from './frame.ts';
import { blank, type Line, lineOf, type Piece } from './line.ts';
import type { Picker } from './pickers.ts';
import { sanitiseLine } from './sanitise.ts';

/** A file in the list of a review. */
export interface ReviewItem {
  /** As the user knows it, from the folder of the session on. */
  readonly name: string;
  readonly added: number;
  readonly removed: number;
  readonly hunks: number;
  readonly state: 'open' | 'kept' | 'rejected' | 'partly kept';
  /** What is special about it. */
  readonly note: 'new' | 'deleted' | 'binary' | 'executable' | 'not executable' | `was ${string}` | undefined;
}

export interface ReviewList {
  readonly agent: string;
  readonly scope: 'session' | 'turn';
  readonly items: readonly ReviewItem[];
  /** The one whose diff is shown. */
  readonly shown: number | undefined;
  /** What could not be looked at, by name. */
  readonly unwatched: readonly { readonly name: string; readonly reason: string }[];
}

const maxUnwatched = 20;

/** Above the first file. */
export const headingLines = 1;

const signs = {
  open: ['●', 'AcpRunning'],
  kept: ['✓', 'AcpDone'],
  'partly kept': ['✓', 'AcpDone'],
  rejected: ['✗', 'AcpFailed'],
} as const;

/** The files of a review with their counts. */
export class ReviewView {
  private readonly chat: number;
  private readonly list: () => ReviewList;
  private block: PlainBlock | undefined;
  readonly isDirty = false;

  constructor(chat: number, list: () => ReviewList) {
    this.chat = chat;
    this.list = list;
  }

  reset(): void {
    this.block = undefined;
  }

  frame(): Frame | undefined {
    const patches: Patch[] = this.block ? [] : [{ op: 'reset' }];
    this.block ??= new PlainBlock(1, () => reviewLines(this.list()));
    patches.push(...this.block.draw());
    return patches.length === 0 ? undefined : { chat: this.chat, part: 'review', patches, blocks: 1 };
  }
}

/** Whether to put back files that are not in the folders of the session. */
export function outsidePicker(chat: number, ask: number, files: readonly string[]): Picker {
  const names = files.map(sanitiseLine).join(', ');
  return {
    prompt: `Outside of the folders of the session: ${names}`,
    kind: 'acp.review',
    items: [
      {
        label: `Put back ${files.length === 1 ? 'this file' : 'these files'} too`,
        op: 'review.outside',
        payload: { chat, ask },
      },
      { label: 'Leave as it is' },
    ],
  };
}

export function reviewLines(list: ReviewList): readonly Line[] {
  const unwatched = unwatchedLines(list);
  if (list.items.length > 0) return [...fileLines(list), ...unwatched];
  const none = unwatched.length > 0 ? [] : [blank, lineOf(['  There are none to review.', 'AcpMuted'])];
  return [lineOf(titleOf(list)), ...none, ...unwatched];
}

function titleOf({ agent, scope }: ReviewList): Piece {
  const when = scope === 'turn' ? 'in the last turn' : 'in this session';
  return [`Changes by ${sanitiseLine(agent)} ${when}`, 'AcpHeading'];
}

function unwatchedLines({ unwatched }: ReviewList): readonly Line[] {
  if (unwatched.length === 0) return [];
  const heading: Piece = ['  Could not be looked at; changes there are not listed:', 'AcpFailed'];
  const shown = unwatched
    .slice(0, maxUnwatched)
    .map(({ name, reason }) =>
      lineOf([`    ${sanitiseLine(name)}  `, ''], [sanitiseLine(reason), 'AcpMuted']),
    );
  const more = unwatched.length - shown.length;
  const rest = more > 0 ? [lineOf([`    and ${more} more, see :AcpLog`, 'AcpMuted'])] : [];
  return [blank, lineOf(heading), ...shown, ...rest];
}

function fileLines(list: ReviewList): readonly Line[] {
  const { items, shown } = list;
  const total = (key: 'added' | 'removed') => items.reduce((sum, item) => sum + item[key], 0);
  const totals = counts(total('added'), total('removed'));
  const isSettled = items.every(({ state }) => state !== 'open');
  const count = `${items.length} ${items.length === 1 ? 'file' : 'files'}`;
  const files: Piece = [`   ${count}${isSettled ? ', all settled' : '  '}`, 'AcpMuted'];
  const width = Math.max(...items.map(({ name }) => sanitiseLine(name).length));
  return [
    lineOf(titleOf(list), files, ...totals),
    ...items.map((item, index) => itemLine(item, width, index === shown)),
  ];
}

function itemLine(item: ReviewItem, width: number, isShown: boolean): Line {
  const { name, added, removed, state } = item;
  const [sign, hl] = signs[state];
  const shown = sanitiseLine(name).padEnd(width);
  const title: Piece = [`${shown}  `, isShown ? 'AcpBold' : ''];
  const figures = state === 'open' ? counts(added, removed) : [];
  return lineOf([isShown ? '▸ ' : '  ', 'AcpMuted'], [`${sign} `, hl], title, ...figures, [
    ending(item),
    'AcpMuted',
  ]);
}

function counts(added: number, removed: number): readonly Piece[] {
  // A file without lines to count.
  if (added + removed === 0) return [[' '.repeat(10), '']];
  return [
    [`+${added}`.padEnd(5), 'AcpAdded'],
    [`-${removed}`.padEnd(5), 'AcpRemoved'],
  ];
}

function ending({ state, hunks, note }: ReviewItem): string {
  if (state !== 'open') return state;
  const parts = [note === undefined ? '' : sanitiseLine(note), hunks > 1 ? `${hunks} hunks` : ''];
  return parts.filter((part) => part !== '').join(', ');
}
