import path from 'node:path';
import { AcpError } from '../../base/errors.ts';
import { sleep } from '../../base/timeout.ts';
import { regionsWithoutBase } from '../../diff/conflict-markers.ts';
import { computeHunksAsync } from '../../diff/hunk-cache.ts';
import { sameLines } from '../../diff/hunks.ts';
import { merge, mergedLines, type Region } from '../../diff/merge.ts';
import type { Editor } from '../../ports/editor.ts';
import type { WorkspaceOptions } from '../../ports/workspace.ts';
import {
  adoptDisk,
  type BufferRequest,
  type BufferText,
  changeBuffer,
  readBuffer,
  readWriteTarget,
  type WriteTarget,
} from './buffer.ts';
import { type DiskText, readDisk } from './disk.ts';
import { type ConflictHandler, DiskConflicts } from './disk-conflicts.ts';
import { documentOf, exactDocumentOf, textOf } from './document.ts';
import type { FileRecord } from './file-record.ts';
import { applyChange, conflictRegions } from './knowledge/agent-change.ts';

/** How a buffer came to show the text on disk. */
interface ShownDisk {
  /** The text of the buffer before. */
  readonly was: string;
  /** That text was unsaved, and based on an earlier text of the file. */
  readonly isUnsaved: boolean;
  /** The text of the buffer now. */
  readonly seen: string;
}

/** What a buffer is to hold. */
interface PutText {
  readonly text: string;
  /** What is to be on disk, if that is another text. */
  readonly disk?: string | undefined;
  /** False: there is to be no file. */
  readonly isFile: boolean;
}

interface BufferSyncParts {
  readonly editor: Editor;
  readonly conflicts?: DiskConflicts;
  /** How the user is asked and told. */
  readonly user?: Pick<WorkspaceOptions, 'resolveConflict' | 'refusesConflicts' | 'notice'>;
}

const maxTries = 10;
/** How long a file may be empty while it is written. The tries last longer. */
const writing = { ms: 100, pollMs: 20 };
/** Without a ledger nobody takes the merges. */
const maxMerges = 8;

/** Keeps the user's buffers in step with their files without losing unsaved text. */
export class BufferSync {
  private readonly editor: Editor;
  private readonly user: NonNullable<BufferSyncParts['user']>;
  private readonly conflicts: DiskConflicts;

  constructor({ editor, conflicts = new DiskConflicts(editor), user = {} }: BufferSyncParts) {
    this.editor = editor;
    this.user = user;
    this.conflicts = conflicts;
  }

  /** The loaded buffer of a file. */
  async read(record: FileRecord, request: Omit<BufferRequest, 'path'> = {}): Promise<BufferText | undefined> {
    record.buffer = await readBuffer(this.editor, { ...request, path: record.path }, record.buffer);
    return record.buffer;
  }

  /** The loaded buffer of a file, and whether another Neovim has unsaved changes of the file. */
  async readWriteTarget(record: FileRecord, request: Omit<BufferRequest, 'path'>): Promise<WriteTarget> {
    const target = await readWriteTarget(this.editor, { ...request, path: record.path }, record.buffer);
    record.buffer = target.buffer;
    return target;
  }

  /** The text of the loaded buffer of a file, if the host can handle it line by line. */
  async visibleText(record: FileRecord): Promise<string | undefined> {
    return lineByLineText(await this.read(record));
  }

  /** Records the merge base of a buffer as long as the file still has that text. */
  async noteBase(record: FileRecord, { time, isCurrent, isOpaque, isModified }: BufferText): Promise<void> {
    if (!isCurrent || isOpaque) return;
    if (!isModified) record.isMergeNoticed = false;
    this.noteAgreement(record);
    if (record.base?.time === time) return;
    const disk = await readDisk(record.path).catch(() => undefined);
    if (disk?.time === time) record.base = disk;
  }

  /** The user has saved the file. */
  noteSaved(record: FileRecord): void {
    record.isMergeNoticed = false;
  }

