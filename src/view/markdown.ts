import type { CodeRange, Marks } from '../ports/frame.ts';
import { byteLength, type Line, type LineCode, markOf, type Span } from './line.ts';
import { isTableRow, type Table } from './text/table.ts';

/** Longer lines are not searched for inline markup; they are hardly prose. */
const maxInline = 4_096;

// The text is untrusted, so each part of these expressions stops where the next one could begin. This avoids quadratic
// matching.
// Fences of nested lists are indented further than CommonMark allows outside of lists.
const fencePattern = /^(\s{0,12})(`{3,}(?!`)|~{3,})(\s*)([\w+#.-]*)/;
const inlinePattern =
  /(?<code>(?<!`)(?<tick>`+)(?!`)(?<codeText>.+?)(?<!`)\k<tick>(?!`))|(?<bold>\*\*(?=\S)(?<boldText>.+?)\*\*)|(?<italic>(?<![\w*])\*(?=[^\s*])(?<italicText>[^*]+?)\*(?![\w*]))|(?<link>\[(?<linkText>[^[\]\n]+)\]\((?<linkTarget>[^)\s[]+)\))|(?<url>https?:\/\/[^\s<>)\]]+)/g;

// A cheap test: most lines contain none of these characters.
const lineSigns = /^\s*[#>*+\-_|\d`~]/;
const inlineSigns = /[`*[]|:\/\//;

interface Fence {
  readonly marker: string;
  readonly start: CodeRange;
}

export interface FenceLine {
  readonly indent: number;
  readonly marker: string;
  readonly language: string;
  /** Where the language begins. */
  readonly languageAt: number;
}

/** What `append` adds: the first text continues the last line, the others are new lines. */
interface MarkdownPatch {
  /** The line that the first text continues, and its byte column. */
  readonly line: number;
  readonly column: number;
  readonly texts: readonly string[];
  readonly marks: Marks;
  /** The marks of the first line replace those drawn before. */
  readonly isRemarked: boolean;
  readonly code: readonly CodeRange[];
  /** Tables that are complete. */
  readonly tables: readonly Table[];
}

const noSpans: readonly Span[] = [];

/** Highlights markdown as it streams in. The last line is highlighted as far as it has arrived. */
export class MarkdownStream {
  private open = '';
  private openBytes = 0;
  private hasOpenMarks = false;
  private lineNumber: number;
  private readonly isPlain: boolean;
  private fence: Fence | undefined;
  private table: { readonly line: number; readonly rows: string[] } | undefined;
  private completeTables: Table[] = [];

  /** `isPlain`: nothing is highlighted. */
  constructor(firstLine = 0, isPlain = false) {
    this.lineNumber = firstLine;
    this.isPlain = isPlain;
  }

  append(text: string): MarkdownPatch {
    const texts = text.split('\n');
    const { lineNumber: line, openBytes: column } = this;
    const marks: (number | string)[] = [];
    const code: CodeRange[] = [];
    let isRemarked = this.hasOpenMarks;
    for (let index = 0; index < texts.length; index += 1) {
      const piece = texts[index]!;
      this.open = index === 0 ? this.open + piece : piece;
      const isComplete = index < texts.length - 1;
      const spans = isComplete ? this.finishLine(code) : this.openSpans();
      for (const span of spans) marks.push(line + index, span.from, span.to, markOf(span));
      this.hasOpenMarks = spans.length > 0;
      if (index === 0) isRemarked ||= this.hasOpenMarks;
    }
    const isSameOpenLine = texts.length === 1;
    this.openBytes = isSameOpenLine ? column + byteLength(text) : byteLength(this.open);
    return { line, column, texts, marks, isRemarked, code, tables: this.takeTables() };
  }

  /** No more text follows, so a table or a code block at the end is complete. */
  end(): { readonly tables: readonly Table[]; readonly code: readonly CodeRange[] } {
    const code: CodeRange[] = [];
    const fence = this.fence && matchFence(this.open);
    if (fence) this.passFence(fence, code);
    else if (!this.isPlain && !this.fence && isTableRow(this.open)) this.passTableRow(this.open);
    this.open = '';
    this.endTable();
    return { tables: this.takeTables(), code };
  }

  private takeTables(): readonly Table[] {
    const tables = this.completeTables;
    if (tables.length > 0) this.completeTables = [];
    return tables;
  }

  private passTableRow(row: string): void {
    this.table ??= { line: this.lineNumber, rows: [] };
    this.table.rows.push(row);
  }

  private endTable(): void {
    if (this.table) this.completeTables.push(this.table);
    this.table = undefined;
  }

  private openSpans(): readonly Span[] {
    return this.isPlain ? noSpans : this.spansOf(this.open);
  }

  private finishLine(code: CodeRange[]): readonly Span[] {
    if (this.isPlain) {
      this.lineNumber += 1;
      return noSpans;
    }
    const spans = this.spansOf(this.open);
    const fence = matchFence(this.open);
    if (fence) this.passFence(fence, code);
    if (!this.fence && isTableRow(this.open)) this.passTableRow(this.open);
    else if (this.table) this.endTable();
    this.lineNumber += 1;
    return spans;
  }

  private passFence({ indent, marker, language }: FenceLine, code: CodeRange[]): void {
    if (!this.fence) {
      this.fence = { marker, start: { from: this.lineNumber + 1, language, indent } };
      code.push(this.fence.start);
    } else if (marker.startsWith(this.fence.marker) && language === '') {
      code.push({ ...this.fence.start, to: this.lineNumber });
      this.fence = undefined;
    }
  }

  private spansOf(line: string): readonly Span[] {
    if (line.length > maxInline || !(lineSigns.test(line) || inlineSigns.test(line))) return noSpans;
    const fence = matchFence(line);
    if (fence && this.isFence(fence)) return fenceSpans(line, fence);
    return this.fence ? noSpans : markLine(line);
  }

  // Within a code block, any other fence is a line of code.
  private isFence({ marker, language }: FenceLine): boolean {
    return !this.fence || (marker.startsWith(this.fence.marker) && language === '');
  }
}

// Only the language is visible.
function fenceSpans(line: string, { language, languageAt }: FenceLine): readonly Span[] {
  const end = byteLength(line);
  if (language === '') return [{ from: 0, to: end }];
  const languageEnd = languageAt + byteLength(language);
  const rest = languageEnd < end ? [{ from: languageEnd, to: end }] : [];
  return [{ from: 0, to: languageAt }, { from: languageAt, to: languageEnd, hl: 'AcpCodeLanguage' }, ...rest];
}

// Backticks that are closed on the same line are inline code.
export function matchFence(line: string): FenceLine | undefined {
  const match = lineSigns.test(line) ? fencePattern.exec(line) : null;
  if (!match) return undefined;
  const [whole, indent = '', marker = '', , language = ''] = match;
  const isClosed = marker.startsWith('`') && line.includes('`', indent.length + marker.length);
  if (isClosed) return undefined;
  return { indent: indent.length, marker, language, languageAt: byteLength(whole) - byteLength(language) };
}

/** The lines of a text that is complete. Markup of the user stays visible; that of an agent is concealed. */
export function markdownLines(text: string, isConcealed = false): readonly Line[] {
  const { texts, marks, code } = new MarkdownStream().append(`${text}\n`);
  const spans = new Map<number, Span[]>();
  for (let at = 0; at < marks.length; at += 4) {
    const [line, from, to, hl] = marks.slice(at, at + 4) as [number, number, number, string];
    const isColour = /^[a-z]/i.test(hl);
    if (!isColour && !isConcealed) continue;
    const span = isColour ? { from, to, hl } : { from, to, ...(hl !== '' && { shownAs: hl }) };
    spans.set(line, [...(spans.get(line) ?? []), span]);
  }
  const codeLines = new Map<number, LineCode>();
  for (const { from, to = texts.length - 1, ...rest } of new Map(code.map((one) => [one.from, one])).values())
    for (let line = from; line < to; line += 1) codeLines.set(line, rest);
  return texts.slice(0, -1).map((line, index) => ({
    text: line,
    ...(spans.has(index) && { spans: spans.get(index)! }),
    ...(codeLines.has(index) && { code: codeLines.get(index)! }),
  }));
}

export function markLine(line: string): readonly Span[] {
  const spans: Span[] = [];
  const column = columnsOf(line);
  const whole = (hl: string) => spans.push({ from: 0, to: column(line.length), hl });
  const heading = /^#{1,6}\s+/.exec(line);
  if (heading) {
    whole(`AcpHeading${Math.min(3, heading[0].trimEnd().length)}`);
    spans.push({ from: 0, to: column(heading[0].length) });
  } else if (/^\s*>/.test(line)) markQuote(line, column, spans);
  else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line))
    return [{ from: 0, to: column(line.length), shownAs: '==' }];
  const bullet = /^(\s*)([-*+]|\d{1,3}[.)])\s/.exec(line);
  if (bullet) {
    const start = bullet[1]!.length;
    const at = { from: column(start), to: column(start + bullet[2]!.length) };
    spans.push({ ...at, hl: 'AcpListMarker' });
    if (/[-*+]/.test(bullet[2]!)) spans.push({ ...at, shownAs: '•' });
  }
  if (inlineSigns.test(line))
    for (const match of line.matchAll(inlinePattern)) markInline(match, column, spans);
  // Concealed text would misalign the columns of a table.
  return isTableRow(line) ? spans.filter(({ hl }) => hl !== undefined) : spans;
}

function markQuote(line: string, column: (index: number) => number, spans: Span[]): void {
  spans.push({ from: 0, to: column(line.length), hl: 'AcpQuote' });
  for (const { index } of line.slice(0, line.search(/[^\s>]|$/)).matchAll(/>/g))
    spans.push({ from: column(index), to: column(index + 1), shownAs: '▎' });
}

function markInline(match: RegExpExecArray, column: (index: number) => number, spans: Span[]): void {
  const groups = match.groups ?? {};
  const start = match.index;
  const end = start + match[0].length;
  const wrapped = (text: string, hl: string) => {
    const width = (match[0].length - text.length) / 2;
    const inner = { from: column(start + width), to: column(end - width) };
    spans.push({ from: column(start), to: inner.from }, { ...inner, hl });
    spans.push({ from: inner.to, to: column(end) });
  };
  if (groups.code) wrapped(groups.codeText!, 'AcpCode');
  else if (groups.bold) wrapped(groups.boldText!, 'AcpBold');
  else if (groups.italic) wrapped(groups.italicText!, 'AcpItalic');
  else if (groups.link) {
    const textEnd = start + 1 + groups.linkText!.length;
    spans.push({ from: column(start), to: column(start + 1) });
    spans.push({ from: column(start + 1), to: column(textEnd), hl: 'AcpLink' });
    spans.push({ from: column(textEnd), to: column(end) });
  } else spans.push({ from: column(start), to: column(end), hl: 'AcpLink' });
}

// For ASCII, columns equal indices.
function columnsOf(line: string): (index: number) => number {
  if (byteLength(line) === line.length) return (index) => index;
  let index = 0;
  let column = 0;
  // Calls come from left to right, except for marks of the whole line.
  return (wanted) => {
    if (wanted < index) [index, column] = [0, 0];
    column += byteLength(line.slice(index, wanted));
    index = wanted;
    return column;
  };
}
