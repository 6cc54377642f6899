import type { Piece } from '../../ports/frame.ts';
import { byteLength, type Line, type Span } from '../line.ts';

/** What a screen reader reads instead of a sign at the beginning of a line. */
const words: Readonly<Record<string, string>> = {
  '✓': 'done:',
  '●': 'running:',
  '○': 'not started:',
  '✗': 'failed:',
  '⊘': 'stopped:',
  '·': 'note:',
  '!': 'warning:',
  '?': 'question:',
  '▸': 'closed:',
  '▾': 'open:',
  '▪': 'attached:',
  '▣': 'picture:',
};

const foldWords: Readonly<Record<string, string>> = { '▸': 'closed', '▾': 'open' };
const leadingSign = /^(\s*)([✓●○✗⊘·!?▸▾▪▣])(?= )/;

/** A line without virtual text: words instead of signs, and the figures behind the text. */
export function plainLine(line: Line): Line {
  const { right = [], ...rest } = withWord(line);
  const figures = right.map(([text]) => foldWords[text.trim()] ?? text.trim()).filter((text) => text !== '');
  return figures.length === 0 ? rest : { ...rest, text: `${rest.text}  ${figures.join(', ')}` };
}

function withWord(line: Line): Line {
  const [whole, indent = '', sign = ''] = leadingSign.exec(line.text) ?? [];
  const word = words[sign];
  if (whole === undefined || word === undefined) return line;
  const at = byteLength(indent);
  const longer = byteLength(word) - byteLength(sign);
  const text = `${indent}${word}${line.text.slice(whole.length)}`;
  return { ...line, text, ...(line.spans && { spans: line.spans.map((span) => moved(span, at, longer)) }) };
}

// Whatever ends behind the sign ends further right now.
function moved(span: Span, sign: number, by: number): Span {
  return {
    ...span,
    from: span.from > sign ? span.from + by : span.from,
    to: span.to > sign ? span.to + by : span.to,
  };
}

/** Pieces of the winbar with words instead of signs, and without a time that changes every second. */
export function plainPieces(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.map(([text, hl]) => [plainText(text), hl]);
}

function plainText(text: string): string {
  if (/^● \d/.test(text)) return 'working';
  return text.replace(/^[●○✗⊘?!] /, '');
}

const markdownGroups = new Set([
  ...['AcpHeading1', 'AcpHeading2', 'AcpHeading3', 'AcpQuote', 'AcpListMarker', 'AcpCode', 'AcpCodeLanguage'],
  ...['AcpBold', 'AcpItalic'],
]);

/** A line whose Markdown is left as it is written. */
export function withoutMarkdown({ code: _, spans, ...line }: Line): Line {
  const kept = spans?.filter(({ hl }) => hl !== undefined && !markdownGroups.has(hl));
  return kept && kept.length > 0 ? { ...line, spans: kept } : line;
}
