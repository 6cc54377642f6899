import path from 'node:path';
import { AcpError, messageOf } from '../../base/errors.ts';
import { merge, mergedLines, type Region } from '../../diff/merge.ts';
import type { Editor } from '../../ports/editor.ts';
import type { Conflict, WorkspaceOptions } from '../../ports/workspace.ts';
import { adoptDisk, type BufferText, changeBuffer, readBuffer } from './buffer.ts';
import { type DiskText, timeOf } from './disk.ts';
import { documentOf } from './document.ts';
import type { FileRecord } from './file-record.ts';

/** A file that changed on disk in lines where its buffer has unsaved text. */
interface DiskConflict {
  readonly record: FileRecord;
  readonly buffer: BufferText;
  readonly disk: DiskText;
  readonly regions: readonly Region[];
}

type ConflictTexts = Pick<Conflict, 'ours' | 'theirs' | 'regions'>;

/** Puts the user's choice into the buffer. Resolves with what conflicts with text typed since, if anything does. */
export type PutChoice = () => Promise<ConflictTexts | undefined>;

/** Asks the user about a conflict and hears what became of it. */
export interface ConflictHandler
  extends Pick<WorkspaceOptions, 'resolveConflict' | 'refusesConflicts' | 'notice'> {
  /** Calls `put` when nothing else reads or changes the file. */
  onChosen?(put: PutChoice): ReturnType<PutChoice>;
  /** The buffer contains the text of the disk. `isOutdated`: the file has changed again since. */
  onMerged(isOutdated: boolean): void;
}

const maxTries = 10;

/**
 * The conflicts between unsaved text and a change on disk. The user is asked once about each content of a file, in one
 * chat. Until they have chosen, buffer and file stay as they are.
 */
export class DiskConflicts {
  private readonly editor: Editor;

  constructor(editor: Editor) {
    this.editor = editor;
  }

  /** Resolves when the user has chosen: true if buffer and disk match. */
  resolution({ shared }: FileRecord): Promise<boolean> {
    return shared.conflict?.resolution ?? Promise.resolve(true);
  }

  /** Withdraws the question, because buffer and disk match. */
  close({ shared }: FileRecord): void {
    const { conflict } = shared;
    shared.conflict = undefined;
    conflict?.withdrawal.abort();
  }

  raise(conflict: DiskConflict, handler: ConflictHandler): void {
    const { record, disk } = conflict;
    if (record.shared.conflict?.disk === disk.text) return;
    this.close(record);
    const withdrawal = new AbortController();
    const resolution = this.resolve(conflict, handler, withdrawal.signal);
    record.shared.conflict = { disk: disk.text, withdrawal, resolution };
  }

  private async resolve(
    conflict: DiskConflict,
    handler: ConflictHandler,
    withdrawn: AbortSignal,
  ): Promise<boolean> {
    try {
      const isResolved = await this.ask(conflict, handler, withdrawn);
      if (!isResolved) this.leaveUnresolved(conflict, handler);
      return isResolved;
    } catch (error) {
      // The conflict is over, or another question has replaced this one.
      if (withdrawn.aborted) return true;
      // The chat that asked is closed; another chat may ask.
      if (error instanceof AcpError && error.code === 'cancelled')
        conflict.record.shared.conflict = undefined;
      else this.leaveUnresolved(conflict, handler, messageOf(error));
      return false;
    }
  }

  private async ask(
    conflict: DiskConflict,
    handler: ConflictHandler,
    withdrawn: AbortSignal,
  ): Promise<boolean> {
    if (!handler.resolveConflict || handler.refusesConflicts?.()) return false;
    const { record, buffer, disk } = conflict;
    const message = `${path.basename(record.path)} changed on disk where you have unsaved text; :AcpAnswer resolves it`;
    this.editor.notify('warn', message);
    const theirs = documentOf(disk.text, buffer.ending).lines;
    let texts: ConflictTexts = { ours: buffer.lines, theirs, regions: conflict.regions };
    for (;;) {
      const chosen = await handler.resolveConflict({ path: record.path, cause: 'disk', ...texts }, withdrawn);
      if (!chosen) return false;
      const put = () => this.put(conflict, texts.ours, chosen, handler);
      const left = await (handler.onChosen?.(put) ?? put());
      if (!left) return true;
      texts = left;
    }
  }

  /** Puts the chosen text into the buffer, unless text typed since is in conflict with it. */
  private async put(
    conflict: DiskConflict,
    shown: readonly string[],
    chosen: readonly string[],
    handler: ConflictHandler,
  ): Promise<ConflictTexts | undefined> {
    const { record, disk } = conflict;
    for (let tries = 0; tries < maxTries; tries += 1) {
      const buffer = await this.legibleBuffer(record);
      // The user has resolved it by saving or reloading the buffer.
      if (!buffer || buffer.isCurrent) {
        record.shared.conflict = undefined;
        return undefined;
      }
      const regions = await merge(buffer.lines, shown, chosen);
      const after = mergedLines(regions);
      if (!after) return { ours: buffer.lines, theirs: chosen, regions };
      const isAdopted = await adoptDisk(this.editor, buffer, disk, after);
      if (!isAdopted && !(await this.isOutdated(conflict, buffer, after))) continue;
      record.shared.conflict = undefined;
      handler.onMerged(!isAdopted);
      return undefined;
    }
    throw new Error('it changes too often to be written');
  }

  private async legibleBuffer({ path: file }: FileRecord): Promise<BufferText | undefined> {
    const buffer = await readBuffer(this.editor, { path: file });
    return buffer?.isLegible ? buffer : undefined;
  }

  /**
   * True if the file has changed again. The chosen text is in the buffer then, unsaved, until that change is merged.
   */
  private async isOutdated(
    { record, disk }: DiskConflict,
    buffer: BufferText,
    after: readonly string[],
  ): Promise<boolean> {
    if ((await timeOf(record.path)) === disk.time) return false;
    const { status } = await changeBuffer(
      this.editor,
      buffer,
      { ...buffer, lines: after },
      { isKeptUnsaved: true },
    );
    return status === 'kept';
  }

  // The conflict stays in the record, so that nobody is asked again about the same content.
  private leaveUnresolved({ record }: DiskConflict, { notice }: ConflictHandler, reason?: string): void {
    const why = reason === undefined ? '' : ` (${reason})`;
    notice?.(
      `${path.basename(record.path)} changed on disk where you have unsaved text; both are unchanged${why}. :w! keeps yours, :e! loads the file from disk.`,
    );
  }
}
