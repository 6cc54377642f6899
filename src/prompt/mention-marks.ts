import { absolutePath } from '../base/paths.ts';
import type { PromptSources } from '../ports/prompt-sources.ts';
import { mentionNames } from './mention-names.ts';
import { findMentions, type Mention } from './mentions.ts';

const maxMentions = 500;

/**
 * Where the mentions of a text stand, as a flat list: row, first column, column after the last, 1 if it refers to something
 * or 0 if not. Rows and columns count from 0, columns in bytes. Words such as `@alice` that are no file are left out.
 */
export async function findMentionMarks(
  text: string,
  sources: Pick<PromptSources, 'cwd' | 'findExisting'>,
): Promise<readonly number[]> {
  const mentions = findMentions(text).slice(0, maxMentions);
  const files = mentions.flatMap((mention) => fileOf(mention, sources.cwd) ?? []);
  const existing = files.length > 0 ? await sources.findExisting([...new Set(files)]) : new Set<string>();
  const position = new BytePosition(text);
  return mentions.flatMap((mention) => {
    const isKnown = isResolvable(mention, sources.cwd, existing);
    if (isKnown === undefined) return [];
    const { row, column } = position.of(mention.start);
    return [row, column, position.of(mention.end).column, isKnown ? 1 : 0];
  });
}

function fileOf({ target }: Mention, cwd: string): string | undefined {
  return target.kind === 'path' ? absolutePath(target.path, cwd) : undefined;
}

/** Undefined: it is no mention. */
function isResolvable(mention: Mention, cwd: string, existing: ReadonlySet<string>): boolean | undefined {
  const { target } = mention;
  if (target.kind === 'named') {
    const { name, argument } = target;
    return name.name !== 'diagnostics' || argument === undefined || name.choices!.includes(argument);
  }
  if (existing.has(absolutePath(target.path, cwd))) return true;
  return !target.isWord || isNearMiss(target.path) ? false : undefined;
}

/** Whether a word is a misspelt name. A beginning of a name is not: the user is about to write the rest. */
export function isNearMiss(word: string): boolean {
  if (!/^[a-z]{3,}$/.test(word) || mentionNames.some(({ name }) => name.startsWith(word))) return false;
  return mentionNames.some(({ name }) => {
    const most = name.length <= 5 ? 1 : 2;
    return Math.abs(name.length - word.length) <= most && distance(name, word) <= most;
  });
}

/** How many letters must be inserted, removed, replaced or swapped with their neighbour. */
function distance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let best = Math.min(
        rows[row - 1]![column]! + 1,
        line[column - 1]! + 1,
        rows[row - 1]![column - 1]! + (isSame ? 0 : 1),
      );
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (row > 1 && column > 1 && isSwapped) best = Math.min(best, rows[row - 2]![column - 2]! + 1);
      line.push(best);
    }
    rows.push(line);
  }
  return rows[one.length]![other.length]!;
}

/** Rows and columns of increasing indices of a text. The time is linear in its length. */
class BytePosition {
  private readonly text: string;
  private at = 0;
  private row = 0;
  private column = 0;

  constructor(text: string) {
    this.text = text;
  }

  of(index: number): { readonly row: number; readonly column: number } {
    for (let end = this.text.indexOf('\n', this.at); end !== -1 && end < index; ) {
      this.row += 1;
      this.column = 0;
      this.at = end + 1;
      end = this.text.indexOf('\n', this.at);
    }
    this.column += Buffer.byteLength(this.text.slice(this.at, index));
    this.at = index;
    return { row: this.row, column: this.column };
  }
}
