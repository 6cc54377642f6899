import type { Disposable } from '../../base/disposable.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import type { Log } from '../../ports/log.ts';
import type { ExitStatus } from '../../ports/terminals.ts';
import { ByteRing, countLines } from './byte-ring.ts';
import { OutputFilter } from './output-filter.ts';
import type { Terminal, TerminalViewer } from './terminal.ts';

/** What Neovim draws well within a frame. Lines that scroll cost more than text. */
const batch = { bytes: 16 * 1024, lines: 200 };
/** A feed with more waiting than this is behind: it skips to the current screen. */
const maxWaiting = { bytes: 512 * 1024, lines: 5_000 };
const frameMs = 50;
const quietMs = 150;

interface FeedPorts {
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Writes the output of a terminal to a Neovim buffer, one batch at a time, as fast as Neovim draws it. A buffer that falls
 * behind gets the current screen now and then, and the whole output when the terminal is quiet.
 */
export class TerminalFeed implements TerminalViewer, Disposable {
  private readonly terminal: Terminal;
  private readonly ports: FeedPorts;
  private readonly backlog = new ByteRing();
  private readonly filter = new OutputFilter();
  /** Lines in the backlog. */
  private lines = 0;
  private readonly watching: Disposable;
  private isBehind = true;
  /** The next batch starts with an empty buffer. */
  private mustClear = false;
  private hasPainted = false;
  private limit = maxWaiting;
  private isSending = false;
  private isDisposed = false;
  private hasSentExit = false;
  private lastOutput = 0;
  private lastScreen = 0;

  constructor(terminal: Terminal, ports: FeedPorts) {
    this.terminal = terminal;
    this.ports = ports;
    this.watching = terminal.watch(this);
    // `send` reports its failures itself.
    void this.send().then(() => {
      if (terminal.exit) this.sendExit(terminal.exit);
    });
  }

  onOutput(bytes: Buffer): void {
    this.lastOutput = this.ports.clock.elapsed();
    if (!this.isBehind) {
      this.push(this.filter.filter(bytes));
      if (this.backlog.size > this.limit.bytes || this.lines > this.limit.lines) this.fallBehind();
    }
    void this.send(); // It reports its failures itself.
  }

  onSkip(): void {
    this.fallBehind();
  }

  onExit(exit: ExitStatus): void {
    // `send` reports its failures itself.
    void this.send().then(() => this.sendExit(exit));
  }

  /** Nothing is written to the buffer afterwards. */
  dispose(): void {
    this.isDisposed = true;
    this.watching.dispose();
    this.backlog.clear();
  }

  private fallBehind(): void {
    this.isBehind = true;
    this.filter.reset();
    this.backlog.clear();
    this.lines = 0;
  }

  private push(bytes: Buffer): void {
    this.backlog.push(bytes);
    this.lines += countLines(bytes).lines;
  }

  private sendExit({ code, signal }: ExitStatus): void {
    if (this.isDisposed || this.hasSentExit) return;
    this.hasSentExit = true;
    this.ports.editor.send('terminal.ended', { terminal: this.terminal.facts.id, code, signal });
  }

  private async send(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    try {
      while (!this.isDisposed && (this.isBehind || this.backlog.size > 0)) await this.sendNext();
    } catch (error) {
      if (!this.isDisposed) this.ports.log.error('drawing a terminal failed', error);
      this.dispose();
    }
    this.isSending = false;
  }

  private async sendNext(): Promise<void> {
    if (this.isBehind) return this.catchUp();
    const mustClear = this.mustClear;
    this.mustClear = false;
    const bytes = this.backlog.take(batch.bytes, batch.lines);
    this.lines -= countLines(bytes).lines;
    await this.write(bytes, mustClear);
  }

  private async catchUp(): Promise<void> {
    const { clock } = this.ports;
    const isRestless = this.terminal.isBusy || clock.elapsed() - this.lastOutput < quietMs;
    if (this.hasPainted && isRestless) {
      await this.pause(frameMs - (clock.elapsed() - this.lastScreen));
      this.lastScreen = clock.elapsed();
      return this.isDisposed ? undefined : this.write(Buffer.from(this.terminal.repaint(false)), false);
    }
    await this.terminal.pieceParsed();
    if (this.isDisposed) return;
    this.push(Buffer.from(this.terminal.repaint(true)));
    const { bytes, lines } = maxWaiting;
    this.limit = { bytes: bytes + this.backlog.size, lines: lines + this.lines };
    this.mustClear = this.hasPainted;
    this.hasPainted = true;
    this.isBehind = false;
  }

  private async write(bytes: Buffer, mustClear: boolean): Promise<void> {
    const { id: terminal } = this.terminal.facts;
    const result = await this.ports.editor.call('terminal.write', {
      terminal,
      data: bytes,
      fresh: mustClear,
    });
    if (result === 'gone') this.dispose();
  }

  private async pause(ms: number): Promise<void> {
    if (ms <= 0) return;
    await new Promise<void>((resolve) => {
      this.ports.clock.after(ms, resolve);
    });
  }
}
