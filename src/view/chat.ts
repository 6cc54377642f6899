import type { Entry, SessionState } from '../session/model.ts';
import { compactionLines, unknownLines } from './asides.ts';
import { type Block, PlainBlock, StreamBlock } from './block.ts';
import type { DiffContent } from './diff.ts';
import {
  agentHeading,
  noticeLines,
  planLines,
  questionLines,
  thoughtLines,
  userHeading,
  type ViewContext,
} from './entries.ts';
import type { Frame, Patch } from './frame.ts';
import { blank, type Line, lineOf, type Target } from './line.ts';
import { activityOf, winbarOf } from './status.ts';
import { toolLines } from './tool-lines.ts';

/**
 * How much text one frame may carry, so that Neovim is never busy with it for long. The first of many is small: it is
 * on the screen soon, and those after it carry more each as long as there is more than they can take.
 */
export const frameBudget = { first: 64 * 1024, most: 512 * 1024 };

export interface ChatPlace {
  readonly chat: number;
  readonly cwd: string;
  readonly home: string;
  /** Called before a frame is made of what is new. */
  onFrame?(): void;
  /** Called with the first error of an entry that can't be drawn. */
  onError?(error: unknown): void;
}

/** The transcript as a buffer shows it. It remembers what was drawn and says what has changed since. */
export class ChatView implements ViewContext {
  readonly state: SessionState;
  readonly cwd: string;
  readonly home: string;
  now = 0;
  private readonly chat: number;
  private readonly onFrame: () => void;
  private readonly onError: (error: unknown) => void;
  private readonly failed = new Set<number>();
  private blocks = new Map<number, Block>();
  private dirty = new Set<Entry>();
  private readonly opened = new Set<number>();
  private readonly starts = new WeakMap<DiffContent, number>();
  private lastDrawn: Entry | undefined;
  /** The name of the agent stands above something since the last prompt. */
  private isAgentNamed = false;
  private winbar = '';
  private activity = '';
  private mustReset = true;
  private budget = frameBudget.first;

  constructor(state: SessionState, place: ChatPlace) {
    this.state = state;
    this.chat = place.chat;
    this.cwd = place.cwd;
    this.home = place.home;
    this.onFrame = () => place.onFrame?.();
    this.onError = (error) => place.onError?.(error);
  }

  touch(entries: readonly Entry[]): void {
    for (const entry of entries) this.dirty.add(entry);
  }

  /** What shows a running time is drawn again as it passes. */
  tick(): void {
    if (this.state.open?.role === 'thought') this.dirty.add(this.state.open);
    for (const tool of this.state.tools.values()) if (tool.status === 'running') this.dirty.add(tool);
  }

  /** Forgets what was drawn, because the buffer did. */
  reset(): void {
    this.mustReset = true;
    this.blocks = new Map();
    this.dirty = new Set(this.state.entries);
    this.lastDrawn = undefined;
    this.isAgentNamed = false;
    this.winbar = '';
    this.activity = '';
  }

  /** Opens or closes what an entry keeps to itself. */
  toggle(id: number): void {
    if (!this.opened.delete(id)) this.opened.add(id);
    const entry = this.state.entries.find((candidate) => candidate.id === id);
    if (entry) this.dirty.add(entry);
  }

  isOpen(id: number): boolean {
    return this.opened.has(id);
  }

  /** What a line of an entry stands for. */
  targetAt(
    id: number,
    line: number,
  ): { readonly entry: Entry; readonly target: Target | undefined } | undefined {
    const entry = this.state.entries.find((candidate) => candidate.id === id);
    return entry && { entry, target: this.blocks.get(id)?.targetAt?.(line) };
  }

  /** The change of an entry that a line belongs to; none where it stands for all of them. */
  changeAt(id: number, line: number): number | undefined {
    for (let at = line; at >= 0; at -= 1) {
      const target = this.targetAt(id, at)?.target;
      if (target && 'diff' in target) return target.isHeading ? undefined : target.diff;
    }
    return undefined;
  }

  startOf(content: DiffContent): number | undefined {
    return this.starts.get(content);
  }

  /** Where the part of a file that a change is about was found. */
  place(content: DiffContent, start: number): void {
    this.starts.set(content, start);
  }

