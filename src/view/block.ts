import { characterBoundary } from '../base/text.ts';
import type { GrowingText } from '../model/growing-text.ts';
import type { CodeRange, Patch } from '../ports/frame.ts';
import { codeRanges, patchText } from './frame.ts';
import { isSameLine, type Line, type LineTarget } from './line.ts';
import { MarkdownStream } from './markdown.ts';
import { sanitise } from './sanitise.ts';
import { alignTable, type Table } from './text/table.ts';

/** The lines of one entry in the transcript's buffer. */
export interface Block {
  readonly height: number;
  /** Patches since the last call; the first call draws the whole block. At most about `budget` characters of text. */
  draw(budget: number): readonly Patch[];
  /** The budget did not suffice for all changes. */
  readonly hasMore: boolean;
  /** Where a key on this line leads: a diff or a file. */
  targetAt?(line: number): LineTarget | undefined;
  /** Which row of the entry's text a line shows. Absent: its lines are not those of the text. */
  textRowAt?(line: number): number;
  /** The text of a line as it was written, if it is drawn differently. */
  sourceAt?(line: number): string | undefined;
}

/** The lines with the headings of a tool call and of its open group; see `Patch`. */
interface ToolHeadings {
  readonly tool: number;
  readonly group?: number;
}

/** Lines of a block that keys and the margin need; see `Patch`. */
interface LandmarkLines {
  /** May change when the block is drawn again. */
  readonly headings?: () => ToolHeadings;
  readonly prompt?: number;
  readonly user?: number;
  readonly below?: number;
}

/** A small block that is rendered again on every change; only lines that differ are sent. */
export class PlainBlock implements Block {
  readonly hasMore = false;
  private readonly id: number;
  private readonly render: () => readonly Line[];
  private readonly landmarks: LandmarkLines;
  private drawn: readonly Line[] | undefined;
  /** The headings of the tool call, as they were sent. */
  private headings: ToolHeadings | undefined;

  constructor(id: number, render: () => readonly Line[], landmarks: LandmarkLines = {}) {
    this.id = id;
    this.render = render;
    this.landmarks = landmarks;
  }

  get height(): number {
    return this.drawn?.length ?? 0;
  }

  targetAt(line: number): LineTarget | undefined {
    return this.drawn?.[line]?.target;
  }

  draw(): readonly Patch[] {
    const before = this.drawn;
    const after = this.render();
    this.drawn = after;
    const patches = before ? this.changePatches(before, after) : [this.firstPatch(after)];
    return patches.length === 0 ? patches : [...patches, ...this.codePatch(before ?? [], after)];
  }

  private firstPatch(lines: readonly Line[]): Patch {
    const { headings, ...others } = this.landmarks;
    this.headings = headings?.();
    return { op: 'new', id: this.id, ...this.headings, ...others, ...patchText(lines) };
  }

  private changePatches(before: readonly Line[], after: readonly Line[]): readonly Patch[] {
    const patch = difference(this.id, before, after);
    if (!patch) return [];
    const headings = this.landmarks.headings?.();
    if (headings?.tool === this.headings?.tool) return [patch];
    this.headings = headings;
    return [{ ...patch, ...headings }];
  }

  private codePatch(before: readonly Line[], after: readonly Line[]): readonly Patch[] {
    const ranges = codeRanges(after);
    const isNeeded = ranges.length > 0 || before.some(({ code }) => code !== undefined);
    return isNeeded ? [{ op: 'code', id: this.id, ranges, isAll: true }] : [];
  }
}

/** The only block of a buffer. */
export class SingleBlock {
  private readonly render: () => readonly Line[];
  private block: PlainBlock | undefined;

  constructor(render: () => readonly Line[]) {
    this.render = render;
  }

  /** Makes the next call of `draw` draw everything. */
  reset(): void {
    this.block = undefined;
  }

  /** Patches since the last call. */
  draw(): readonly Patch[] {
    if (this.block) return this.block.draw();
    this.block = new PlainBlock(1, this.render);
    return [{ op: 'reset' }, ...this.block.draw()];
  }
}

function difference(id: number, before: readonly Line[], after: readonly Line[]): SetPatch | undefined {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && isSameLine(before[start]!, after[start]!)) start += 1;
  let same = 0;
  while (same < shorter - start && isSameLine(before.at(-1 - same)!, after.at(-1 - same)!)) same += 1;
  const changed = after.slice(start, after.length - same);
  const count = before.length - same - start;
  if (changed.length === 0 && count === 0) return undefined;
  return { op: 'set', id, at: start, count, ...patchText(changed, start) };
}

/** What the lines of a message depend on, apart from its text. */
interface StreamLayout {
  /** Cells of the narrowest window. */
  width?(): number | undefined;
  /** No more text follows. */
  isEnded?(): boolean;
  /** Markdown is left as it is written. */
  readonly isPlain?: boolean;
}

const defaultWidth = 80;

type NewPatch = Extract<Patch, { op: 'new' }>;
type SetPatch = Extract<Patch, { op: 'set' }>;

