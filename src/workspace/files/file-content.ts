import { sameLines } from '../../diff/hunks.ts';

type Lines = readonly string[];

/** The content of a file at one time: no file, lines of text, or something that is not reviewed line by line. */
export type FileContent =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly lines: Lines; readonly isProgram?: boolean }
  | { readonly kind: 'binary'; readonly blob: string; readonly file: 'file' | 'program' | 'link' };

const noLines: Lines = [];
export const noFile: FileContent = { kind: 'none' };

export function sameContent(one: FileContent, other: FileContent): boolean {
  if (one === other) return true;
  if (one.kind === 'text' && other.kind === 'text') {
    return isProgram(one) === isProgram(other) && sameLines(one.lines, other.lines);
  }
  if (one.kind === 'binary' && other.kind === 'binary') {
    return one.blob === other.blob && one.file === other.file;
  }
  return one.kind === other.kind;
}

/** The same without the line ending of the last line, which Neovim adds to a file when it saves it. */
export function withoutLastLineEnding(content: FileContent): FileContent {
  const last = linesIn(content).at(-1);
  if (content.kind !== 'text' || last === undefined) return content;
  return { ...content, lines: content.lines.with(-1, withoutLineEnding(last)) };
}

/** How the mode of a text file changes. */
export function modeChange(from: FileContent, to: FileContent): 'executable' | 'not executable' | undefined {
  if (from.kind !== 'text' || to.kind !== 'text' || isProgram(from) === isProgram(to)) return undefined;
  return isProgram(to) ? 'executable' : 'not executable';
}

function isProgram(content: FileContent): boolean {
  return content.kind === 'text' && content.isProgram === true;
}

/** The lines of a content, each with its line ending; none unless it is text. */
export function linesIn(content: FileContent): Lines {
  return content.kind === 'text' ? content.lines : noLines;
}

/** The text of a content; empty unless it is text. */
export function textIn(content: FileContent): string {
  return linesIn(content).join('');
}

/** The lines of a text, each with its line ending, so that joining them gives exactly the text. */
export function splitLines(text: string): Lines {
  const lines: string[] = [];
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    lines.push(text.slice(start, end + 1));
    start = end + 1;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}

export function withoutLineEnding(line: string): string {
  return line.replace(/\r?\n$/, '');
}
