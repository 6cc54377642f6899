import { type Line, lineOf, type Piece } from './line.ts';
import { sanitise } from './sanitise.ts';

const names = ['Black', 'Red', 'Green', 'Yellow', 'Blue', 'Magenta', 'Cyan', 'White'];
const groups = [...names, ...names.map((name) => `Bright${name}`)].map((name) => `AcpAnsi${name}`);

// SGR, and whatever else may stand in the output of a terminal that somebody else understood.
const sequence =
  /\x1b\[([\d;]*)m|\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)?|\[[\d;:?<=>]*[ -/]*[@-~]|[()][A-Z0-9]|[ -Z\\^-~])/g;

interface Style {
  readonly colour: number | undefined;
  readonly isBold: boolean;
}

const normal: Style = { colour: undefined, isBold: false };

/**
 * Lines of a terminal: colours become highlight groups, other sequences are left out, of a line that was written over
 * the last version counts, and a backspace takes the character before it away.
 */
export function ansiLines(text: string, indent: string): readonly Line[] {
  let style = normal;
  return text.split('\n').map((line) => {
    const pieces: Piece[] = [[indent, '']];
    let at = 0;
    const last = overwritten(line);
    for (const match of last.matchAll(sequence)) {
      pieces.push([sanitise(last.slice(at, match.index)), groupOf(style)]);
      at = match.index + match[0].length;
      if (match[1] !== undefined) style = restyled(style, match[1]);
    }
    pieces.push([sanitise(last.slice(at)), groupOf(style)]);
    return lineOf(...pieces);
  });
}

/** A text without the sequences that do more than to set colours. */
export function onlyColours(text: string): string {
  return text.includes('\x1b')
    ? text.replace(sequence, (whole, colours?: string) => (colours === undefined ? '' : whole))
    : text;
}

// The colours of what is gone may go on.
function overwritten(line: string): string {
  const clean = withoutReturns(line);
  const start = clean.lastIndexOf('\r') + 1;
  const before =
    start === 0 ? '' : [...clean.slice(0, start).matchAll(sequence)].map(([whole]) => whole).join('');
  return before + clean.slice(start).replace(/[^\x1b\b][\b]/g, '');
}

// The expression /\r+$/ would take quadratic time.
function withoutReturns(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(0, end);
}

function groupOf({ colour, isBold }: Style): string {
  if (colour === undefined) return isBold ? 'AcpBold' : 'AcpOutput';
  return groups[colour]!;
}

function restyled(style: Style, parameters: string): Style {
  const codes = parameters.split(';').map(Number);
  let next = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at]!;
    if (code === 0) next = normal;
    else if (code === 1) next = { ...next, isBold: true };
    else if (code === 22) next = { ...next, isBold: false };
    else if (code === 39) next = { ...next, colour: undefined };
    else if (code >= 30 && code <= 37) next = { ...next, colour: code - 30 };
    else if (code >= 90 && code <= 97) next = { ...next, colour: code - 82 };
    else if (code === 38 || code === 48) {
      const colour =
        codes[at + 1] === 5 ? nearestOf256(codes[at + 2]!) : nearest(codes.slice(at + 2, at + 5));
      if (code === 38) next = { ...next, colour };
      at += codes[at + 1] === 5 ? 2 : 4;
    }
  }
  return next;
}

function nearestOf256(index: number): number {
  if (index < 16) return index;
  if (index >= 232) return nearest(Array(3).fill(8 + 10 * (index - 232)));
  const level = (value: number) => (value === 0 ? 0 : 55 + 40 * value);
  const cube = index - 16;
  return nearest([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

// Which of the sixteen: what is strong in it says the hue, how strong it is whether it is bright.
function nearest(rgb: readonly number[]): number {
  const strongest = Math.max(...rgb);
  if (!(strongest >= 64)) return 0;
  const hue = rgb.reduce((bits, value, index) => bits | (value > strongest * 0.6 ? 1 << index : 0), 0);
  if (hue === 7) return strongest < 128 ? 8 : strongest < 220 ? 7 : 15;
  return strongest > 200 ? hue + 8 : hue;
}
