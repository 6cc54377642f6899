import fs from 'node:fs';
import { setImmediate as turnOfEvents } from 'node:timers/promises';
import { parseJson } from '../../base/json.ts';
import { isRecord, lookUp } from '../../base/record.ts';
import type { SessionEvent } from '../../model/session-events.ts';
import type { Log } from '../../ports/log.ts';
import { openRegularFile } from '../../system/files/regular-file.ts';
import { isCount, isString, isTime, listOf, optional, shape } from './checks.ts';
import { withNewNames } from './earlier-names.ts';
import { eventChecks } from './event-checks.ts';
import { type Place, RecordPlaces } from './record-places.ts';
import { type FieldGrowth, type PatchGrowth, ToolPatchDelta } from './tool-patch-delta.ts';

const pieceBytes = 256 * 1024;
/** V8 makes no longer strings. */
const maxLineBytes = 512 * 1024 * 1024;
const newline = 0x0a;
/** The host answers Neovim at least this often while it reads. */
const pauseEveryMs = 8;

export interface JournalRecord {
  readonly at: number;
  readonly event: SessionEvent;
}

/** A record as it is stored in the file. */
export interface StoredRecord extends JournalRecord {
  /** Fields of a tool call that are stored as a difference to the previous record. */
  readonly grown?: PatchGrowth;
}

/** Reads a journal record by record. Damaged records are skipped and counted. */
export class JournalReader {
  damaged = 0;
  /** The time of the first record, once it is read. */
  begunAt: number | undefined;
  /** Of the records that were read. */
  readonly places = new RecordPlaces();
  private readonly file: string;
  private readonly log: Log;
  private readonly tools = new ToolPatchDelta();

  constructor(file: string, log: Log) {
    this.file = file;
    this.log = log;
  }

  *records(): Generator<JournalRecord> {
    try {
      if (!fs.existsSync(this.file)) return;
      for (const line of readJournalLines(this.file)) {
        if (line.bytes.length === 0) continue;
        const record = this.recordIn(line.bytes);
        if (record) {
          this.begunAt ??= record.at;
          this.places.note(record.event, { from: line.from, to: line.from + line.bytes.length });
          yield record;
        }
        // The last line may be incomplete after a crash.
        else if (record === undefined && !line.isLast) this.damaged += 1;
      }
    } catch (error) {
      this.log.error(`could not read the journal ${this.file}`, error);
    }
    if (this.damaged > 0) this.log.warn(`could not read ${this.damaged} records of the journal ${this.file}`);
  }

  /** The record in the next line. Undefined: damaged or from a newer version. False: a kind that is not kept. */
  recordIn(bytes: Buffer): JournalRecord | undefined | false {
    const record = parseRecord(bytes);
    if (!record) return record;
    const { at, event, grown } = record;
    if (event.kind === 'agent_starting') this.tools.clear();
    if (event.kind !== 'tool') return { at, event };
    const patch = this.tools.restore(event.patch, grown);
    const whole: SessionEvent | undefined = patch && { ...event, patch };
    return whole && (grown === undefined || isEvent(whole)) ? { at, event: whole } : undefined;
  }
}

/** The record in one line of a journal. Undefined: damaged or from a newer version. False: a kind that is not kept. */
export function parseRecord(line: Buffer | string): StoredRecord | undefined | false {
  try {
    const record = parseJson(line.toString());
    if (!isRecord(record) || !isRecord(record.event)) return undefined;
    if (lookUp(eventChecks, record.event.kind) === false) return false;
    const stored: unknown = { ...record, event: withNewNames(record.event) };
    return isStored(stored) && isEvent(stored.event) ? stored : undefined;
  } catch {
    return undefined;
  }
}

const isGrowth = shape<FieldGrowth>({
  path: listOf((step) => isString(step) || isCount(step)),
  was: isCount,
  kept: optional(listOf(isCount)),
  text: optional(isString),
  items: optional(Array.isArray),
});
const isGrowths = shape<PatchGrowth>({
  content: optional(listOf(isGrowth)),
  rawInput: optional(listOf(isGrowth)),
  rawOutput: optional(listOf(isGrowth)),
});
const isStoredShape = shape<StoredRecord>({ at: isTime, event: isRecord, grown: optional(isGrowths) });

function isStored(record: unknown): record is StoredRecord {
  return isStoredShape(record);
}

function isEvent(event: unknown): boolean {
  const check = isRecord(event) && lookUp(eventChecks, event.kind);
  return check ? check(event) : false;
}

interface JournalLine {
  readonly bytes: Buffer;
  /** The offset of the line in the file. */
  readonly from: number;
  readonly isLast: boolean;
}

/** The lines of a file between two offsets. The file is read in pieces, so it may be of any size. */
export function* readJournalLines(
  file: string,
  from = 0,
  to = Number.POSITIVE_INFINITY,
): Generator<JournalLine> {
  const { fd } = openRegularFile(file);
  try {
    let parts: Buffer[] = [];
    let length = 0;
    let at = from;
    let lineFrom = from;
    for (let piece = readPiece(fd, at, to); piece.length > 0; piece = readPiece(fd, at, to)) {
      let start = 0;
      for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
        const rest = piece.subarray(start, end);
        const bytes = parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
        yield { bytes, from: lineFrom, isLast: false };
        [parts, length] = [[], 0];
        start = end + 1;
        lineFrom = at + start;
      }
      const rest = piece.subarray(start);
      length += rest.length;
      // What is left of a line that is too long is no record.
      if (length > maxLineBytes) [parts, length] = [[], 0];
      parts.push(rest);
      at += piece.length;
    }
    yield { bytes: Buffer.concat(parts), from: lineFrom, isLast: true };
  } finally {
    fs.closeSync(fd);
  }
}

/** The lines in some parts of a file, with pauses, so that a large file does not block the host. */
export async function* readJournalLinesWithPauses(
  file: string,
  parts: readonly Place[] = [{ from: 0, to: Number.POSITIVE_INFINITY }],
): AsyncGenerator<JournalLine> {
  let pausedAt = performance.now();
  for (const { from, to } of parts) {
    for (const line of readJournalLines(file, from, to)) {
      yield line;
      if (performance.now() - pausedAt <= pauseEveryMs) continue;
      await turnOfEvents();
      pausedAt = performance.now();
    }
  }
}

function readPiece(fd: number, at: number, to: number): Buffer {
  const size = Math.min(pieceBytes, to - at);
  const buffer = Buffer.allocUnsafe(size);
  return buffer.subarray(0, fs.readSync(fd, buffer, 0, size, at));
}
