import type { Entry, QuestionEntry, SummaryEntry, ToolEntry } from '../../model/entries.ts';
import { isRunFile } from '../../model/run-files.ts';
import { isCutCall, type SessionState } from '../../model/session.ts';
import { type Frame, type Patch, patchSize } from '../../ports/frame.ts';
import { type Block, PlainBlock, StreamBlock } from '../block.ts';
import type { DiffContent, FileDiff } from '../diff/diff.ts';
import type { TextPlace } from '../diff/find-in-file.ts';
import { ToolDiffCache } from '../diff/tool-diff-cache.ts';
import { blank, type Line, type LineTarget, makeLine } from '../line.ts';
import type { QuestionOffers } from '../questions/choices.ts';
import { plainLine, withoutMarkdown } from '../text/plain-lines.ts';
import { attachmentLines } from './attachments.ts';
import {
  agentHeading,
  compactionLines,
  noticeLines,
  planLines,
  promptLines,
  summaryLines,
  thoughtLines,
  unknownLines,
  userHeading,
} from './entries.ts';
import { Neighbours } from './neighbours.ts';
import { questionLines } from './question.ts';
import { isCompact, isOfPlugin, isOfUser, isOpenQuestion, isPrompt, isWithoutGap } from './spacing.ts';
import { Surroundings, type SurroundingsLook } from './surroundings.ts';
import type { CallGroup } from './tools/call-groups.ts';
import { CallLayout } from './tools/call-layout.ts';
import { askedPlan } from './tools/plan-call.ts';
import { isToolUnfolded } from './tools/tool-lines.ts';
import type { ViewContext } from './view-context.ts';

/**
 * The most text per frame, so that Neovim is never blocked for long. The first frame of a transcript is small and
 * therefore visible soon; the budget of each following frame grows while there is more to draw.
 */
export const frameBudget = { first: 64 * 1024, usual: 256 * 1024, most: 512 * 1024 };
/** A patch takes Neovim at least as long as so many characters of a long text. */
const patchCost = 4 * 1024;
/** Neovim would spend most of each second on the durations of thousands of calls. */
const maxTickingCalls = 200;

/** How the transcript looks. */
interface TranscriptLook extends SurroundingsLook {
  /** Markdown is left to another plugin. */
  readonly leavesMarkdown: boolean;
}

const defaultLook: TranscriptLook = {
  leavesMarkdown: false,
  isPlain: false,
  keys: { cancel: '<C-c>', nextQuestion: 'gw', diff: 'gd' },
};

interface TranscriptOptions {
  readonly chat: number;
  readonly cwd: string;
  /** The other folders of the session; absolute. */
  readonly directories?: readonly string[];
  readonly home: string;
  /** Called before each frame. */
  onFrame?(): void;
  /** Called once for each entry that can't be drawn. */
  onError?(error: unknown): void;
  /** Called when the next frame shows the question as it is now. */
  onQuestion?(entry: QuestionEntry): void;
  /** Called when the next frame shows an open call of which a part is not in memory. */
  onCutCall?(entry: ToolEntry): void;
  /** The real path of a file, without links. */
  resolveLinks?(file: string): string;
  /** Whether other programs execute the file at this real path, or read their settings from it. */
  isProtected?(file: string): boolean;
  /** How the user wants it to look; read when an entry is drawn for the first time. */
  look?(): TranscriptLook;
  /** What the user can choose in an open question besides the options of the agent. */
  offers?(entry: QuestionEntry): QuestionOffers;
}

