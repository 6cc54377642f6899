import fs from 'node:fs';
import path from 'node:path';
import type { Disposable } from '../../base/disposable.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Traffic, TrafficEntry, TrafficWatcher } from '../../ports/traffic.ts';
import { redactMessage } from '../../system/redact.ts';

const flushMs = 50;
const maxPending = 500;

interface RecorderPorts {
  readonly clock: Clock;
}

/** Records the messages of a connection, including those that are still kept, in a file for the replay tests. */
export class Recorder implements TrafficWatcher, Disposable {
  readonly file: string;
  count = 0;
  private readonly ports: RecorderPorts;
  private onDone: (error?: unknown) => void = () => undefined;
  private readonly fd: number;
  private watching: Disposable | undefined;
  private pending: TrafficEntry[] = [];
  private startedAt: number | undefined;
  private timer: Disposable | undefined;
  private isDone = false;

  /** Throws if the file exists or cannot be created. */
  constructor(file: string, ports: RecorderPorts) {
    this.file = file;
    this.ports = ports;
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    this.fd = fs.openSync(file, 'wx', 0o600);
  }

  /** Records until the agent ends, the recorder is disposed, or writing fails. */
  start(traffic: Traffic, onDone: (error?: unknown) => void): void {
    this.onDone = onDone;
    if (traffic.oldest > 0)
      this.write({ t: 0, dir: 'note', step: `${traffic.oldest} earlier messages were not kept` });
    this.watching = traffic.watch(this);
    for (const entry of traffic.since(0)) this.onEntry(entry);
    if (traffic.isOver) this.onEnd();
  }

  onEntry(entry: TrafficEntry): void {
    this.pending.push(entry);
    if (this.pending.length >= maxPending) this.flush();
    else this.timer ??= this.ports.clock.after(flushMs, () => this.flush());
  }

  onEnd(): void {
    this.flush();
    this.write({ t: this.since(this.ports.clock.now()), dir: 'exit', code: null });
    this.finish();
  }

  dispose(): void {
    if (this.isDone) return;
    this.flush();
    this.finish();
  }

  private flush(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.write(...this.pending.splice(0).map((entry) => this.recordOf(entry)));
  }

  private recordOf({ at, isOutgoing, message }: TrafficEntry): object {
    this.count += 1;
    return { t: this.since(at), dir: isOutgoing ? 'c2a' : 'a2c', msg: redactMessage(message) };
  }

  private since(at: number): number {
    this.startedAt ??= at;
    return Math.max(0, at - this.startedAt);
  }

  private write(...lines: readonly object[]): void {
    if (this.isDone || lines.length === 0) return;
    try {
      fs.appendFileSync(this.fd, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    } catch (error) {
      this.finish(error);
    }
  }

  private finish(error?: unknown): void {
    if (this.isDone) return;
    this.isDone = true;
    this.timer?.dispose();
    this.watching?.dispose();
    fs.closeSync(this.fd);
    this.onDone(error);
  }
}
