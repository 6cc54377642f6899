import type { IBuffer, IMarker, Terminal } from '@xterm/headless';
import type { TerminalSize } from '../ports/terminals.ts';
import { rowText } from './cells.ts';
import { History } from './history.ts';
import { plain } from './plain.ts';
import { limitSequences } from './sequence-limits.ts';

// More rows than one piece can scroll away, so that none is gone before it was read.
const scrollback = 1_000;
/** So much is painted again at most of what has left the screen. */
const painted = { lines: 10_000, characters: 1024 * 1024 };
export const maxPiece = { bytes: 16 * 1024, lines: 500 };
/** xterm lets others run between two writes only, and 1 kB of resets takes it 100 ms. */
const sliceLength = 512;

type Serializer = { serialize(options?: { scrollback?: number }): string };

/** Understands what a command writes as a terminal does, and keeps the end of it. */
export class Emulator {
  private readonly terminal: Terminal;
  private readonly serializer: Serializer;
  private history = new History();
  /** The first row that is not in the history yet. */
  private next: IMarker | undefined;
  private isFrozen = false;

  private constructor(terminal: Terminal, serializer: Serializer) {
    this.terminal = terminal;
    this.serializer = serializer;
    this.next = terminal.registerMarker(0);
  }

  /** The library is loaded when the first command runs. `onAnswer` takes what a program asked its terminal for. */
  static async open(
    { columns: cols, rows }: TerminalSize,
    onAnswer: (text: string) => void,
  ): Promise<Emulator> {
    const [headless, addon] = await Promise.all([
      import('@xterm/headless'),
      import('@xterm/addon-serialize'),
    ]);
    const terminal = new (named(headless).Terminal)({
      cols,
      rows,
      scrollback,
      allowProposedApi: true,
      // It would print every sequence that it can't parse.
      logLevel: 'off',
    });
    const serializer = new (named(addon).SerializeAddon)();
    terminal.loadAddon(serializer as never);
    terminal.onData(onAnswer);
    limitSequences(terminal);
    return new Emulator(terminal, serializer);
  }

  /** Resolves when the text is understood. It is not to be longer than a piece may be. */
  async write(text: string): Promise<void> {
    for (let start = 0; start < text.length; start += sliceLength) {
      this.terminal.write(text.slice(start, start + sliceLength));
    }
    await new Promise<void>((resolve) => {
      this.terminal.write('', resolve);
    });
    this.harvest();
  }

  resize({ columns, rows }: TerminalSize): void {
    if (!this.isFrozen) this.terminal.resize(Math.max(2, columns), Math.max(1, rows));
  }

  /** Something was left out before what comes next, perhaps in the middle of a sequence. */
  async leap(): Promise<void> {
    await this.write('\x18\x1b[0m');
  }

  /** Forgets everything; what comes next is the end of something longer. */
  async begin(): Promise<void> {
    await this.leap();
    this.terminal.reset();
    this.next = this.terminal.registerMarker(0);
    this.history = new History();
    this.history.isCut = true;
  }

  get isCut(): boolean {
    return this.history.isCut;
  }

  /** The end of everything, with colours: at least so many characters of it, or all. */
  last(characters: number): string {
    const screen = this.isFrozen ? '' : this.screen();
    return this.history.last(Math.max(0, characters - screen.length)).join('') + screen;
  }

  /** What brings an empty terminal to the same picture, or one that shows an earlier one to the same screen. */
  repaint(isWhole: boolean): string {
    const past = this.history.last(painted.characters, painted.lines);
    const text = past.join('').replaceAll('\n', '\r\n');
    if (this.isFrozen) return text;
    const screen = this.serializer.serialize({ scrollback: 0 });
    if (!isWhole) return `\x1b[H\x1b[2J${screen}`;
    return text === '' ? screen : `${text}${this.scrollOut(past)}${screen}`;
  }

  /** Nothing more will come: only the text is kept. */
  freeze(): void {
    if (this.isFrozen) return;
    for (const part of this.screen().split(/(?<=\n)/)) this.history.push(part);
    this.isFrozen = true;
    this.terminal.dispose();
  }

  // What has left the screen here leaves it in the other terminal too, and nothing else does.
  private scrollOut(past: readonly string[]): string {
    const { cols, rows } = this.terminal;
    let height = 0;
    for (const part of past) {
      height += Math.max(1, Math.ceil(plain(part).trimEnd().length / cols));
      if (height >= rows - 1) break;
    }
    return `\x1b[${rows};1H${'\n'.repeat(Math.min(height, rows - 1))}\x1b[H`;
  }

  private harvest(): void {
    const { normal, active } = this.terminal.buffer;
    if (active !== normal) return;
    const from = this.next && !this.next.isDisposed ? this.next.line : 0;
    if (this.next?.isDisposed) this.history.isCut = true;
    if (from >= normal.baseY && !this.next?.isDisposed) return;
    for (const part of rows(normal, from, normal.baseY)) this.history.push(part);
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

/** Rows as parts of a history. */
function rows(buffer: IBuffer, from: number, to: number): readonly string[] {
  const cell = buffer.getNullCell();
  const parts: string[] = [];
  for (let row = from; row < to; row += 1) {
    const line = buffer.getLine(row);
    if (!line) break;
    const goesOn = row + 1 < buffer.length && buffer.getLine(row + 1)?.isWrapped;
    parts.push(rowText(line, cell) + (goesOn ? '' : '\n'));
  }
  return parts;
}

// The row of the cursor belongs to it even when it is empty: so a last newline is told.
function lastRow(buffer: IBuffer): number {
  const cursor = buffer.baseY + buffer.cursorY;
  for (let row = buffer.length - 1; row > cursor; row -= 1) {
    if (buffer.getLine(row)?.translateToString(true)) return row;
  }
  return cursor;
}

// Node gives a CommonJS module as the default of its namespace.
function named<T extends object>(module: T): T {
  return 'default' in module ? (module.default as T) : module;
}
