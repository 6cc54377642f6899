import fs from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import type { Log } from './ports/host.ts';

const maxBytes = 2 * 1024 * 1024;
const maxEarly = 200;
const levels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof levels)[number];

/** Names of what is secret, and things that look like keys, wherever they turn up. */
const name = '(?:api[-_]?key|token|secret|password|authorization)[\\w-]{0,40}';
const secretPatterns: readonly [RegExp, string][] = [
  [/\b(?:(?:[sp]k|gh[pousr]|github_pat|xox[a-z]|glpat)[-_]|AIza|AKIA|ASIA)[-\w]{10,}/g, '<secret>'],
  [
    new RegExp(`(${name}\\\\{0,8}["']?\\s*[:=]\\s*)(\\\\{0,8}["'])(?:(?!\\2).){1,4000}`, 'gi'),
    '$1$2<secret>',
  ],
  [/(authorization\s*[:=]\s*)[^\s"',}]+(?: [^\s"',}]+)?/gi, '$1<secret>'],
  [new RegExp(`(${name}\\s*[:=]\\s*)[^\\s"',}]+`, 'gi'), '$1<secret>'],
  [new RegExp(`(\\s--?[\\w-]{0,40}${name}\\s+)[^\\s-]\\S*`, 'gi'), '$1<secret>'],
  [/(bearer\s+)[\w.~+/=-]+/gi, '$1<secret>'],
  [/(\bcookie["']?\s*[:=]\s*["']?)[^"'\r\n]+/gi, '$1<secret>'],
  [/(\b[a-z][a-z\d+.-]{0,20}:\/\/)[^\s/?#@"']{1,500}@/gi, '$1<secret>@'],
  [/([?&](?:key|auth|sig|signature|code)=)[^\s&#"']+/gi, '$1<secret>'],
];

export function redact(text: string): string {
  return secretPatterns.reduce((clean, [pattern, mask]) => clean.replace(pattern, mask), text);
}

/** The log file. It opens when it is told where to be, keeps one older file, and never fails its caller. */
export class FileLog implements Log {
  private early: string[] = [];
  private file: { fd: number; size: number; path: string } | undefined;
  private level: LogLevel = 'info';

  open(file: string, level: LogLevel = 'info'): void {
    this.level = levels.includes(level) ? level : 'info';
    try {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      this.close();
      this.file = openAppend(file);
      for (const line of this.early.splice(0)) this.write(line);
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
    const line = `${new Date().toISOString()} ${level.padEnd(5)} ${redact(message)}\n`;
    if (this.file) this.write(line);
    else if (this.early.length < maxEarly) this.early.push(line);
  }

  private write(line: string): void {
    if (!this.file) return;
    try {
      if (this.file.size > maxBytes) this.rotate(this.file.path);
      this.file.size += fs.writeSync(this.file.fd, line);
    } catch {
      // A full disk must not end the conversation.
    }
  }

  private rotate(file: string): void {
    this.close();
    fs.renameSync(file, `${file}.1`);
    this.file = openAppend(file);
  }
}

function openAppend(file: string) {
  const fd = fs.openSync(file, 'a', 0o600);
  return { fd, size: fs.fstatSync(fd).size, path: file };
}

function describe(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : inspect(error, { depth: 3 });
  const cause =
    error.cause === undefined || depth > 4 ? '' : `\n  caused by ${describe(error.cause, depth + 1)}`;
  return `${error.stack ?? error.message}${cause}`;
}
