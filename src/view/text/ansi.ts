import type { Piece } from '../../ports/frame.ts';
import { type Line, makeLine } from '../line.ts';
import { sanitise } from '../sanitise.ts';

const names = ['Black', 'Red', 'Green', 'Yellow', 'Blue', 'Magenta', 'Cyan', 'White'];
const groups = [...names, ...names.map((name) => `Bright${name}`)].map((name) => `AcpAnsi${name}`);

// SGR sequences, and any other escape sequence.
const sequence =
  /\x1b\[([\d;]*)m|\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)?|\[[\d;:?<=>]*[ -/]*[@-~]|[()][A-Z0-9]|[ -Z\\^-~])/g;

interface Style {
  readonly colour: number | undefined;
  readonly isBold: boolean;
}

const normal: Style = { colour: undefined, isBold: false };

/**
 * Lines of terminal output. Colours become highlight groups, other sequences are removed. Carriage returns and
 * backspaces overwrite.
 */
export function ansiLines(text: string, indent: string): readonly Line[] {
  let style = normal;
  return text.split('\n').map((line) => {
    const pieces: Piece[] = [[indent, '']];
    let at = 0;
    const last = afterOverwrites(line);
    for (const match of last.matchAll(sequence)) {
      pieces.push([sanitise(last.slice(at, match.index)), highlightGroup(style)]);
      at = match.index + match[0].length;
      if (match[1] !== undefined) style = applySgr(style, match[1]);
    }
    pieces.push([sanitise(last.slice(at)), highlightGroup(style)]);
    return makeLine(...pieces);
  });
}

/** Removes every escape sequence except colours. */
export function onlyColours(text: string): string {
  return text.includes('\x1b')
    ? text.replace(sequence, (whole, colours?: string) => (colours === undefined ? '' : whole))
    : text;
}

// Colours that were set in the overwritten part stay in effect.
function afterOverwrites(line: string): string {
  const clean = withoutReturns(line);
  const start = clean.lastIndexOf('\r') + 1;
  const before =
    start === 0 ? '' : [...clean.slice(0, start).matchAll(sequence)].map(([whole]) => whole).join('');
  return before + clean.slice(start).replace(/[^\x1b\b][\b]/g, '');
}

// The regular expression /\r+$/ would take quadratic time.
function withoutReturns(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(0, end);
}

function highlightGroup({ colour, isBold }: Style): string {
  if (colour === undefined) return isBold ? 'AcpBold' : 'AcpOutput';
  return groups[colour]!;
}

function applySgr(style: Style, parameters: string): Style {
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
        codes[at + 1] === 5 ? nearestOf256(codes[at + 2]!) : nearestAnsiColour(codes.slice(at + 2, at + 5));
      if (code === 38) next = { ...next, colour };
      at += codes[at + 1] === 5 ? 2 : 4;
    }
  }
  return next;
}

function nearestOf256(index: number): number {
  if (index < 16) return index;
  if (index >= 232) return nearestAnsiColour(Array(3).fill(8 + 10 * (index - 232)));
  const level = (value: number) => (value === 0 ? 0 : 55 + 40 * value);
  const cube = index - 16;
  return nearestAnsiColour([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}

// The nearest of the sixteen colours: the strong components give the hue, the maximum the brightness.
function nearestAnsiColour(rgb: readonly number[]): number {
  const strongest = Math.max(...rgb);
  if (!(strongest >= 64)) return 0;
  const hue = rgb.reduce((bits, value, index) => bits | (value > strongest * 0.6 ? 1 << index : 0), 0);
  if (hue === 7) return strongest < 128 ? 8 : strongest < 220 ? 7 : 15;
  return strongest > 200 ? hue + 8 : hue;
}
