import { StringDecoder } from 'node:string_decoder';
import type { Disposable } from '../base.ts';
import type { Clock } from '../ports/host.ts';
import type { ExitStatus, Pty, TerminalOutput, TerminalSize } from '../ports/terminals.ts';
import { Backlog } from './backlog.ts';
import { type Emulator, maxPiece } from './emulator.ts';
import { lastBytes, plain } from './plain.ts';

/** So much an agent gets of an output at most. */
export const maxOutput = 1024 * 1024;
/** From so much that waits on it is a flood: reading comes first, and only its end will be understood. */
const floodBytes = 128 * 1024;
const maxWaiting = 2 * maxOutput;
const floodKept = 256 * 1024;
const glimpse = { everyMs: 100, bytes: 4 * 1024 };
const quietMs = 30;
const tail = { lines: 100, characters: 8_000 };

/** Who looks at a terminal while it runs. */
export interface TerminalViewer {
  /** More was understood. */
  onOutput(bytes: Buffer): void;
  /** Something was left out: what is shown is no beginning for what comes. */
  onLeap(): void;
  onExit(exit: ExitStatus): void;
}

export interface TerminalFacts {
  readonly id: string;
  /** The whole command, as a person would type it. */
  readonly line: string;
  readonly cwd: string;
  readonly startedAt: number;
  readonly byteLimit: number | undefined;
}

/** A command, what it wrote, and how it ended. */
export class Terminal {
  readonly facts: TerminalFacts;
  /** Resolves when the command has ended and all it wrote was understood. */
  readonly ended: Promise<ExitStatus>;
  exit: ExitStatus | undefined;
  /** Whether something was written that nobody has read yet. */
  isBusy = false;
  private readonly emulator: Emulator;
  private readonly clock: Clock;
  private readonly backlog = new Backlog();
  private readonly decoder = new StringDecoder('utf8');
  private readonly viewers = new Set<TerminalViewer>();
  private readonly listeners = new Set<() => void>();
  private pumping: Promise<void> = Promise.resolve();
  private understanding: Promise<void> = Promise.resolve();
  private pty: Pty | undefined;
  /** Something was let go that nobody will read. */
  private isTorn = false;
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

  /** The command runs; from here on it is ended with the terminal. */
  async follow(pty: Pty): Promise<void> {
    this.pty = pty;
    const exit = await pty.exited;
    await this.finish(exit);
  }

  /** The command can't be started: that is all it has to say. */
  async fail(message: string, code: number): Promise<void> {
    this.receive(Buffer.from(`${message}\r\n`));
    await this.finish({ code, signal: undefined });
  }

  receive(bytes: Buffer): void {
    this.lastBytes = this.clock.now();
    this.backlog.push(bytes);
    if (this.backlog.size > maxWaiting) {
      this.backlog.cut(maxOutput);
      this.isTorn = true;
    }
    if (this.isBusy) return;
    this.isBusy = true;
    this.pumping = this.pump();
  }

  watch(viewer: TerminalViewer): Disposable {
    this.viewers.add(viewer);
    return { dispose: () => this.viewers.delete(viewer) };
  }

  /** Calls back when there is more to be told of it. */
  onChange(listener: () => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  /** What the command wrote, as plain text. */
  output(): TerminalOutput {
    const limit = Math.min(this.facts.byteLimit ?? maxOutput, maxOutput);
    // One more, to know whether there is any.
    const all = plain(this.emulator.last(2 * limit + 1));
    const text = lastBytes(all, limit);
    return { text, isTruncated: this.emulator.isCut || text.length < all.length, exit: this.exit };
  }

  /** The last lines, with their colours. */
  tail(): string {
    const text = this.emulator.last(tail.characters);
    const lines = text.slice(-tail.characters).split('\n');
    const whole = text.length > tail.characters ? lines.slice(1) : lines;
    return whole.slice(-tail.lines).join('\n');
  }

  /** Resolves when the piece under way is understood and handed on: a picture of half of it is no beginning for it. */
  async pieceTaken(): Promise<void> {
    await this.understanding;
  }

  /** What brings an empty terminal to the picture of this one, or one that is behind to its screen. */
  repaint(isWhole: boolean): string {
    return this.emulator.repaint(isWhole);
  }

  /** Takes what the user types. */
  type(text: string): void {
    this.pty?.write(text);
  }

  /** An answer of the terminal to a program that asked; a terminal that is shown answers by itself. */
  answer(text: string): void {
    if (this.viewers.size === 0) this.pty?.write(text);
  }

  resize(size: TerminalSize): void {
    this.emulator.resize(size);
    this.pty?.resize(size);
  }

  /** Ends the command, and what it left behind. */
  async end(): Promise<void> {
    await this.pty?.end();
  }

  private async pump(): Promise<void> {
    while (this.backlog.size > 0) {
      if (this.backlog.size > floodBytes) await this.sitOut();
      const piece = this.backlog.take(maxPiece.bytes, maxPiece.lines);
      this.understanding = this.understand(piece);
      await this.understanding;
      for (const viewer of this.viewers) viewer.onOutput(piece);
    }
    this.isBusy = false;
  }

  // What is read meanwhile is more than anybody can look at: now and then a glimpse of it is enough.
  private async sitOut(): Promise<void> {
    for (let seen = 0; !this.hasClosed && this.clock.now() - this.lastBytes < quietMs; ) {
      await this.pause(quietMs);
      if (!this.isTorn || this.clock.now() - seen < glimpse.everyMs) continue;
      seen = this.clock.now();
      await this.emulator.leap();
      await this.understand(this.backlog.last(glimpse.bytes));
      for (const viewer of this.viewers) viewer.onLeap();
    }
    if (!this.isTorn) return;
    this.isTorn = false;
    this.backlog.cut(floodKept);
    this.decoder.end();
    await this.emulator.begin();
    for (const viewer of this.viewers) viewer.onLeap();
  }

  private async understand(piece: Buffer): Promise<void> {
    await this.emulator.write(this.decoder.write(piece));
    for (const listener of this.listeners) listener();
  }

  // What arrived while we were busy is read before this resolves.
  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.clock.after(ms, () => setImmediate(resolve));
    });
  }

  private async finish(exit: ExitStatus): Promise<void> {
    this.hasClosed = true;
    await this.pumping;
    this.emulator.freeze();
    this.exit = exit;
    this.resolve(exit);
    for (const viewer of this.viewers) viewer.onExit(exit);
  }
}
