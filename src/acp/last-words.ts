import { stripVTControlCharacters } from 'node:util';
import { shorten } from '../base.ts';

const maxLines = 40;
const maxLength = 200;
/** What was written earlier has nothing to do with the end of the program. */
const recentMs = 5_000;

/** The lines a program wrote to stderr lately: the best explanation of its end there is. */
export class LastWords {
  private readonly lines: { readonly line: string; readonly at: number }[] = [];
  private readonly now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  add(line: string): void {
    if (this.lines.push({ line, at: this.now() }) > maxLines) this.lines.shift();
  }

  last(count: number): readonly string[] {
    const from = this.now() - recentMs;
    return this.lines
      .filter(({ at }) => at >= from)
      .map(({ line }) => stripVTControlCharacters(line).trim())
      .filter((line) => line !== '' && !isJson(line))
      .slice(-count)
      .map((line) => shorten(line, maxLength));
  }
}

// Traces of messages and of state are for the log.
function isJson(line: string): boolean {
  if (!/^[[{]/.test(line)) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
