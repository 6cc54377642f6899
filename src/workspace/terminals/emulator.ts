import type { IBuffer, IMarker, Terminal } from '@xterm/headless';
import type { TerminalSize } from '../../ports/terminals.ts';
import { stripColours } from './ansi-text.ts';
import { rowText } from './row-text.ts';
import { Scrollback } from './scrollback.ts';
import { limitSequences } from './sequence-limits.ts';

// More rows than one piece can scroll off the screen, so that every row is read before xterm drops it.
const xtermScrollback = 1_000;
/** How much of the scrollback a repaint contains at most. */
const maxRepainted = { lines: 10_000, characters: 1024 * 1024 };
export const maxPiece = { bytes: 16 * 1024, lines: 500 };
/** xterm yields to the event loop only between two writes, and 1 kB of reset sequences takes it 100 ms. */
const sliceLength = 512;

type Serializer = { serialize(options?: { scrollback?: number }): string };

/** Parses the output of a command as a terminal does, and keeps the end of it as text. */
export class Emulator {
  private readonly terminal: Terminal;
  private readonly serializer: Serializer;
  private scrollback = new Scrollback();
  /** The first row that is not in the scrollback yet. */
  private next: IMarker | undefined;
  private isFrozen = false;

  private constructor(terminal: Terminal, serializer: Serializer) {
    this.terminal = terminal;
    this.serializer = serializer;
    this.next = terminal.registerMarker(0);
  }

  /** Loads xterm with the first command. `onAnswer` gets the answers of the terminal to queries of the program. */
  static async open(
    { columns: cols, rows }: TerminalSize,
    onAnswer: (text: string) => void,
  ): Promise<Emulator> {
    const [headless, addon] = await Promise.all([
      import('@xterm/headless'),
      import('@xterm/addon-serialize'),
    ]);
    const terminal = new (unwrapDefault(headless).Terminal)({
      cols,
      rows,
      scrollback: xtermScrollback,
      allowProposedApi: true,
      // xterm would print every sequence that it can't parse.
      logLevel: 'off',
    });
    const serializer = new (unwrapDefault(addon).SerializeAddon)();
    terminal.loadAddon(serializer as never);
    terminal.onData(onAnswer);
    limitSequences(terminal);
    return new Emulator(terminal, serializer);
  }

  /** Resolves when the text was parsed. It must not be longer than `maxPiece`. */
  async write(text: string): Promise<void> {
    for (let start = 0; start < text.length; start += sliceLength) {
      this.terminal.write(text.slice(start, start + sliceLength));
    }
    await new Promise<void>((resolve) => {
      this.terminal.write('', resolve);
    });
    this.collectScrolledRows();
  }

  resize({ columns, rows }: TerminalSize): void {
    if (!this.isFrozen) this.terminal.resize(Math.max(2, columns), Math.max(1, rows));
  }

  /** Output was skipped, perhaps in the middle of an escape sequence: cancels the sequence and resets colours. */
  async abortSequence(): Promise<void> {
    await this.write('\x18\x1b[0m');
  }

  /** Drops everything; the next text is the end of a longer output. */
  async restart(): Promise<void> {
    await this.abortSequence();
    this.terminal.reset();
    this.next = this.terminal.registerMarker(0);
    this.scrollback = new Scrollback();
    this.scrollback.isCut = true;
  }

  get isCut(): boolean {
    return this.scrollback.isCut;
  }

  /** The end of the output with colours: at least this many characters, or all. */
  last(characters: number): string {
    const screen = this.isFrozen ? '' : this.screen();
    return this.scrollback.last(Math.max(0, characters - screen.length)).join('') + screen;
  }

  /** The bytes that draw the output in an empty terminal, or only the current screen in one that is behind. */
  repaint(withScrollback: boolean): string {
    const past = this.scrollback.last(maxRepainted.characters, maxRepainted.lines);
    const text = past.join('').replaceAll('\n', '\r\n');
    if (this.isFrozen) return text;
    const screen = dividedColours(this.serializer.serialize({ scrollback: 0 }));
    if (!withScrollback) return `\x1b[H\x1b[2J${screen}`;
    return text === '' ? screen : `${text}${this.scrollOut(past)}${screen}`;
  }

  /** The command has ended: keeps the text and frees xterm. */
  freeze(): void {
    if (this.isFrozen) return;
    for (const part of this.screen().split(/(?<=\n)/)) this.scrollback.push(part);
    this.isFrozen = true;
    this.terminal.dispose();
  }

  // Scrolls the repainted scrollback off the screen of the other terminal, and nothing else.
  private scrollOut(past: readonly string[]): string {
    const { cols, rows } = this.terminal;
    let height = 0;
    for (const part of past) {
      height += Math.max(1, Math.ceil(stripColours(part).trimEnd().length / cols));
      if (height >= rows - 1) break;
    }
    return `\x1b[${rows};1H${'\n'.repeat(Math.min(height, rows - 1))}\x1b[H`;
  }

  private collectScrolledRows(): void {
    const { normal, active } = this.terminal.buffer;
    if (active !== normal) return;
    const from = this.next && !this.next.isDisposed ? this.next.line : 0;
    if (this.next?.isDisposed) this.scrollback.isCut = true;
    if (from >= normal.baseY && !this.next?.isDisposed) return;
    for (const part of rows(normal, from, normal.baseY)) this.scrollback.push(part);
    this.next?.dispose();
    this.next = this.terminal.registerMarker(-normal.cursorY);
  }

  private screen(): string {
    const { normal, active } = this.terminal.buffer;
    const text = rows(normal, normal.baseY, lastRow(normal) + 1)
      .join('')
      .replace(/\n$/, '');
    if (active === normal) return text;
    const front = rows(active, 0, lastRow(active) + 1)
      .join('')
      .trimEnd();
    return text === '' || text.endsWith('\n') ? text + front : `${text}\n${front}`;
  }
}

/** The serializer puts up to 19 parameters into one sequence. Neovim crashes if there are more than 16. */
function dividedColours(text: string): string {
  return text.replace(/\x1b\[([34]8;2;\d+;\d+;\d+);/g, '\x1b[$1m\x1b[');
}

/** Rows as parts for the scrollback: a part ends with a newline unless its line continues in the next row. */
function rows(buffer: IBuffer, from: number, to: number): readonly string[] {
  const cell = buffer.getNullCell();
  const parts: string[] = [];
  for (let row = from; row < to; row += 1) {
    const line = buffer.getLine(row);
    if (!line) break;
    const isContinued = row + 1 < buffer.length && buffer.getLine(row + 1)?.isWrapped;
    parts.push(rowText(line, cell) + (isContinued ? '' : '\n'));
  }
  return parts;
}

// The row of the cursor counts even if it is empty: it shows that the output ends with a newline.
function lastRow(buffer: IBuffer): number {
  const cursor = buffer.baseY + buffer.cursorY;
  for (let row = buffer.length - 1; row > cursor; row -= 1) {
    if (buffer.getLine(row)?.translateToString(true)) return row;
  }
  return cursor;
}

// Node provides a CommonJS module as the default export of its namespace.
function unwrapDefault<T extends object>(module: T): T {
  return 'default' in module ? (module.default as T) : module;
}