/** The transcript of a chat. Remembers what was drawn and makes frames of the changes. */
export class TranscriptView implements ViewContext {
  readonly state: SessionState;
  readonly cwd: string;
  readonly home: string;
  readonly roots: readonly string[];
  readonly diffs = new ToolDiffCache();
  now = 0;
  width: number | undefined;
  readonly offers: (entry: QuestionEntry) => QuestionOffers;
  readonly resolveLinks: (file: string) => string;
  readonly isProtected: (file: string) => boolean;
  private readonly chat: number;
  private readonly look: () => TranscriptLook;
  private readonly onFrame: () => void;
  private readonly onError: (error: unknown) => void;
  private readonly onQuestion: (entry: QuestionEntry) => void;
  private readonly onCutCall: (entry: ToolEntry) => void;
  private readonly failed = new Set<number>();
  private blocks = new Map<number, Block>();
  private dirty = new Set<Entry>();
  private readonly opened = new Set<number>();
  private readonly calls: CallLayout;
  private readonly above = new Map<number, number>();
  private readonly neighbours = new Neighbours();
  /** Drawn blocks that a new entry was added below. */
  private readonly withNewBelow = new Set<number>();
  /** Blocks with more than a heading, and the answers below them: what follows stands apart from these. */
  private readonly openBlocks = new Set<number>();
  /** The number of blocks in the buffer. */
  private drawnBlocks = 0;
  private readonly starts = new WeakMap<DiffContent, number>();
  private lastDrawn: Entry | undefined;
  /** The entry above each prompt of the user, by the id of the prompt. */
  private readonly beforePrompts = new Map<number, Entry>();
  /** The agent's heading was drawn since the last prompt. */
  private isAgentNamed = false;
  private readonly surroundings = new Surroundings(this);
  private mustReset = true;
  private budget = frameBudget.first;

  constructor(state: SessionState, options: TranscriptOptions) {
    this.state = state;
    this.calls = new CallLayout(this);
    this.chat = options.chat;
    this.cwd = options.cwd;
    this.home = options.home;
    this.roots = [options.cwd, ...(options.directories ?? [])];
    this.look = () => options.look?.() ?? defaultLook;
    this.onFrame = () => options.onFrame?.();
    this.onQuestion = (entry) => options.onQuestion?.(entry);
    this.onCutCall = (entry) => options.onCutCall?.(entry);
    this.resolveLinks = (file) => options.resolveLinks?.(file) ?? file;
    this.isProtected = (file) => options.isProtected?.(file) ?? isRunFile(file);
    this.offers = (entry) => options.offers?.(entry) ?? {};
    this.onError = (error) => options.onError?.(error);
  }

