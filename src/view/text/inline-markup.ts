import { byteLength, type Line, type Span } from '../line.ts';

// The text is untrusted, so each part of this expression stops where the next one could begin. This avoids quadratic
// matching.
// Code, bold, italic, a link, an address. Without names of groups, which are slow.
const inlinePattern =
  /(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)|\*\*(?=\S).+?\*\*|(?<![\w*])\*(?=[^\s*])[^*]+?\*(?![\w*])|\[[^[\]\n]+\]\([^)\s[]+\)|https?:\/\/[^\s<>)\]]+(?<![.,;:!?])/g;

// A cheap test: most lines contain none of these characters.
const inlineSigns = /[`*[]|:\/\//;

type Columns = (index: number) => number;

export function mayHaveInline(line: string): boolean {
  return inlineSigns.test(line);
}

/** Adds the colours of code, bold and italic text, links and addresses, and conceals the signs around them. */
export function markInline(line: string, column: Columns, spans: Span[]): void {
  if (!mayHaveInline(line)) return;
  inlinePattern.lastIndex = 0;
  for (let match = inlinePattern.exec(line); match; match = inlinePattern.exec(line))
    markMatch(match, column, spans);
}

/** A text and its colours. */
export type Coloured = Required<Pick<Line, 'text' | 'spans'>>;

/**
 * A text without the signs around code, bold and italic text, in the colours of these. The signs of links stay, because
 * keys find the address in the line.
 */
export function withoutSigns(line: string): Coloured {
  const inline: Span[] = [];
  markInline(line, (index) => index, inline);
  const spans: Span[] = [];
  let [text, end] = ['', 0];
  for (const [index, { from, to, hl }] of inline.entries()) {
    if (hl === undefined) continue;
    const isLink = hl === 'AcpLink';
    text += line.slice(end, isLink ? from : inline[index - 1]!.from);
    const column = byteLength(text);
    text += line.slice(from, to);
    spans.push({ from: column, to: byteLength(text), hl });
    end = isLink ? to : inline[index + 1]!.to;
  }
  return { text: text + line.slice(end), spans };
}

/** Byte columns of indices. For ASCII they are equal. */
export function columnsOf(line: string): Columns {
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

function markMatch(match: RegExpExecArray, column: Columns, spans: Span[]): void {
  const [text, ticks = ''] = match;
  const from = column(match.index);
  if (ticks !== '') return markWrapped(match, ticks.length, { column, spans, hl: 'AcpCode' });
  if (text.startsWith('**')) return markWrapped(match, 2, { column, spans, hl: 'AcpBold' });
  if (text.startsWith('*')) return markWrapped(match, 1, { column, spans, hl: 'AcpItalic' });
  if (!text.startsWith('[')) return markAddress(match, column, spans);
  const start = column(match.index + 1);
  const end = column(match.index + text.indexOf(']'));
  spans.push({ from, to: start }, { from: start, to: end, hl: 'AcpLink' });
  spans.push({ from: end, to: column(match.index + text.length) });
}

// Angle brackets around an address are markup.
function markAddress({ index, input, 0: text }: RegExpExecArray, column: Columns, spans: Span[]): void {
  const end = index + text.length;
  const isBracketed = input[index - 1] === '<' && input[end] === '>';
  if (isBracketed) spans.push({ from: column(index - 1), to: column(index) });
  spans.push({ from: column(index), to: column(end), hl: 'AcpLink' });
  if (isBracketed) spans.push({ from: column(end), to: column(end + 1) });
}

interface Wrapping {
  readonly column: Columns;
  readonly spans: Span[];
  readonly hl: string;
}

function markWrapped(
  { index, 0: text }: RegExpExecArray,
  width: number,
  { column, spans, hl }: Wrapping,
): void {
  const from = column(index);
  const start = column(index + width);
  const end = column(index + text.length - width);
  spans.push({ from, to: start }, { from: start, to: end, hl });
  spans.push({ from: end, to: column(index + text.length) });
}