  /** The next frame, or undefined when the buffer is up to date. */
  frame(now: number): Frame | undefined {
    this.now = now;
    this.onFrame();
    const patches = this.drawDirty();
    const winbar = winbarOf(this.state, now);
    const activity = activityOf(this.state, now);
    const bars = {
      ...(this.isNews('winbar', winbar) && { winbar }),
      ...(this.isNews('activity', activity) && { activity }),
    };
    if (patches.length === 0 && Object.keys(bars).length === 0) return undefined;
    return { chat: this.chat, patches, blocks: this.blocks.size, ...bars };
  }

  get isDirty(): boolean {
    return this.dirty.size > 0;
  }

  private drawDirty(): readonly Patch[] {
    const patches: Patch[] = this.mustReset ? [{ op: 'reset' }] : [];
    this.mustReset = false;
    let budget = this.budget;
    for (const entry of [...this.dirty].sort((one, other) => one.id - other.id)) {
      if (budget <= 0) break;
      this.dirty.delete(entry);
      const block = this.blockOf(entry);
      const drawn = block.draw(budget);
      if (block.hasMore) this.dirty.add(entry);
      for (const patch of drawn) if ('lines' in patch) budget -= sizeOf(patch.lines);
      patches.push(...drawn);
    }
    this.budget = this.isDirty ? Math.min(4 * this.budget, frameBudget.most) : frameBudget.first;
    return patches;
  }

  private blockOf(entry: Entry): Block {
    const known = this.blocks.get(entry.id);
    if (known) return known;
    const above = this.linesAbove(entry, this.lastDrawn);
    const block = this.makeBlock(entry, above);
    this.blocks.set(entry.id, block);
    this.lastDrawn = entry;
    if (entry.kind !== 'notice') this.isAgentNamed = !isUser(entry);
    return block;
  }

  private makeBlock(entry: Entry, above: readonly Line[]): Block {
    if (entry.kind === 'message' && entry.role !== 'thought')
      return new StreamBlock(entry.id, above, entry.text, isUser(entry));
    return new PlainBlock(entry.id, () => [...above, ...this.drawnLines(entry)]);
  }

  // One entry that can't be drawn must not blank the chat.
  private drawnLines(entry: Entry): readonly Line[] {
    try {
      return this.linesOf(entry);
    } catch (error) {
      if (!this.failed.has(entry.id)) this.onError(error);
      this.failed.add(entry.id);
      return [lineOf(['! This could not be drawn; :AcpLog tells why.', 'AcpFailed'])];
    }
  }

  private linesOf(entry: Entry): readonly Line[] {
    switch (entry.kind) {
      case 'message':
        return thoughtLines(entry, this);
      case 'tool':
        return toolLines(entry, this);
      case 'plan':
        return planLines(entry);
      case 'notice':
        return noticeLines(entry);
      case 'question':
        return questionLines(entry, this);
      case 'compaction':
        return compactionLines(entry, this);
      case 'unknown':
        return unknownLines(entry, this);
    }
  }

  // Entries never move, so what stands above one depends on those before it alone and is fixed with it.
  private linesAbove(entry: Entry, before: Entry | undefined): readonly Line[] {
    const gap = before === undefined || isTight(before, entry) ? [] : [blank];
    if (isUser(entry)) return [...gap, userHeading(entry)];
    if (entry.kind === 'notice' || this.isAgentNamed) return gap;
    return [...gap, agentHeading(this.state.agent.title)];
  }

  private isNews(slot: 'winbar' | 'activity', value: unknown): boolean {
    const text = JSON.stringify(value);
    if (this[slot] === text) return false;
    this[slot] = text;
    return true;
  }
}

function isUser(entry: Entry): entry is Entry & { kind: 'message' } {
  return entry.kind === 'message' && entry.role === 'user';
}

// Machinery stands line on line; what is to be read gets air.
function isTight(before: Entry, entry: Entry): boolean {
  const isMachinery = (candidate: Entry) =>
    candidate.kind === 'tool' ||
    candidate.kind === 'question' ||
    candidate.kind === 'compaction' ||
    candidate.kind === 'unknown' ||
    (candidate.kind === 'message' && candidate.role === 'thought');
  return (isMachinery(before) && isMachinery(entry)) || (isUser(before) && entry.kind === 'notice');
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