  markChanged(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.dirty.add(entry);
      for (const other of this.calls.update(entry)) this.dirty.add(other);
    }
  }

  childrenOf(id: number): readonly ToolEntry[] {
    return this.calls.childrenOf(id);
  }

  /** Redraws the entries that show a running duration: of very many calls only the last ones. */
  tick(): void {
    if (this.look().isPlain) return;
    if (this.state.openMessage?.role === 'thought') this.dirty.add(this.state.openMessage);
    const running = [...this.state.tools.values()].filter(({ status }) => status === 'running');
    for (const tool of running.slice(-maxTickingCalls)) this.dirty.add(tool);
  }

  /** Lays out again what depends on the width of the windows. */
  resize(width: number): void {
    this.width = width;
    for (const entry of this.state.entries) if (dependsOnWidth(entry)) this.dirty.add(entry);
  }

  /** The text of a line as it was written, if it is drawn differently. */
  sourceAt(id: number, line: number): string | undefined {
    return this.blocks.get(id)?.sourceAt?.(line);
  }

  /** Draws everything again, after the buffer lost its content. */
  reset(): void {
    this.mustReset = true;
    this.budget = frameBudget.first;
    this.blocks = new Map();
    this.dirty = new Set(this.state.entries);
    this.lastDrawn = undefined;
    this.neighbours.clear();
    this.withNewBelow.clear();
    this.openBlocks.clear();
    this.drawnBlocks = 0;
    this.beforePrompts.clear();
    this.calls.reset();
    this.isAgentNamed = false;
    this.surroundings.reset();
  }

  /** Opens or closes an entry, or the group whose line this is. */
  toggle(id: number, line?: number): void {
    const group = this.groupAt(id, line);
    if (group) return this.foldGroup(group, !group.isOpen);
    const entry = this.state.entries.find((candidate) => candidate.id === id);
    if (entry) this.toggleEntry(entry);
  }

  private toggleEntry(entry: Entry): void {
    if (!this.opened.delete(entry.id)) this.opened.add(entry.id);
    this.dirty.add(entry);
    this.calls.refold(entry);
  }

  /** Opens or closes an entry or a group that is not so already. A closed call in a group closes the group. */
  fold(entry: Entry, isOpen: boolean, line?: number): void {
    const isChange = this.isUnfolded(entry) !== isOpen;
    const group =
      this.groupAt(entry.id, line) ?? (isOpen || isChange ? undefined : this.calls.groupOf(entry.id));
    if (group) this.foldGroup(group, isOpen);
    else if (isChange) this.toggleEntry(entry);
  }

  /** Opens or closes entries, and all groups. */
  foldAll(entries: readonly Entry[], isOpen: boolean): void {
    for (const call of this.calls.foldAllGroups(isOpen)) this.dirty.add(call);
    for (const entry of entries) if (this.isUnfolded(entry) !== isOpen) this.toggleEntry(entry);
  }

  private foldGroup(group: CallGroup, isOpen: boolean): void {
    for (const call of this.calls.foldGroup(group, isOpen)) this.dirty.add(call);
  }

  /** The group whose line this is. */
  groupAt(id: number, line?: number): CallGroup | undefined {
    return this.calls.groupAt(id, line === undefined ? undefined : line - this.linesAboveOf(id));
  }

  /** The entry at whose lines an entry is found: one that hides it, else itself. */
  shownAt(entry: Entry): number {
    return this.calls.shownAt(entry);
  }

  /** The call itself or the nearest one above it that stands for a running subagent that can be stopped alone. */
  subagentAt(id: number): ToolEntry | undefined {
    const entry = this.state.entries.find((candidate) => candidate.id === id);
    let call = entry?.kind === 'tool' ? entry : undefined;
    while (call && !(call.subagent?.canCancel && call.status === 'running'))
      call = this.calls.parentOf(call.id);
    return call;
  }

  isOpen(id: number): boolean {
    return this.opened.has(id);
  }

  // A short diff is shown until the user closes it, so being toggled is not the same as being open.
  private isUnfolded(entry: Entry): boolean {
    return entry.kind === 'tool' ? isToolUnfolded(entry, this) : this.isOpen(entry.id);
  }

  private isToggledOpen(call: ToolEntry): boolean {
    return this.isOpen(call.id) && isToolUnfolded(call, this);
  }

  /** Where a key on a line of an entry leads. */
  targetAt(
    id: number,
    line: number,
  ): { readonly entry: Entry; readonly target: LineTarget | undefined } | undefined {
    const entry = this.state.entries.find((candidate) => candidate.id === id);
    return entry && { entry, target: this.blocks.get(id)?.targetAt?.(line) };
  }

  /** Which row of the text of a message a line shows. */
  textRowAt(id: number, line: number): number | undefined {
    return this.blocks.get(id)?.textRowAt?.(line);
  }

  /** The index of the diff that a line belongs to; undefined for the heading of all of them. */
  changeAt(id: number, line: number): number | undefined {
    for (let at = line; at >= 0; at -= 1) {
      const target = this.targetAt(id, at)?.target;
      if (target && 'diff' in target) return target.isHeading ? undefined : target.diff;
    }
    return undefined;
  }

  /** How many lines of its block are above an entry: a blank line, a heading. */
  linesAboveOf(id: number): number {
    return this.above.get(id) ?? 0;
  }

  diffStart(content: DiffContent): number | undefined {
    return this.starts.get(content);
  }

  /** Stores where the changed text was found in the file. */
  setDiffPlace(diff: FileDiff, place: TextPlace): void {
    if ('kind' in diff.source) this.starts.set(diff.source, place.row);
    this.diffs.completeLines(diff, place);
  }

  /** The next frame, or undefined when the buffer is up to date. */
  frame(now: number): Frame | undefined {
    this.now = now;
    this.onFrame();
    const patches = this.drawDirty();
    const surroundings = this.surroundings.changes(this.look());
    if (patches.length === 0 && !surroundings) return undefined;
    return { chat: this.chat, patches, blocks: this.drawnBlocks, ...surroundings };
  }

  get isDirty(): boolean {
    return this.dirty.size > 0;
  }

  private drawDirty(): readonly Patch[] {
    const patches: Patch[] = this.mustReset ? [{ op: 'reset' }] : [];
    this.mustReset = false;
    let budget = this.budget;
    for (const call of this.calls.takeRefolded()) this.dirty.add(call);
    const entries = [...this.dirty].sort((one, other) => one.id - other.id);
    for (const [index, entry] of entries.entries()) {
      if (budget <= 0) break;
      const drawn = this.drawEntry(entry, entries[index + 1], budget);
      for (const patch of drawn) budget -= patchCost + patchSize(patch);
      patches.push(...drawn);
    }
    this.drawnBlocks += patches.filter(({ op }) => op === 'new').length;
    this.budget = this.isDirty ? Math.min(4 * this.budget, frameBudget.most) : frameBudget.usual;
    return patches;
  }

  private drawEntry(entry: Entry, next: Entry | undefined, budget: number): readonly Patch[] {
    this.dirty.delete(entry);
    const block = this.blockOf(entry);
    // Otherwise an entry would be drawn again as soon as the next one stands below it.
    if (next) this.blockOf(next);
    const drawn = [...this.drawAbove(entry), ...block.draw(budget), ...this.drawAnswersBelow(entry)];
    this.withNewBelow.delete(entry.id);
    if (block.hasMore) this.dirty.add(entry);
    return drawn;
  }

  private blockOf(entry: Entry): Block {
    const known = this.blocks.get(entry.id);
    if (known) return known;
    if (entry.kind === 'summary' && entry.above !== undefined) {
      const late = this.lateSummaryBlock(entry, this.beforePrompts.get(entry.above));
      if (late) return late;
    }
    const below = this.calls.placeOf(entry);
    if (below !== undefined) {
      const nested = this.makeBlock(entry, [], below);
      this.blocks.set(entry.id, nested);
      this.addBelow(below, entry);
      return nested;
    }
    const above = this.linesAbove(entry, this.lastDrawn);
    const block = this.makeBlock(entry, above);
    if (above.length > 0) this.above.set(entry.id, above.length);
    this.blocks.set(entry.id, block);
    if (this.lastDrawn && isCompact(this.lastDrawn) && isCompact(entry))
      this.addBelow(this.calls.lastBlockOf(this.lastDrawn.id), entry);
    if (this.lastDrawn && isPrompt(entry)) this.beforePrompts.set(entry.id, this.lastDrawn);
    this.lastDrawn = entry;
    if (entry.kind !== 'notice') this.isAgentNamed = !isOfUser(entry) && entry.kind !== 'summary';
    return block;
  }

  private addBelow(above: number, entry: Entry): void {
    this.neighbours.add(above, entry);
    this.withNewBelow.add(above);
  }

  // The summary of a turn stands above the next prompt, also if that is drawn already.
  private lateSummaryBlock(entry: SummaryEntry, before: Entry | undefined): Block | undefined {
    if (!before) return undefined;
    const above = this.linesAbove(entry, before);
    const block = this.makeBlock(entry, above, this.calls.lastBlockOf(before.id));
    this.above.set(entry.id, above.length);
    this.blocks.set(entry.id, block);
    return block;
  }

  // An open entry has a blank line below it as soon as a new one follows it.
  private drawAbove(entry: Entry): readonly Patch[] {
    const above = this.neighbours.idAbove(entry.id);
    if (above === undefined || !this.withNewBelow.delete(above)) return [];
    return this.blocks.get(above)?.draw(0) ?? [];
  }

  // The blank line of an open call is below the answers that follow it. Those that are dirty are drawn anyway.
  private drawAnswersBelow(entry: Entry): readonly Patch[] {
    const below = this.neighbours.entryBelow(entry.id);
    if (below?.kind !== 'question' || this.dirty.has(below)) return [];
    return [...(this.blocks.get(below.id)?.draw(0) ?? []), ...this.drawAnswersBelow(below)];
  }

  private makeBlock(entry: Entry, above: readonly Line[], below?: number): Block {
    const { isPlain, leavesMarkdown } = this.look();
    const isAsWritten = isPlain || leavesMarkdown;
    if (entry.kind === 'message' && entry.role === 'agent')
      return new StreamBlock(entry.id, above, entry.text, {
        width: () => this.width,
        isEnded: () => entry.endedAt !== undefined,
        isPlain: isAsWritten,
      });
    const linesAbove = () => (entry.kind === 'question' ? this.questionGap(entry, above) : above);
    const render = () => {
      const lines = [...linesAbove(), ...this.withGap(entry, this.drawnLines(entry))];
      const written = isAsWritten && hasMarkdown(entry) ? lines.map(withoutMarkdown) : lines;
      return isPlain ? written.map(plainLine) : written;
    };
    return new PlainBlock(entry.id, render, {
      ...(entry.kind === 'tool' && { headings: () => this.headingsOf(entry, above.length) }),
      // The heading is the last line above the text.
      ...(isPrompt(entry) && { prompt: above.length - 1, user: above.length - 1 }),
      ...(entry.kind === 'attachments' && isOfUser(entry) && { user: above.length }),
      ...(below !== undefined && { below }),
    });
  }

  // An open entry and the answers below it stand apart from the next entry. An open question has a blank line of its
  // own.
  private withGap(entry: Entry, lines: readonly Line[]): readonly Line[] {
    if (!this.isOpenBlock(entry, lines)) {
      this.openBlocks.delete(entry.id);
      return lines;
    }
    this.openBlocks.add(entry.id);
    const next = this.neighbours.entryBelow(entry.id);
    return next && next.kind !== 'question' ? [...lines, blank] : lines;
  }

  private isOpenBlock(entry: Entry, lines: readonly Line[]): boolean {
    if (isOpenQuestion(entry)) return false;
    const above = this.neighbours.idAbove(entry.id);
    if (entry.kind === 'question' && above !== undefined && this.openBlocks.has(above)) return true;
    const headings = entry.kind === 'tool' && this.calls.isFirstOfOpenGroup(entry) ? 2 : 1;
    return lines.length > headings;
  }

  // The heading of the first call is below that of its open group.
  private headingsOf(call: ToolEntry, above: number): { readonly tool: number; readonly group?: number } {
    return this.calls.isFirstOfOpenGroup(call) ? { tool: above + 1, group: above } : { tool: above };
  }

  // An entry that can't be drawn must not break the others.
  private drawnLines(entry: Entry): readonly Line[] {
    try {
      return this.entryLines(entry);
    } catch (error) {
      if (!this.failed.has(entry.id)) this.onError(error);
      this.failed.add(entry.id);
      return [makeLine(['! This entry could not be drawn; :AcpLog has the error.', 'AcpFailed'])];
    }
  }

  private entryLines(entry: Entry): readonly Line[] {
    switch (entry.kind) {
      case 'message':
        return isPrompt(entry) ? promptLines(entry, this) : thoughtLines(entry, this);
      case 'attachments':
        return attachmentLines(entry, this);
      case 'tool':
        if (isCutCall(entry, this.state) && this.isToggledOpen(entry)) this.onCutCall(entry);
        return this.calls.linesOf(entry);
      case 'plan':
        return planLines(entry);
      case 'notice':
        return noticeLines(entry);
      case 'question':
        this.onQuestion(entry);
        return questionLines(entry, this);
      case 'compaction':
        return compactionLines(entry, this);
      case 'summary':
        return summaryLines(entry, this.width);
      case 'unknown':
        return unknownLines(entry, this);
    }
  }

  // Entries never move, so the lines above one depend only on earlier entries and never change.
  private linesAbove(entry: Entry, before: Entry | undefined): readonly Line[] {
    const gap = before === undefined || isWithoutGap(before, entry) ? [] : [blank];
    if (isPrompt(entry)) return [...gap, userHeading(entry)];
    if (isOfPlugin(entry) || isOfUser(entry) || this.isAgentNamed) return gap;
    return [...gap, agentHeading(this.state.agent.title)];
  }

  // An open question stands apart from the change or the output above it.
  private questionGap(entry: QuestionEntry, above: readonly Line[]): readonly Line[] {
    const isFirst = this.blocks.keys().next().value === entry.id;
    const gap = entry.answer === undefined && above.length === 0 && !isFirst ? [blank] : above;
    this.above.set(entry.id, gap.length);
    return gap;
  }
}

function hasMarkdown(entry: Entry): boolean {
  const call = entry.kind === 'question' ? entry.tool : entry;
  return entry.kind === 'plan' || isPrompt(entry) || (call?.kind === 'tool' && askedPlan(call) !== undefined);
}

function dependsOnWidth({ kind }: Entry): boolean {
  return ['tool', 'message', 'question', 'attachments', 'summary'].includes(kind);
}