  /**
   * Shows the text on disk; unsaved text stays in the buffer. Where the two conflict the user is asked, and this does
   * not wait for the answer. `again`: buffer or file have changed meanwhile. `given`: the merge base, if none is
   * recorded.
   */
  async showDisk(
    record: FileRecord,
    disk: DiskText,
    given?: string,
    onChosen?: ConflictHandler['onChosen'],
  ): Promise<ShownDisk | 'again' | undefined> {
    const buffer = await this.read(record);
    if (!buffer?.isLegible || buffer.isOpaque) return undefined;
    if (buffer.trouble !== undefined && buffer.isModified) return undefined;
    const shown = textOf(buffer);
    if (shown !== '' && isBeingWritten(disk)) {
      await sleep(writing.pollMs);
      return 'again';
    }
    if (!buffer.isModified) record.isMergeNoticed = false;
    if (buffer.isModified ? buffer.isCurrent : shown === disk.text) {
      // Neovim would ask before the next save of the user.
      if (!buffer.isCurrent && !(await adoptDisk(this.editor, buffer, disk, buffer.lines))) return 'again';
      this.noteAgreement(record);
      await this.noteBase(record, buffer);
      return { was: shown, isUnsaved: false, seen: shown };
    }
    const { expected } = record;
    const isExpected = expected?.text === disk.text;
    // An agent that writes the file itself does not include what the user saved since it read the file.
    const isUnsaved = buffer.isModified || isExpected || record.shared.conflict !== undefined;
    const base = buffer.isModified ? (record.base ? record.base.text : usableBase(given, disk)) : shown;
    // An agent may have read text of the user since it caused the conflict, and that text may be in the buffer alone.
    const read = record.conflictingRead ?? (isExpected ? expected.read : undefined);
    const change = read === undefined ? undefined : { read, earlier: record.earlierTexts };
    const regions = isUnsaved ? await mergeWithDisk(buffer, base, disk.text, change) : [];
    const after = isUnsaved ? mergedLines(regions) : exactDocumentOf(disk.text, buffer.ending).lines;
    if (!after) {
      // Until the conflict is resolved, both sides keep this base.
      record.base = { text: base, time: '' };
      if (read !== undefined) record.conflictingRead = read;
      const handler = { ...this.user, onMerged: this.onMerged(record, disk), ...(onChosen && { onChosen }) };
      this.conflicts.raise({ record, buffer, disk, regions }, handler);
      return { was: shown, isUnsaved, seen: shown };
    }
    if (!(await adoptDisk(this.editor, buffer, disk, after))) return 'again';
    this.noteAgreement(record);
    record.base = disk;
    if (!isExpected) record.expected = undefined;
    const isMerged = !sameLines(after, exactDocumentOf(disk.text, buffer.ending).lines);
    const isNew = disk.text !== (read ?? base) || !buffer.isModified;
    if (isMerged && isNew) this.noticeMerged(record);
    return {
      was: shown,
      isUnsaved,
      seen: textOf({ ...exactDocumentOf(disk.text, buffer.ending), lines: after }),
    };
  }

  private onMerged(record: FileRecord, disk: DiskText): (isOutdated: boolean) => void {
    return (isOutdated) => {
      record.base = disk;
      record.conflictingRead = undefined;
      // The open-file watcher and the next read of the file try again if this fails.
      if (isOutdated) void this.syncWithDisk(record).catch(() => undefined);
    };
  }

  /** Buffer and disk match. */
  noteAgreement(record: FileRecord): void {
    this.conflicts.close(record);
    record.conflictingRead = undefined;
  }

