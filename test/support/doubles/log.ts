import type { Log } from '../../../src/ports/log.ts';

/** Records log lines with their level. */
export class LogDouble implements Log {
  readonly lines: string[] = [];

  error(message: string, error?: unknown): void {
    this.lines.push(`error ${message}${error === undefined ? '' : `: ${String(error)}`}`);
  }
  warn(message: string): void {
    this.lines.push(`warn ${message}`);
  }
  info(message: string): void {
    this.lines.push(`info ${message}`);
  }
  debug(message: string): void {
    this.lines.push(`debug ${message}`);
  }
}
