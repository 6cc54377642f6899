import { StringDecoder } from 'node:string_decoder';
import type { Disposable } from '../../base/disposable.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExitStatus, Pty, TerminalOutput, TerminalSize } from '../../ports/terminals.ts';
import { lastBytes, stripColours } from './ansi-text.ts';
import { ByteRing } from './byte-ring.ts';
import { type Emulator, maxPiece } from './emulator.ts';

/** At most this many bytes of output are sent to an agent. */
const maxOutput = 1024 * 1024;
/** More unparsed bytes than this are a flood: the host reads until it is over and parses only its end. */
const floodBytes = 128 * 1024;
const maxWaiting = 2 * maxOutput;
const floodKept = 256 * 1024;
const floodPreview = { everyMs: 100, bytes: 4 * 1024 };
const quietMs = 30;
const tail = { lines: 100, characters: 8_000 };

/** Shows a terminal while its command runs. */
export interface TerminalViewer {
  /** These bytes were parsed. */
  onOutput(bytes: Buffer): void;
  /** Bytes were skipped: the next output does not continue what is shown. */
  onSkip(): void;
  onExit(exit: ExitStatus): void;
}

interface TerminalFacts {
  readonly id: string;
  /** The command line as a person would type it. */
  readonly line: string;
  readonly cwd: string;
  readonly startedAt: number;
  readonly byteLimit: number | undefined;
}

/** A command, its output and its exit status. */
export class Terminal {
  readonly facts: TerminalFacts;
  /** Resolves when the command has exited and its output was parsed. */
  readonly ended: Promise<ExitStatus>;
  exit: ExitStatus | undefined;
  /** Whether output waits to be parsed. */
  isBusy = false;
  private readonly emulator: Emulator;
  private readonly clock: Clock;
  private readonly backlog = new ByteRing();
  private readonly decoder = new StringDecoder('utf8');
  private readonly viewers = new Set<TerminalViewer>();
  private readonly listeners = new Set<() => void>();
  private pumping: Promise<void> = Promise.resolve();
  private parsing: Promise<void> = Promise.resolve();
  private pty: Pty | undefined;
  /** Bytes were dropped from the backlog during a flood. */
  private hasDroppedBytes = false;
  private lastBytes = 0;
  private hasClosed = false;
  private resolve!: (exit: ExitStatus) => void;

  constructor(facts: TerminalFacts, emulator: Emulator, clock: Clock) {
    this.facts = facts;
    this.clock = clock;
    this.emulator = emulator;
    this.ended = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  /** Follows a started command until it exits. `end()` ends it from now on. */
  async attach(pty: Pty): Promise<void> {
    this.pty = pty;
    const exit = await pty.exited;
    await this.finish(exit);
  }

  /** Ends a terminal whose command can't be started; the message is its output. */
  async fail(message: string, code: number): Promise<void> {
    this.receiveOutput(Buffer.from(`${message}\r\n`));
    await this.finish({ code, signal: undefined });
  }

  receiveOutput(bytes: Buffer): void {
    this.lastBytes = this.clock.elapsed();
    this.backlog.push(bytes);
    if (this.backlog.size > maxWaiting) {
      this.backlog.keepLast(maxOutput);
      this.hasDroppedBytes = true;
    }
    if (this.isBusy) return;
    this.isBusy = true;
    this.pumping = this.pump();
  }

  watch(viewer: TerminalViewer): Disposable {
    this.viewers.add(viewer);
    return { dispose: () => this.viewers.delete(viewer) };
  }

  /** Calls back when output was parsed. */
  onChange(listener: () => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  /** The output as plain text. */
  output(): TerminalOutput {
    const limit = Math.min(this.facts.byteLimit ?? maxOutput, maxOutput);
    // One character more than the limit shows whether something was cut off.
    const all = stripColours(this.emulator.last(2 * limit + 1));
    const text = lastBytes(all, limit);
    return { text, isTruncated: this.emulator.isCut || text.length < all.length, exit: this.exit };
  }

  /** The last lines of the output, with colours. */
  tail(): string {
    const text = this.emulator.last(tail.characters);
    const lines = text.slice(-tail.characters).split('\n');
    const whole = text.length > tail.characters ? lines.slice(1) : lines;
    return whole.slice(-tail.lines).join('\n');
  }

  /** Resolves when the current piece was parsed and passed to viewers. A repaint in the middle of it would repeat it. */
  async pieceParsed(): Promise<void> {
    await this.parsing;
  }

  /** The bytes that draw this terminal: all of it in an empty terminal, or only the screen in one that is behind. */
  repaint(withScrollback: boolean): string {
    return this.emulator.repaint(withScrollback);
  }

  /** Sends what the user typed. */
  writeInput(text: string): void {
    this.pty?.write(text);
  }

  /** Answers a query of the program, such as for the cursor position. A terminal that is shown answers by itself. */
  writeReply(text: string): void {
    if (this.viewers.size === 0) this.pty?.write(text);
  }

  resize(size: TerminalSize): void {
    this.emulator.resize(size);
    this.pty?.resize(size);
  }

  /** Ends the command and its background processes; settles when its output was parsed. */
  async end(): Promise<void> {
    await this.pty?.end();
    await this.ended;
  }

  private async pump(): Promise<void> {
    while (this.backlog.size > 0) {
      if (this.backlog.size > floodBytes) await this.skipFlood();
      const piece = this.backlog.take(maxPiece.bytes, maxPiece.lines);
      this.parsing = this.parse(piece);
      await this.parsing;
      for (const viewer of this.viewers) viewer.onOutput(piece);
    }
    this.isBusy = false;
  }

  // Waits until a flood is over. Viewers see a preview of its end now and then.
  private async skipFlood(): Promise<void> {
    for (let seen = -Infinity; !this.hasClosed && this.clock.elapsed() - this.lastBytes < quietMs; ) {
      await this.pause(quietMs);
      if (!this.hasDroppedBytes || this.clock.elapsed() - seen < floodPreview.everyMs) continue;
      seen = this.clock.elapsed();
      await this.emulator.abortSequence();
      await this.parse(this.backlog.last(floodPreview.bytes));
      for (const viewer of this.viewers) viewer.onSkip();
    }
    if (!this.hasDroppedBytes) return;
    this.hasDroppedBytes = false;
    this.backlog.keepLast(floodKept);
    this.decoder.end();
    await this.emulator.restart();
    for (const viewer of this.viewers) viewer.onSkip();
  }

  private async parse(piece: Buffer): Promise<void> {
    await this.emulator.write(this.decoder.write(piece));
    for (const listener of this.listeners) listener();
  }

  // `setImmediate` lets Node read what has arrived before this resolves.
  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.clock.after(ms, () => setImmediate(resolve));
    });
  }

  private async finish(exit: ExitStatus): Promise<void> {
    this.hasClosed = true;
    // An emulator that failed was reported as an unhandled rejection. The exit has to be reported all the same.
    await this.pumping.catch(() => undefined);
    this.emulator.freeze();
    this.exit = exit;
    this.resolve(exit);
    for (const viewer of this.viewers) viewer.onExit(exit);
  }
}
