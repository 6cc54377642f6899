import { cacheHunks } from '../../diff/hunk-cache.ts';
import type { Clock } from '../../ports/clock.ts';
import type { BufferText } from '../files/buffer.ts';
import type { WriteOutcome } from '../files/buffer-writes.ts';
import type { ConflictHandler, PutChoice } from '../files/disk-conflicts.ts';
import { type FileContent, sameContent, splitLines, textIn } from '../files/file-content.ts';
import type {
  Author,
  FileRecord,
  FileRecords,
  FileReview,
  OtherChange,
  TrackedFile,
} from '../files/file-record.ts';
import type { Evidence, SessionActivity } from './authorship.ts';
import * as review from './review/file-review.ts';
import { changesUnsaved, type ShownFile } from './review/unsaved-text.ts';
import { rewriteContents, type SyncedFile, syncedWithoutBuffer, type WorkingCopy } from './working-copy.ts';

interface FileTrackerParts {
  readonly records: FileRecords;
  readonly workingCopy: WorkingCopy;
  readonly activity: SessionActivity;
  readonly clock: Clock;
  /** Runs a task when no other task of the session runs. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** When the user has typed unsaved text, at the latest. */
  typedAt(path: string, shown: ShownFile): Promise<number>;
  /** The agent of this session has changed a file. */
  onAgentChange?(file: TrackedFile): void;
}

/** What a caller knows about a file that is compared with its last state. */
export interface RefreshFacts {
  readonly evidence?: Evidence;
  /** Gives the buffer of the file, if the caller needs it as well. */
  readBuffer?(): Promise<BufferText | undefined>;
  /** What a write of ours has just made of the file. */
  readonly outcome?: WriteOutcome;
}

/** How `put` changes a file, apart from its content. */
interface PutOptions {
  /** The content on disk, if that is to differ from the text of the buffer. */
  readonly saved?: FileContent | undefined;
  /** What the user has decided about the file now. */
  readonly decision: TrackedFile['decision'];
}

/** An agent may write a file all the time. */
const maxTries = 5;

const byUser = { author: 'user', isSure: true } as const;

/** The files under review: their original content, and the author of each change since. */
export class FileTracker {
  private readonly parts: FileTrackerParts;

  constructor(parts: FileTrackerParts) {
    this.parts = parts;
  }

  find(path: string): TrackedFile | undefined {
    return this.parts.records.find(path)?.tracked;
  }

  all(): readonly TrackedFile[] {
    return this.parts.records.all().flatMap(({ tracked }) => tracked ?? []);
  }

  /** Tracks a file from its original content on. */
  add(path: string, before: FileContent, isOutsideSnapshots = false): TrackedFile {
    const tracked = {
      path,
      review: review.unchanged(before),
      disk: before,
      ...(isOutsideSnapshots && { isOutsideSnapshots }),
    };
    this.parts.records.get(path).tracked = tracked;
    return tracked;
  }

  /** Continues with files that an earlier host has tracked. */
  load(files: readonly TrackedFile[], otherChanges: Readonly<Record<string, OtherChange>>): void {
    const { records } = this.parts;
    for (const [path, change] of Object.entries(otherChanges)) records.get(path).otherChange = change;
    for (const file of files) records.get(file.path).tracked = file;
  }

  beginTurn(): void {
    for (const file of this.all()) file.review = review.beginTurn(file.review);
  }

  /** Records a change by anybody but the agent of this session. */
  noteAuthor(path: string, by: Author): void {
    if (by !== 'agent') this.parts.records.get(path).otherChange = { at: this.parts.clock.now(), by };
  }

  /** Unsaved text that an agent has read and put on disk is a change of the user, as if they had saved it. */
  private async noteTyped(path: string, shown: ShownFile, now: FileContent): Promise<void> {
    if (!(await changesUnsaved(shown, now))) return;
    const record = this.parts.records.get(path);
    const at = await this.parts.typedAt(path, shown);
    if (!record.otherChange || record.otherChange.at < at) record.otherChange = { at, by: 'user' };
  }

  otherChangeOf(path: string): OtherChange | undefined {
    return this.parts.records.find(path)?.otherChange;
  }

  /** The content is one that we have restored, so it is nobody's change. */
  forgetOtherChange(path: string): void {
    this.parts.records.get(path).otherChange = undefined;
  }

  otherChanges(): Readonly<Record<string, OtherChange>> {
    const records = this.parts.records.all();
    return Object.fromEntries(
      records.flatMap(({ path, otherChange }) => (otherChange ? [[path, otherChange]] : [])),
    );
  }

