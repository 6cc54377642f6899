import fs from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import type { Log, LogLevel } from '../ports/log.ts';
import { openForAppending } from './files/regular-file.ts';
import { redactText } from './redact.ts';

const maxBytes = 2 * 1024 * 1024;
const maxBufferedLines = 200;
const levels: readonly LogLevel[] = ['error', 'warn', 'info', 'debug'];

/** Writes the log file and keeps one rotated file. Lines logged before `open()` are buffered. It never throws. */
export class FileLog implements Log {
  private buffered: string[] = [];
  private file: { fd: number; size: number; path: string } | undefined;
  /** Less important messages are left out. */
  level: LogLevel = 'info';

  open(file: string): void {
    try {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      this.close();
      this.file = openAppend(file);
      for (const line of this.buffered.splice(0)) this.write(line);
    } catch {
      this.file = undefined;
    }
  }

  error(message: string, error?: unknown): void {
    this.add('error', error === undefined ? message : `${message}: ${describe(error)}`);
  }

  warn(message: string): void {
    this.add('warn', message);
  }

  info(message: string): void {
    this.add('info', message);
  }

  debug(message: string): void {
    this.add('debug', message);
  }

  close(): void {
    if (this.file) fs.closeSync(this.file.fd);
    this.file = undefined;
  }

  private add(level: LogLevel, message: string): void {
    if (levels.indexOf(level) > levels.indexOf(this.level)) return;
    const line = `${new Date().toISOString()} ${level.padEnd(5)} ${redactText(message)}\n`;
    if (this.file) this.write(line);
    else if (this.buffered.length < maxBufferedLines) this.buffered.push(line);
  }

  private write(line: string): void {
    if (!this.file) return;
    try {
      if (this.file.size > maxBytes) this.rotate(this.file.path);
      this.file.size += fs.writeSync(this.file.fd, line);
    } catch {
      // A full disk must not break the chat.
    }
  }

  private rotate(file: string): void {
    this.close();
    fs.renameSync(file, `${file}.1`);
    this.file = openAppend(file);
  }
}

function openAppend(file: string) {
  const fd = openForAppending(file);
  return { fd, size: fs.fstatSync(fd).size, path: file };
}

function describe(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : inspect(error, { depth: 3 });
  const cause =
    error.cause === undefined || depth > 4 ? '' : `\n  caused by ${describe(error.cause, depth + 1)}`;
  return `${error.stack ?? error.message}${cause}`;
}
