import fs from 'node:fs';
import { isRecord, lookUp, parseJson } from '../base.ts';
import type { Log } from '../ports/host.ts';
import { isCount, isText, isTime, listOf, optional, shape } from './checks.ts';
import { eventChecks } from './event-checks.ts';
import type { SessionEvent } from './events.ts';
import { type Growth, type Growths, ToolBases } from './tool-growth.ts';

const pieceBytes = 256 * 1024;
const newline = 0x0a;

export interface JournalRecord {
  readonly at: number;
  readonly event: SessionEvent;
}

/** A record as it stands in the file. */
export interface StoredRecord extends JournalRecord {
  /** What of a tool call is written as its difference to the record before. */
  readonly grown?: Growths;
}

/** Reads a journal record by record. What can't be read is left out and counted. */
export class JournalReader {
  /** How many records could not be read. */
  damaged = 0;
  private readonly file: string;
  private readonly log: Log;
  private readonly tools = new ToolBases();

  constructor(file: string, log: Log) {
    this.file = file;
    this.log = log;
  }

  *records(): Generator<JournalRecord> {
    try {
      if (!fs.existsSync(this.file)) return;
      for (const line of linesOf(this.file)) {
        if (line.bytes.length === 0) continue;
        const record = this.recordIn(line.bytes);
        if (record) yield record;
        // The end of a file may be cut off.
        else if (record === undefined && !line.isLast) this.damaged += 1;
      }
    } catch (error) {
      this.log.error(`the transcript in ${this.file} can't be read`, error);
    }
    if (this.damaged > 0) this.log.warn(`${this.damaged} records in ${this.file} could not be read`);
  }

  /** Undefined: it is damaged or unknown here; false: it is nothing to be kept. */
  private recordIn(bytes: Buffer): JournalRecord | undefined | false {
    const record = storedIn(bytes);
    if (!record) return record;
    const { at, event, grown } = record;
    if (event.kind === 'agent_starting') this.tools.clear();
    if (event.kind !== 'tool') return { at, event };
    const patch = this.tools.restore(event.patch, grown);
    const whole: SessionEvent | undefined = patch && { ...event, patch };
    return whole && (grown === undefined || isEvent(whole)) ? { at, event: whole } : undefined;
  }
}

/** The record in one line of a journal. Undefined: it is damaged or unknown here; false: it is not kept. */
export function storedIn(line: Buffer | string): StoredRecord | undefined | false {
  try {
    const record = parseJson(line.toString());
    if (!isRecord(record) || !isRecord(record.event)) return undefined;
    if (lookUp(eventChecks, record.event.kind) === false) return false;
    return isStored(record) && isEvent(record.event) ? (record as unknown as StoredRecord) : undefined;
  } catch {
    return undefined;
  }
}

const isGrowth = shape<Growth>({
  path: listOf((step) => isText(step) || isCount(step)),
  was: isCount,
  kept: optional(listOf(isCount)),
  text: optional(isText),
  items: optional(Array.isArray),
});
const isGrowths = shape<Growths>({
  content: optional(listOf(isGrowth)),
  rawInput: optional(listOf(isGrowth)),
  rawOutput: optional(listOf(isGrowth)),
});
const isStored = shape<StoredRecord>({ at: isTime, event: isRecord, grown: optional(isGrowths) });

function isEvent(event: unknown): boolean {
  const check = isRecord(event) && lookUp(eventChecks, event.kind);
  return check ? check(event) : false;
}

interface JournalLine {
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/** The lines of a file of any size from a place on, one piece of it at a time. */
export function* linesOf(file: string, from = 0): Generator<JournalLine> {
  const fd = fs.openSync(file, 'r');
  try {
    let parts: Buffer[] = [];
    let at = from;
    for (let piece = readPiece(fd, at); piece.length > 0; piece = readPiece(fd, at)) {
      at += piece.length;
      let start = 0;
      for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
        const rest = piece.subarray(start, end);
        yield { bytes: parts.length === 0 ? rest : Buffer.concat([...parts, rest]), isLast: false };
        parts = [];
        start = end + 1;
      }
      parts.push(piece.subarray(start));
    }
    yield { bytes: Buffer.concat(parts), isLast: true };
  } finally {
    fs.closeSync(fd);
  }
}

function readPiece(fd: number, at: number): Buffer {
  const buffer = Buffer.allocUnsafe(pieceBytes);
  return buffer.subarray(0, fs.readSync(fd, buffer, 0, pieceBytes, at));
}
