import { stripVTControlCharacters } from 'node:util';
import { isJson } from '../../../base/json.ts';
import { shorten } from '../../../base/text.ts';

const maxKeptLines = 40;
const maxLength = 200;
/** Older lines have nothing to do with the exit. */
const recentMs = 5_000;

/** The last lines on stderr: usually they explain why a program exited. */
export class RecentStderr {
  private readonly lines: { readonly line: string; readonly at: number }[] = [];
  private readonly now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  add(line: string): void {
    if (this.lines.push({ line, at: this.now() }) > maxKeptLines) this.lines.shift();
  }

  last(count: number): readonly string[] {
    const from = this.now() - recentMs;
    return this.lines
      .filter(({ at }) => at >= from)
      .map(({ line }) => stripVTControlCharacters(line).trim())
      .filter((line) => line !== '' && !isJsonTrace(line))
      .slice(-count)
      .map((line) => shorten(line, maxLength));
  }
}

// Agents log messages and state as JSON; that does not explain an exit.
function isJsonTrace(line: string): boolean {
  return /^[[{]/.test(line) && isJson(line);
}