  /** Compares a file with its last state and attributes what has changed. */
  async refresh(file: TrackedFile, facts: RefreshFacts = {}): Promise<void> {
    const record = this.parts.records.get(file.path);
    record.failure = undefined;
    const { merges } = record;
    const disk = await this.readSettled(record, file, facts);
    if (sameContent(disk, file.disk)) {
      const seen = await this.visibleContent(record, disk, facts);
      await this.prepareDiffs(file.review, seen);
      file.review = review.userWrote(file.review, seen);
      // The same text was written again, and Neovim would ask before the next save of the user.
      if (record.buffer && !record.buffer.isCurrent) await this.syncBuffer(record, file, disk, undefined);
      if (!record.earlyContent) record.merges = record.merges.filter((merge) => !merges.includes(merge));
    } else await this.applyDiskChange(record, file, disk, facts);
    await this.prepareDiffs(file.review);
  }

  /** Gives a file another content, in its buffer and on disk, by decision of the user. */
  async put(file: TrackedFile, to: FileReview, { saved, decision }: PutOptions): Promise<void> {
    const { workingCopy, activity } = this.parts;
    const isDeleted = saved?.kind === 'none' && file.disk.kind !== 'none';
    if (!sameContent(file.review.now, to.now) || isDeleted) {
      await workingCopy.write(file.path, file.review.now, to.now, saved);
      file.disk = await workingCopy.diskContent(file.path);
      activity.recordAuthor(file.path, file.disk, 'user');
    }
    file.review = to;
    if (decision === undefined) delete file.decision;
    else file.decision = decision;
    await this.prepareDiffs(to);
  }

  /** The content of a file, or the one it had before the agent touched it during the snapshot. */
  async contentOf(path: string): Promise<FileContent> {
    const { records, workingCopy } = this.parts;
    return (await records.find(path)?.earlyContent) ?? workingCopy.diskContent(path);
  }

  // A file that Neovim is saving may be missing for a moment. Once Neovim answers, the save is complete and was
  // reported; the next one may have begun.
  private async readSettled(
    record: FileRecord,
    file: TrackedFile,
    { outcome }: RefreshFacts,
  ): Promise<FileContent> {
    let disk = await this.contentOf(file.path);
    for (let tries = 0; tries < maxTries; tries += 1) {
      if (sameContent(disk, file.disk) || isOutcome(record, disk, outcome)) return disk;
      await this.parts.workingCopy.waitForEditor(file.path);
      const before = disk;
      disk = await this.contentOf(file.path);
      if (sameContent(disk, before)) return disk;
    }
    return disk;
  }

  private async visibleContent(
    record: FileRecord,
    disk: FileContent,
    { readBuffer, outcome }: RefreshFacts,
  ): Promise<FileContent> {
    const { workingCopy } = this.parts;
    if (outcome?.isInBuffer && isOutcome(record, disk, outcome)) return contentAfter(outcome, disk);
    if (readBuffer) return workingCopy.contentIn(await readBuffer(), disk);
    return workingCopy.visibleContent(record.path, disk);
  }

  private async applyDiskChange(
    record: FileRecord,
    file: TrackedFile,
    now: FileContent,
    { evidence = 'none', outcome }: RefreshFacts,
  ): Promise<void> {
    const { activity } = this.parts;
    const before = { disk: file.disk, seen: file.review.now };
    const isSaveNew = record.isSavePending;
    const isOurs = isOutcome(record, now, outcome);
    const isSaved = !isOurs && (await this.applySave(record, file, now));
    this.applyChangesOfOthers(file, now);
    const judged = isSaved ? byUser : activity.judgeAuthor(file.path, now, evidence);
    this.noteAuthor(file.path, judged.author);
    const { disk, was, isUnsaved, seen } =
      isOurs && outcome?.isInBuffer
        ? { ...syncedWithoutBuffer(now), seen: contentAfter(outcome, now) }
        : await this.syncBuffer(record, file, now, (put) =>
            this.parts.run(() => this.applyChoice(file, wrote, put)),
          );
    const merges = takeMerges(record, disk);
    const shown = isSaveNew ? before : await this.applyMerges(file, judged.author, merges, before);
    // The user may have saved on top of that just now, and the disk may be newer still.
    const isNewer = !sameContent(disk, now);
    if (isNewer && !isUnsaved) {
      file.review = writeBy(judged.author)(file.review, now);
      if (record.isSavePending) file.review = review.userWrote(file.review, was);
    }
    const { author, isSure } = isNewer ? activity.judgeAuthor(file.path, disk, evidence) : judged;
    const wrote = writeBy(author);
    this.noteAuthor(file.path, author);
    if (author === 'agent') delete file.decision;
    await this.prepareDiffs(file.review, disk);
    const steps = outcome?.rewrite
      ? rewriteContents(outcome.rewrite, disk)
      : isUnsaved
        ? { was, seen }
        : undefined;
    if (author === 'agent')
      await this.noteTyped(file.path, steps ? { ...shown, seen: steps.was } : shown, disk);
    const written = steps
      ? wrote(review.userWrote(file.review, steps.was), steps.seen)
      : wrote(file.review, disk);
    file.review = review.userWrote(written, seen);
    file.disk = disk;
    if (isSure) activity.recordAuthor(file.path, disk, author);
    else activity.forgetAuthor(file.path);
    if (author === 'agent') this.parts.onAgentChange?.(file);
  }

