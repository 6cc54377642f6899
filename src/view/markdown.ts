import type { CodeRange, MarkedLines, Marks } from '../ports/frame.ts';
import { byteLength, type Line, type LineCode, markOf, type Span } from './line.ts';
import { columnsOf, markInline, mayHaveInline } from './text/inline-markup.ts';
import { isTableRow, type Table } from './text/table.ts';

/** Longer lines are not searched for inline markup; they are hardly prose. */
const maxInline = 4_096;

// The text is untrusted, so each part of these expressions stops where the next one could begin. This avoids quadratic
// matching.
// Fences of nested lists are indented further than CommonMark allows outside of lists.
const fencePattern = /^(\s{0,12})(`{3,}(?!`)|~{3,})(\s*)([\w+#.-]*)/;
// A cheap test: most lines begin with none of these characters.
const lineSign = /^\s*([#>*+\-_|\d`~])/;

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

/** What a text adds: the first line continues the last one before it, the others are new. */
interface MarkdownPatch {
  /** The line that the first text continues, and its byte column. */
  readonly line: number;
  readonly column: number;
  readonly texts: readonly string[];
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

  append(text: string): MarkdownPatch & { readonly marks: Marks } {
    const marks: (number | string)[] = [];
    const patch = this.read(text, (line, spans) => {
      for (const span of spans) marks.push(line, span.from, span.to, markOf(span));
    });
    return { ...patch, marks };
  }

  /** Like `append`, for text that is longer than what is seen of it. */
  appendMarked(text: string): MarkdownPatch & { readonly marks: MarkedLines } {
    let marks = '';
    const patch = this.read(text, (line, spans) => {
      marks += `\n${line}:`;
      for (const { from, to, hl, shownAs } of spans) marks += `${from},${to},${hl ?? shownAs ?? ''};`;
    });
    return { ...patch, marks };
  }

  private read(text: string, onSpans: (line: number, spans: readonly Span[]) => void): MarkdownPatch {
    const texts = text.split('\n');
    const { lineNumber: line, openBytes: column } = this;
    const code: CodeRange[] = [];
    let isRemarked = this.hasOpenMarks;
    const last = texts.length - 1;
    for (let index = 0; index <= last; index += 1) {
      const piece = texts[index]!;
      this.open = index === 0 ? this.open + piece : piece;
      const spans = index < last ? this.finishLine(code) : this.openSpans();
      this.hasOpenMarks = spans.length > 0;
      if (this.hasOpenMarks) onSpans(line + index, spans);
      if (index === 0) isRemarked ||= this.hasOpenMarks;
    }
    this.openBytes = last === 0 ? column + byteLength(text) : byteLength(this.open);
    return { line, column, texts, isRemarked, code, tables: this.takeTables() };
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
    return this.isPlain ? noSpans : this.spansOf(this.open, signOf(this.open));
  }

  private finishLine(code: CodeRange[]): readonly Span[] {
    const line = this.open;
    const sign = this.isPlain ? '' : signOf(line);
    const spans = this.isPlain ? noSpans : this.spansOf(line, sign);
    const fence = matchFence(line, sign);
    if (fence) this.passFence(fence, code);
    if (!this.fence && sign === '|') this.passTableRow(line);
    else if (this.table) this.endTable();
    this.lineNumber += 1;
    return spans;
  }

  private passFence({ indent, marker, language }: FenceLine, code: CodeRange[]): void {
    if (!this.fence) {
      this.fence = { marker, start: { from: this.lineNumber + 1, language, indent } };
      code.push(this.fence.start);
    } else if (marker.startsWith(this.fence.marker) && language === '') {
      if (code.at(-1) === this.fence.start) code.pop();
      code.push({ ...this.fence.start, to: this.lineNumber });
      this.fence = undefined;
    }
  }

  private spansOf(line: string, sign: string): readonly Span[] {
    if (line.length > maxInline) return noSpans;
    const fence = matchFence(line, sign);
    if (fence && this.isFence(fence)) return fenceSpans(line, fence);
    return this.fence || (sign === '' && !mayHaveInline(line)) ? noSpans : markLine(line, sign);
  }

  // Within a code block, any other fence is a line of code.
  private isFence({ marker, language }: FenceLine): boolean {
    return !this.fence || (marker.startsWith(this.fence.marker) && language === '');
  }
}

// Behind the language: src/a.ts or :src/a.ts
const fencedFile = /^(?:\s+|:)[\w.~/@+-][^\s:={}"']*\.[a-z]\w{0,9}(?=\s|$)/iu;

// Only the language and the name of a file are visible.
function fenceSpans(line: string, { language, languageAt }: FenceLine): readonly Span[] {
  const end = byteLength(line);
  if (language === '') return [{ from: 0, to: end }];
  const file = fencedFile.exec(line.slice(line.indexOf(language) + language.length))?.[0] ?? '';
  const languageEnd = languageAt + byteLength(language + file);
  const rest = languageEnd < end ? [{ from: languageEnd, to: end }] : [];
  return [{ from: 0, to: languageAt }, { from: languageAt, to: languageEnd, hl: 'AcpCodeLanguage' }, ...rest];
}

/** The first character of a line if it may be markup, else ''. */
function signOf(line: string): string {
  const code = line.charCodeAt(0);
  // Most lines begin with a letter.
  if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122) || line === '') return '';
  return lineSign.exec(line)?.[1] ?? '';
}

// Backticks that are closed on the same line are inline code.
export function matchFence(line: string, sign = signOf(line)): FenceLine | undefined {
  const match = sign === '`' || sign === '~' ? fencePattern.exec(line) : null;
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

export function markLine(line: string, sign = signOf(line)): readonly Span[] {
  const spans: Span[] = [];
  const column = columnsOf(line);
  if (sign === '#') markHeading(line, column, spans);
  else if (sign === '>') markQuote(line, column, spans);
  else if (isRule(line, sign)) return [{ from: 0, to: column(line.length), shownAs: '==' }];
  else if (sign !== '') markBullet(line, column, spans);
  markInline(line, column, spans);
  // Concealed text would misalign the columns of a table.
  return sign === '|' ? spans.filter(({ hl }) => hl !== undefined) : spans;
}

function markHeading(line: string, column: (index: number) => number, spans: Span[]): void {
  const heading = /^#{1,6}\s+/.exec(line);
  if (!heading) return;
  const level = Math.min(3, heading[0].trimEnd().length);
  spans.push({ from: 0, to: column(line.length), hl: `AcpHeading${level}` });
  spans.push({ from: 0, to: column(heading[0].length) });
}

function isRule(line: string, sign: string): boolean {
  return (sign === '-' || sign === '*' || sign === '_') && /^\s*([-*_])(\s*\1){2,}\s*$/.test(line);
}

function markBullet(line: string, column: (index: number) => number, spans: Span[]): void {
  const bullet = /^(\s*)([-*+]|\d{1,3}[.)])\s/.exec(line);
  if (!bullet) return;
  const start = bullet[1]!.length;
  const from = column(start);
  const to = column(start + bullet[2]!.length);
  spans.push({ from, to, hl: 'AcpListMarker' });
  if (bullet[2]!.length === 1) spans.push({ from, to, shownAs: '•' });
}

function markQuote(line: string, column: (index: number) => number, spans: Span[]): void {
  spans.push({ from: 0, to: column(line.length), hl: 'AcpQuote' });
  for (const { index } of line.slice(0, line.search(/[^\s>]|$/)).matchAll(/>/g))
    spans.push({ from: column(index), to: column(index + 1), shownAs: '▎' });
}