// A patch that sets as many lines as it replaces becomes part of the one that draws them first: fewer are faster.
function withLines(drawn: NewPatch, { at, count, lines, marks }: SetPatch): NewPatch {
  const kept: (number | string)[] = [];
  for (let index = 0; index < drawn.marks.length; index += 4) {
    const line = Number(drawn.marks[index]);
    if (line < at || line >= at + count) kept.push(...drawn.marks.slice(index, index + 4));
  }
  const all = [...drawn.lines.slice(0, at), ...lines, ...drawn.lines.slice(at + count)];
  return { ...drawn, lines: all, marks: [...kept, ...marks] };
}

/** A message: a heading, then markdown that grows. Drawing costs only the new text. */
export class StreamBlock implements Block {
  height = 0;
  private readonly id: number;
  private readonly above: readonly Line[];
  private readonly text: GrowingText;
  private readonly markdown: MarkdownStream;
  private cursor = 0;
  private backlog = '';
  // Line ends that no text follows yet. At the end of a message they would be blank lines.
  private withheld = '';
  private lastCharacter = '';
  private readonly layout: StreamLayout;
  private tables: readonly Table[] = [];
  private tableWidth = 0;
  private isEnded = false;

  constructor(id: number, above: readonly Line[], text: GrowingText, layout: StreamLayout = {}) {
    this.layout = layout;
    this.id = id;
    this.above = above;
    this.text = text;
    this.markdown = new MarkdownStream(above.length, layout.isPlain);
  }

  textRowAt(line: number): number {
    return line - this.above.length;
  }

  get hasMore(): boolean {
    return characterBoundary(this.backlog, this.backlog.length) > 0;
  }

  draw(budget: number): readonly Patch[] {
    const text = this.take(budget);
    if (this.height === 0) return [...this.drawFirst(text), ...this.endPatches()];
    return [...(text === '' ? [] : this.drawMore(text)), ...this.endPatches(), ...this.resizedTables()];
  }

  sourceAt(line: number): string | undefined {
    return this.tables
      .find((table) => line >= table.line && line < table.line + table.rows.length)
      ?.rows.join('\n');
  }

  private endPatches(): readonly Patch[] {
    if (this.isEnded || this.hasMore || !this.layout.isEnded?.()) return [];
    this.isEnded = true;
    const { tables, code } = this.markdown.end();
    return [...this.codePatch(code), ...this.tablePatches(tables)];
  }

  // Tables are aligned once they are complete.
  private tablePatches(tables: readonly Table[]): readonly SetPatch[] {
    if (tables.length === 0) return [];
    this.tableWidth = this.layout.width?.() ?? defaultWidth;
    this.tables = [...this.tables, ...tables];
    return tables.flatMap((table) => this.tablePatch(table));
  }

  private tablePatch({ line, rows }: Table): readonly SetPatch[] {
    const lines = alignTable(rows, this.tableWidth);
    if (!lines) return [];
    return [{ op: 'set', id: this.id, at: line, count: rows.length, ...patchText(lines, line) }];
  }

  private resizedTables(): readonly Patch[] {
    const width = this.layout.width?.() ?? defaultWidth;
    if (this.tables.length === 0 || width === this.tableWidth) return [];
    this.tableWidth = width;
    return this.tables.flatMap((table) => this.tablePatch(table));
  }

  private take(budget: number): string {
    const all = this.withheld + this.backlog + this.text.since(this.cursor);
    this.cursor = this.text.cursor;
    // Agents may split text between the two halves of a surrogate pair.
    const end = characterBoundary(all, Math.min(budget, all.length));
    this.backlog = all.slice(end);
    const whole = sanitise(all.slice(0, end), this.lastCharacter);
    const text = whole.slice(0, endOfText(whole));
    this.withheld = whole.slice(text.length);
    this.lastCharacter = [...text.slice(-2)].at(-1) ?? this.lastCharacter;
    return text;
  }

  private drawFirst(text: string): readonly Patch[] {
    const { texts, marks, code, tables } = this.markdown.append(text);
    const above = patchText(this.above);
    const lines = [...above.lines, ...texts];
    this.height = lines.length;
    const drawn = {
      op: 'new',
      id: this.id,
      lines,
      marks: [...above.marks, ...marks],
      right: above.right,
    } as const;
    const patch = this.tablePatches(tables).reduce<NewPatch>(withLines, drawn);
    return [patch, ...this.codePatch(code)];
  }

  private drawMore(text: string): readonly Patch[] {
    const { line: at, column, texts, marks, isRemarked, code, tables } = this.markdown.appendMarked(text);
    this.height = at + texts.length;
    const patch: Patch = { op: 'add', id: this.id, at, column, isRemarked, text, marks };
    return [patch, ...this.codePatch(code), ...this.tablePatches(tables)];
  }

  private codePatch(ranges: readonly CodeRange[]): readonly Patch[] {
    return ranges.length === 0 ? [] : [{ op: 'code', id: this.id, ranges }];
  }
}

// An expression would try every run of line ends again.
function endOfText(text: string): number {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end -= 1;
  return end;
}
