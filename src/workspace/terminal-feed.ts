import type { Disposable } from '../base.ts';
import type { Clock, Editor, Log } from '../ports/host.ts';
import type { ExitStatus } from '../ports/terminals.ts';
import { Backlog, measure } from './backlog.ts';
import type { Terminal, TerminalViewer } from './terminal.ts';

/** So much Neovim takes in well below the time of a frame: lines that scroll cost it more than text. */
const batch = { bytes: 16 * 1024, lines: 200 };
/** From here on it would only ever see what is long over. */
const maxWaiting = { bytes: 512 * 1024, lines: 5_000 };
const frameMs = 50;
const quietMs = 150;

export interface FeedPorts {
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Brings the bytes of a terminal to a buffer of Neovim, at Neovim's own pace. One batch is under way at a time; a buffer
 * that can't keep up is shown the screen as it is now and then, and all of it once there is rest.
 */
export class TerminalFeed implements TerminalViewer, Disposable {
  private readonly terminal: Terminal;
  private readonly ports: FeedPorts;
  private readonly backlog = new Backlog();
  /** In the backlog. */
  private lines = 0;
  private readonly watching: Disposable;
  private isBehind = true;
  /** What comes next begins with an empty buffer. */
  private isFresh = false;
  private hasPainted = false;
  private most = maxWaiting;
  private isSending = false;
  private isDisposed = false;
  private hasToldEnd = false;
  private lastOutput = 0;
  private lastScreen = 0;

  constructor(terminal: Terminal, ports: FeedPorts) {
    this.terminal = terminal;
    this.ports = ports;
    this.watching = terminal.watch(this);
    void this.send().then(() => {
      if (terminal.exit) this.tellEnd(terminal.exit);
    });
  }

  onOutput(bytes: Buffer): void {
    this.lastOutput = this.ports.clock.now();
    if (!this.isBehind) {
      this.push(bytes);
      if (this.backlog.size > this.most.bytes || this.lines > this.most.lines) this.fallBehind();
    }
    void this.send();
  }

  onLeap(): void {
    this.fallBehind();
  }

  onExit(exit: ExitStatus): void {
    void this.send().then(() => this.tellEnd(exit));
  }

  dispose(): void {
    this.isDisposed = true;
    this.watching.dispose();
    this.backlog.clear();
  }

  private fallBehind(): void {
    this.isBehind = true;
    this.backlog.clear();
    this.lines = 0;
  }

  private push(bytes: Buffer): void {
    this.backlog.push(bytes);
    this.lines += measure(bytes).lines;
  }

  private tellEnd({ code, signal }: ExitStatus): void {
    if (this.isDisposed || this.hasToldEnd) return;
    this.hasToldEnd = true;
    this.ports.editor.tell('terminal.ended', { terminal: this.terminal.facts.id, code, signal });
  }

  private async send(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    try {
      while (!this.isDisposed && (this.isBehind || this.backlog.size > 0)) await this.sendNext();
    } catch (error) {
      if (!this.isDisposed) this.ports.log.error('a terminal was not drawn', error);
      this.dispose();
    }
    this.isSending = false;
  }

  private async sendNext(): Promise<void> {
    if (this.isBehind) return this.catchUp();
    const isFresh = this.isFresh;
    this.isFresh = false;
    const bytes = this.backlog.take(batch.bytes, batch.lines);
    this.lines -= measure(bytes).lines;
    await this.write(bytes, isFresh);
  }

  private async catchUp(): Promise<void> {
    const { clock } = this.ports;
    const isRestless = this.terminal.isBusy || clock.now() - this.lastOutput < quietMs;
    if (this.hasPainted && isRestless) {
      await this.pause(frameMs - (clock.now() - this.lastScreen));
      this.lastScreen = clock.now();
      return this.write(Buffer.from(this.terminal.repaint(false)), false);
    }
    await this.terminal.pieceTaken();
    this.push(Buffer.from(this.terminal.repaint(true)));
    const { bytes, lines } = maxWaiting;
    this.most = { bytes: bytes + this.backlog.size, lines: lines + this.lines };
    this.isFresh = this.hasPainted;
    this.hasPainted = true;
    this.isBehind = false;
  }

  private async write(bytes: Buffer, isFresh: boolean): Promise<void> {
    const { id: terminal } = this.terminal.facts;
    const result = await this.ports.editor.call('terminal.write', { terminal, data: bytes, fresh: isFresh });
    if (result === 'gone') this.dispose();
  }

  private async pause(ms: number): Promise<void> {
    if (ms <= 0) return;
    await new Promise<void>((resolve) => {
      this.ports.clock.after(ms, resolve);
    });
  }
}
