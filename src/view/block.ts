import { wholeCharacters } from '../base.ts';
import type { GrowingText } from '../session/text.ts';
import { type Patch, textOf } from './frame.ts';
import { isSameLine, type Line, type Target } from './line.ts';
import { type CodeRange, MarkdownStream } from './markdown.ts';
import { sanitise } from './sanitise.ts';

/** One entry of the transcript as it stands in the buffer. */
export interface Block {
  readonly height: number;
  /** The changes since the last call; the first call draws the block. At most about `budget` characters of text. */
  draw(budget: number): readonly Patch[];
  /** There is more to draw than the budget allowed. */
  readonly hasMore: boolean;
  /** What one of its lines stands for. */
  targetAt?(line: number): Target | undefined;
}

/** A block that is small and drawn from its entry each time; only the lines that differ are sent. */
export class PlainBlock implements Block {
  readonly hasMore = false;
  private readonly id: number;
  private readonly render: () => readonly Line[];
  private drawn: readonly Line[] | undefined;

  constructor(id: number, render: () => readonly Line[]) {
    this.id = id;
    this.render = render;
  }

  get height(): number {
    return this.drawn?.length ?? 0;
  }

  targetAt(line: number): Target | undefined {
    return this.drawn?.[line]?.target;
  }

  draw(): readonly Patch[] {
    const before = this.drawn;
    const after = this.render();
    this.drawn = after;
    if (!before) return [{ op: 'new', id: this.id, ...textOf(after) }];
    return difference(this.id, before, after);
  }
}

function difference(id: number, before: readonly Line[], after: readonly Line[]): readonly Patch[] {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && isSameLine(before[start]!, after[start]!)) start += 1;
  let same = 0;
  while (same < shorter - start && isSameLine(before.at(-1 - same)!, after.at(-1 - same)!)) same += 1;
  const changed = after.slice(start, after.length - same);
  const count = before.length - same - start;
  if (changed.length === 0 && count === 0) return [];
  return [{ op: 'set', id, at: start, count, ...textOf(changed, start) }];
}

/** A message: some lines above, then markdown that grows at its end. What it costs is what is new. */
export class StreamBlock implements Block {
  height = 0;
  private readonly id: number;
  private readonly above: readonly Line[];
  private readonly text: GrowingText;
  private readonly markdown: MarkdownStream;
  private readonly isPrompt: boolean;
  private cursor = 0;
  private backlog = '';
  private lastCharacter = '';

  constructor(id: number, above: readonly Line[], text: GrowingText, isPrompt = false) {
    this.id = id;
    this.above = above;
    this.isPrompt = isPrompt;
    this.text = text;
    this.markdown = new MarkdownStream(above.length);
  }

  get hasMore(): boolean {
    return wholeCharacters(this.backlog, this.backlog.length) > 0;
  }

  draw(budget: number): readonly Patch[] {
    const text = this.take(budget);
    if (this.height === 0) return this.drawFirst(text);
    return text === '' ? [] : this.drawMore(text);
  }

  private take(budget: number): string {
    const all = this.backlog + this.text.since(this.cursor);
    this.cursor = this.text.cursor;
    // Agents cut their text anywhere, between the two halves of a character too.
    const end = wholeCharacters(all, Math.min(budget, all.length));
    this.backlog = all.slice(end);
    const text = sanitise(all.slice(0, end), this.lastCharacter);
    this.lastCharacter = [...text.slice(-2)].at(-1) ?? this.lastCharacter;
    return text;
  }

  private drawFirst(text: string): readonly Patch[] {
    const { texts, marks, code } = this.markdown.append(text);
    const above = textOf(this.above);
    const lines = [...above.lines, ...texts];
    this.height = lines.length;
    const patch: Patch = {
      op: 'new',
      id: this.id,
      lines,
      marks: [...above.marks, ...marks],
      right: above.right,
      // The heading is the last line above the text.
      ...(this.isPrompt && { prompt: this.above.length - 1 }),
    };
    return [patch, ...this.codePatch(code)];
  }

  private drawMore(text: string): readonly Patch[] {
    const { line: at, column, texts: lines, marks, isRemarked, code } = this.markdown.append(text);
    this.height = at + lines.length;
    const patch: Patch = { op: 'add', id: this.id, at, column, isRemarked, lines, marks, right: [] };
    return [patch, ...this.codePatch(code)];
  }

  private codePatch(ranges: readonly CodeRange[]): readonly Patch[] {
    return ranges.length === 0 ? [] : [{ op: 'code', id: this.id, ranges }];
  }
}
