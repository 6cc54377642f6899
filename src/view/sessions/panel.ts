import { displayPath } from '../../base/paths.ts';
import { shorten } from '../../base/text.ts';
import type { Frame, Piece } from '../../ports/frame.ts';
import { SingleBlock } from '../block.ts';
import { blank, indentLines, type Line, makeLine } from '../line.ts';
import { openElsewhere, timeAgo } from '../pickers/sessions.ts';
import { sanitiseLine } from '../sanitise.ts';
import { withoutSigns } from '../text/inline-markup.ts';
import { plainLine } from '../text/plain-lines.ts';

/** A session in the panel. Texts of agents are not sanitised yet. */
export interface SessionRow {
  /** Its number, which keys refer to. */
  readonly item: number;
  readonly title: string;
  readonly agent: string;
  readonly cwd: string | undefined;
  readonly branch: string | undefined;
  readonly updatedAt: number | undefined;
  /** Another Neovim has it open. */
  readonly isOpenElsewhere?: boolean | undefined;
  /** Absent: no chat shows it. */
  readonly chat?: {
    readonly state: 'waiting' | 'working' | 'stopping' | 'starting' | 'finished' | 'failed' | 'down' | 'idle';
    /** Files with changes that are not reviewed. */
    readonly files: number;
    /** How much of the context is used, in percent. */
    readonly context: number | undefined;
    readonly queued: number;
    /** What it waits for. */
    readonly waitsFor: string | undefined;
    /** The last line of the agent. */
    readonly lastLine: string | undefined;
    /** Marks of the chat, such as `private`. */
    readonly marks: readonly string[];
  };
}

export interface SessionList {
  readonly rows: readonly SessionRow[];
  readonly cwd: string;
  readonly home: string;
  readonly isAll: boolean;
  /** For screen readers: words instead of signs. */
  readonly isPlain?: boolean;
  /** Some sources have not answered yet. */
  readonly isLoading: boolean;
}

const signs = {
  waiting: ['?', 'AcpWaiting'],
  working: ['●', 'AcpRunning'],
  stopping: ['⊘', 'AcpCancelled'],
  starting: ['○', 'AcpPending'],
  finished: ['✓', 'AcpDone'],
  failed: ['✗', 'AcpFailed'],
  down: ['✗', 'AcpFailed'],
  idle: ['○', 'AcpPending'],
} as const;
/** Longer texts are cut before they are sanitised: an agent may send megabytes. */
const maxText = 400;
/** The path of no folder, so that a path is not relative to one. */
const noFolder = '\0';

/** The list of sessions that stays open. */
export class SessionPanelView {
  private readonly list: () => SessionList;
  private readonly now: () => number;
  private readonly block = new SingleBlock(() => this.render());
  private lines: readonly PanelLine[] = [];
  readonly isDirty = false;

  constructor(list: () => SessionList, now: () => number) {
    this.list = list;
    this.now = now;
  }

  reset(): void {
    this.block.reset();
  }

  frame(): Frame | undefined {
    const patches = this.block.draw();
    if (patches.length === 0) return undefined;
    return { chat: 0, part: 'sessions', patches, blocks: 1, items: this.lines.map(({ item }) => item) };
  }

  private render(): readonly Line[] {
    this.lines = panelLines(this.list(), this.now());
    return this.lines.map(({ line }) => line);
  }
}

interface PanelLine {
  readonly line: Line;
  readonly item: number;
}

export function panelLines(list: SessionList, now: number): readonly PanelLine[] {
  const open = list.rows.filter(({ chat }) => chat !== undefined);
  const earlier = list.rows.filter(({ chat }) => chat === undefined);
  const place = list.isAll ? 'all folders' : displayPath(list.cwd, noFolder, list.home);
  const heading = makeLine(['Sessions', 'AcpHeading1'], [`   ${safe(place)}`, 'AcpMuted']);
  const lines = [
    { line: heading, item: 0 },
    ...open.flatMap((row) => rowLines(row, list, now)),
    ...(open.length > 0 && earlier.length > 0 ? [{ line: blank, item: 0 }] : []),
    ...earlier.flatMap((row) => rowLines(row, list, now)),
  ];
  if (list.isLoading) return [...lines, { line: makeLine(['  …', 'AcpMuted']), item: 0 }];
  if (list.rows.length > 0) return lines;
  return [...lines, { line: makeLine(['  There are no sessions yet.', 'AcpMuted']), item: 0 }];
}

function rowLines(row: SessionRow, list: SessionList, now: number): readonly PanelLine[] {
  const { chat, item } = row;
  const title = makeLine(stateSign(row, list), [' ', ''], [safe(row.title), chat ? 'AcpBold' : '']);
  const age: readonly Piece[] = [[rightText(row, now), 'AcpMuted']];
  const below = [makeLine([`    ${facts(row, list)}`, 'AcpMuted'])];
  if (chat?.waitsFor !== undefined) below.push(makeLine([`    ${safe(chat.waitsFor)}`, 'AcpWaiting']));
  else if (chat?.lastLine !== undefined) below.push(...indentLines([withoutSigns(safe(chat.lastLine))], 4));
  const lines = [{ ...title, right: age }, ...below];
  return (list.isPlain ? lines.map(plainLine) : lines).map((line) => ({ line, item }));
}

function stateSign({ chat }: SessionRow, { isPlain }: SessionList): Piece {
  if (!chat) return [isPlain ? 'closed:' : ' ', ''];
  return isPlain ? [`${chat.state}:`, ''] : signs[chat.state];
}

function rightText({ chat, updatedAt }: SessionRow, now: number): string {
  if (chat?.state === 'working' || chat?.state === 'starting' || chat?.state === 'stopping')
    return chat.state;
  return timeAgo(updatedAt, now);
}

function facts({ agent, branch, cwd, chat, isOpenElsewhere }: SessionRow, list: SessionList): string {
  const parts = [
    ...(chat?.marks ?? []),
    agent,
    branch ?? '',
    cwd === undefined || cwd === list.cwd ? '' : displayPath(cwd, list.cwd, list.home),
    chat && chat.files > 0 ? `${chat.files} changed ${chat.files === 1 ? 'file' : 'files'}` : '',
    chat?.context === undefined ? '' : `${chat.context} % of the context`,
    chat && chat.queued > 0 ? `${chat.queued} queued` : '',
    isOpenElsewhere ? openElsewhere : '',
  ];
  return parts
    .filter((part) => part !== '')
    .map(safe)
    .join(' · ');
}

function safe(text: string): string {
  return sanitiseLine(shorten(text, maxText));
}