  /** Applies what was merged into the buffer before the file was compared. Resolves with the state after that. */
  private async applyMerges(
    file: TrackedFile,
    author: Author,
    merges: readonly MergedFile[],
    before: ShownFile,
  ): Promise<ShownFile> {
    let shown = before;
    for (const { disk, was, seen } of merges) {
      if (author === 'agent') await this.noteTyped(file.path, { disk: shown.disk, seen: was }, disk);
      await this.prepareDiffs(file.review, was);
      file.review = review.userWrote(file.review, was);
      file.review = writeBy(author)(file.review, seen);
      await this.prepareDiffs(file.review);
      shown = { disk, seen };
    }
    return shown;
  }

  /** True when the user has saved what is on disk. Neovim reports a save before it answers a question. */
  private async applySave(record: FileRecord, file: TrackedFile, now: FileContent): Promise<boolean> {
    // A save deletes no file: the one that the user saved was deleted since.
    const saved = now.kind === 'none' ? file.disk : now;
    const shown = await this.parts.workingCopy.visibleContent(file.path, saved);
    const isSaved = record.isSavePending;
    record.isSavePending = false;
    if (isSaved) file.review = review.userWrote(file.review, shown);
    return isSaved && sameContent(shown, now);
  }

  // The lines the user chose from the other side are still the work of its author.
  private async applyChoice(
    file: TrackedFile,
    wrote: typeof review.userWrote,
    put: PutChoice,
  ): ReturnType<PutChoice> {
    const { workingCopy } = this.parts;
    await this.refresh(file);
    const left = await put();
    if (left) return left;
    const seen = await workingCopy.visibleContent(file.path, await workingCopy.diskContent(file.path));
    await this.prepareDiffs(file.review, seen);
    file.review = wrote(file.review, seen);
    await this.prepareDiffs(file.review);
    return undefined;
  }

  // Another session may have changed the file before it became what it is now.
  private applyChangesOfOthers(file: TrackedFile, now: FileContent): void {
    const made = this.parts.activity.contentByOthers(file.path);
    const isPlain = sameContent(file.review.now, file.disk);
    if (!made || !isPlain || sameContent(made.content, now) || sameContent(made.content, file.disk)) return;
    file.review = review.userWrote(file.review, made.content);
    this.noteAuthor(file.path, made.by);
  }

  // For the snapshot of the turn, a write of the agent during the snapshot has not happened yet.
  private syncBuffer(
    record: FileRecord,
    file: TrackedFile,
    now: FileContent,
    onChosen: ConflictHandler['onChosen'],
  ): Promise<SyncedFile> {
    if (record.earlyContent) return Promise.resolve(syncedWithoutBuffer(now));
    return this.parts.workingCopy.syncBuffer(file.path, file.disk, onChosen);
  }

  // Long diffs are computed on the diff thread before they are needed here.
  private async prepareDiffs(file: FileReview, now?: FileContent): Promise<void> {
    for (const [before, after] of review.comparedTexts(file, now)) {
      await cacheHunks(before, after);
    }
  }
}

/** A file after a merge that was made outside of the ledger. */
interface MergedFile extends ShownFile {
  readonly was: FileContent;
}

/** The merges since the file was last compared, as contents. During the snapshot they are left for later. */
function takeMerges(record: FileRecord, disk: FileContent): readonly MergedFile[] {
  if (record.earlyContent || disk.kind !== 'text') return [];
  const { merges } = record;
  record.merges = [];
  return merges.map((merge) => ({
    disk: { ...disk, lines: splitLines(merge.disk) },
    was: { ...disk, lines: splitLines(merge.was) },
    seen: { ...disk, lines: splitLines(merge.seen) },
  }));
}

function writeBy(author: Author): typeof review.userWrote {
  return author === 'agent' ? review.agentWrote : review.userWrote;
}

/** Whether a content is what a write of ours has made, and the user has not saved the file since. */
function isOutcome(record: FileRecord, disk: FileContent, outcome: WriteOutcome | undefined): boolean {
  if (outcome?.disk === undefined || record.isSavePending || record.earlyContent) return false;
  return disk.kind === 'text' && textIn(disk) === outcome.disk;
}

/** What the user sees after a write to an open buffer. */
function contentAfter({ rewrite }: WriteOutcome, disk: FileContent): FileContent {
  return (rewrite && rewriteContents(rewrite, disk)?.seen) ?? disk;
}