  /** Shows what another program wrote. */
  async syncWithDisk(record: FileRecord, given?: string): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const disk = await readDisk(record.path);
      const shown = disk && (await this.showDisk(record, disk, given));
      if (shown === 'again') continue;
      if (shown?.isUnsaved) {
        const { was, seen } = shown;
        record.merges = [...record.merges, { disk: disk!.text, was, seen }].slice(-maxMerges);
      }
      return;
    }
    throw new AcpError('file_error', `${record.path} changes too often to be shown`);
  }

  /** Resolves once buffer and disk match; false if the user left the conflict unresolved. */
  async awaitAgreement(record: FileRecord, withdrawn: AbortSignal): Promise<boolean> {
    await this.syncWithDisk(record);
    if (!record.shared.conflict) return true;
    const cancelled = new AcpError('cancelled', `the write of ${record.path} was cancelled`);
    if (withdrawn.aborted) throw cancelled;
    const listening = new AbortController();
    const withdrawal = new Promise<never>((_, reject) => {
      withdrawn.addEventListener('abort', () => reject(cancelled), { signal: listening.signal });
    });
    try {
      return await Promise.race([this.conflicts.resolution(record), withdrawal]);
    } finally {
      listening.abort();
    }
  }

  /**
   * Puts a text into a loaded buffer and on disk. `none`: no buffer shows the file; `changed`: the buffer does not hold
   * `from`; `kept`: the buffer holds the text, and there is to be no file.
   */
  async write(record: FileRecord, from: string, to: PutText): Promise<'saved' | 'kept' | 'changed' | 'none'> {
    const { path: file } = record;
    const buffer = await this.read(record);
    if (!buffer?.isLegible) return 'none';
    if (buffer.trouble !== undefined) throw new Error(`${file} ${buffer.trouble}`);
    if (record.shared.conflict) {
      throw new Error(`${file} has unsaved text in conflict with the file on disk; resolve that first`);
    }
    if (buffer.isOpaque || textOf(buffer) !== from) return 'changed';
    const after = exactDocumentOf(to.text, buffer.ending);
    const saved = to.disk === undefined ? after : exactDocumentOf(to.disk, after.ending);
    const isSame = sameLines(saved.lines, after.lines);
    const { status, reason } = await changeBuffer(this.editor, buffer, to.isFile ? saved : after, {
      isKeptUnsaved: !to.isFile,
      ...(to.isFile && !isSame && { unsaved: after.lines }),
    });
    if (status === 'failed') throw new Error(`${file} was not written: ${reason}`);
    if (status === 'saved') record.base = { text: textOf(saved), time: '' };
    return status;
  }

  /** Says that a file was changed under unsaved text; once until that is saved, since an agent may change it often. */
  noticeMerged(record: FileRecord, isSaved = true): void {
    if (record.isMergeNoticed) return;
    record.isMergeNoticed = true;
    const name = path.basename(record.path);
    this.user.notice?.(
      isSaved
        ? `${name} was changed and merged with your unsaved text, which stays unsaved.`
        : `${name} was merged with your unsaved text and not saved; :w saves both.`,
    );
  }
}

/** The text of a buffer, if the host can handle it line by line. */
export function lineByLineText(buffer: BufferText | undefined): string | undefined {
  return buffer?.isLegible && !buffer.isOpaque ? textOf(buffer) : undefined;
}

/** Most programs empty a file and then write it. Nobody is asked about a text that is empty for a moment. */
function isBeingWritten({ text, time }: DiskText): boolean {
  const [seconds, nanos] = time.split(' ').map(Number) as [number, number];
  const age = Date.now() - seconds * 1_000 - nanos / 1_000_000;
  return text === '' && age >= 0 && age < writing.ms;
}

// The unsaved text does not match the disk, so the current text of the disk is not its base.
function usableBase(given: string | undefined, disk: DiskText): string | undefined {
  return given === disk.text ? undefined : given;
}

/** The text that the author of a change has read, and those they had known before. */
interface KnownTexts {
  readonly read: string;
  readonly earlier: readonly string[];
}

/** Merges unsaved text with a new text on disk. `known`: what its author knew, if that is known. */
async function mergeWithDisk(
  ours: BufferText,
  base: string | undefined,
  disk: string,
  known?: KnownTexts,
): Promise<readonly Region[]> {
  const theirs = exactDocumentOf(disk, ours.ending).lines;
  const linesOf = (text: string) => documentOf(text, ours.ending).lines;
  if (known) {
    const { read, earlier } = known;
    const change = { read: linesOf(read), written: theirs, earlier: earlier.map(linesOf) };
    return conflictRegions(await applyChange({ disk: linesOf(base ?? read), buffer: ours.lines }, change));
  }
  return base === undefined
    ? regionsWithoutBase(ours.lines, await computeHunksAsync(ours.lines, theirs))
    : merge(ours.lines, linesOf(base), theirs);
}
