import fs from 'node:fs';
import path from 'node:path';
import { messageOf } from '../base/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { AgentAction } from '../ports/permissions.ts';
import { appendToFile } from '../system/files/regular-file.ts';

const maxBytes = 4 * 1024 * 1024;

/** Every decision about a request of an agent, by a rule or by the user, one JSON object per line. */
export class AuditLog {
  private readonly file: () => string;
  private readonly clock: Clock;
  private readonly log: Log;

  constructor(file: () => string, clock: Clock, log: Log) {
    this.file = file;
    this.clock = clock;
    this.log = log;
  }

  /** Appends one line. A failure is logged and changes no decision. */
  record(
    action: Omit<AgentAction, 'chat' | 'roots'>,
    verdict: string,
    by: 'rule' | 'user',
    reasons: readonly string[],
  ): void {
    const { agent, kind, tool, commands, paths, urls, cwd } = action;
    const at = new Date(this.clock.now()).toISOString();
    const line = JSON.stringify({ at, verdict, by, agent, kind, tool, commands, paths, urls, cwd, reasons });
    try {
      const file = this.file();
      fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      this.rotate(file);
      appendToFile(file, `${line}\n`);
    } catch (error) {
      this.log.error(`could not write the record of decisions: ${messageOf(error)}`);
    }
  }

  private rotate(file: string): void {
    const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > maxBytes) fs.renameSync(file, `${file}.1`);
  }
}
