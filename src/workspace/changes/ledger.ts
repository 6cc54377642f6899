import path from 'node:path';
import { AcpError, messageOf } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import { inParts, SerialQueue } from '../../base/serial-queue.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OpenFile } from '../../ports/editor-operations.ts';
import type { Log } from '../../ports/log.ts';
import { type FileContent, sameContent } from '../files/file-content.ts';
import type { FileRecords, TrackedFile } from '../files/file-record.ts';
import { Roots } from '../files/roots.ts';
import type { BlobStore } from '../snapshots/blob-store.ts';
import type { Snapshot, UnwatchedPath } from '../snapshots/snapshot-store.ts';
import { type ChangedFile, Snapshots } from '../snapshots/snapshots.ts';
import { isUnread } from '../snapshots/stored-content.ts';
import type { Authorship, Evidence, SessionActivity } from './authorship.ts';
import { EarlyContents, type OriginalFrom } from './early-contents.ts';
import { FileTracker } from './file-tracker.ts';
import { FolderScan } from './folder-scan.ts';
import { isOlder, noteInterruptedTurn, takeInterruptedTurn } from './interrupted-turn.ts';
import { copyState, loadState, saveState } from './persistence.ts';
import { DecisionHistory } from './review/decision-history.ts';
import { type ShownFile, withUnsaved } from './review/unsaved-text.ts';
import type { Checkpoint, ReviewState } from './types.ts';
import type { WorkingCopy } from './working-copy.ts';

interface LedgerParts {
  readonly folders: readonly string[];
  /** The folder where this session keeps its changes. */
  readonly changesFolder: string;
  readonly records: FileRecords;
  readonly workingCopy: WorkingCopy;
  readonly blobs: BlobStore;
  readonly authorship: Authorship;
  readonly clock: Clock;
  readonly log: Log;
  /** Shows a notice in the chat. */
  notice?(text: string): void;
  onChange(): void;
  /** The agent of this session has changed a file. */
  onAgentChange?(file: TrackedFile): void;
}

/** The evidence for a change of one file. */
type EvidenceFor = (file: string) => Promise<Evidence>;

const batchSize = 8;
const asOnDisk: OriginalFrom = (disk) => disk;

/** What a session has changed: files, checkpoints and decisions of the user; saved on disk. */
export class Ledger {
  readonly activity: SessionActivity;
  readonly files: FileTracker;
  readonly decisions = new DecisionHistory();
  readonly snapshots: Snapshots;
  private readonly parts: LedgerParts;
  private readonly roots: Roots;
  private readonly folders: FolderScan;
  private readonly madeCheckpoints: Checkpoint[] = [];
  private readonly queue = new SerialQueue();
  private readonly early: EarlyContents;
  private isEnding = false;
  private opening: Promise<void> | undefined;
  /** The snapshot that was retained last, as JSON. */
  private retained: string | undefined;
  private earlierFolder: string | undefined;

  constructor(parts: LedgerParts) {
    this.parts = parts;
    this.roots = new Roots(parts.folders);
    this.snapshots = new Snapshots(parts.blobs);
    this.early = new EarlyContents(parts.records, (file) => parts.workingCopy.diskContent(file));
    this.folders = new FolderScan(this.snapshots, parts.log);
    this.activity = parts.authorship.join((file) => this.covers(file));
    this.files = new FileTracker({
      ...parts,
      activity: this.activity,
      run: (task) => this.run(task),
      typedAt: (file, shown) => this.typedAt(file, shown),
    });
  }

  /** Runs one task after the other and saves the state after each. Rejects once the session has ended. */
  run<T>(act: () => Promise<T>): Promise<T> {
    return this.isEnding ? Promise.reject(ended()) : this.queue.run(() => this.perform(act));
  }

  /** As `run`, but a task that has not begun when the session ends is dropped. */
  runUnlessEnding<T>(act: () => Promise<T>): Promise<T> {
    return this.queue.run(async () => {
      if (this.isEnding) throw ended();
      return this.perform(act);
    });
  }

  /** The number of tasks that were added so far. */
  get addedTasks(): number {
    return this.queue.added;
  }

  /** The real path of a file, links resolved. */
  async resolvePath(file: string): Promise<string> {
    return (await this.roots.resolve(path.resolve(this.parts.folders[0] ?? '', file))).real;
  }

  /** Whether a real path is in the folders of the session. */
  isInside(file: string): Promise<boolean> {
    return this.roots.contains(file);
  }

  /** Whether snapshots contain the folder of a file. */
  covers(file: string): boolean {
    return this.snapshots.covers(file);
  }

  get checkpoints(): readonly Checkpoint[] {
    return this.madeCheckpoints;
  }

  /** Everything that could not be compared, and why. */
  get unwatched(): readonly UnwatchedPath[] {
    const failed = this.parts.records
      .all()
      .flatMap(({ path: file, failure }) => (failure === undefined ? [] : [{ path: file, reason: failure }]));
    return [...this.snapshots.unwatched, ...failed];
  }

  /** Compares the folders with the last scan and attributes what has changed. */
  async scan(evidence: Evidence | EvidenceFor = 'none'): Promise<Snapshot> {
    const endScan = this.activity.beginScan();
    return this.folders.run(async (changes) => {
      await inParts(changes, batchSize, (change) =>
        this.tryFile(change.path, () => this.applyChange(change, evidence)),
      );
      endScan();
    });
  }

  /** A failure with one file is recorded and does not stop the others. */
  async tryFile<T>(file: string, act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (error) {
      this.parts.log.error(`${file} was not compared`, error);
      this.parts.records.get(file).failure = messageOf(error);
      return undefined;
    }
  }

  /** Records the state of all files. Changes since the last scan are attributed before the agent begins. */
  async checkpoint(
    prompt: string,
    kind: Checkpoint['kind'] = 'prompt',
    asked = this.parts.workingCopy.openFiles(),
  ): Promise<Checkpoint> {
    const { workingCopy } = this.parts;
    // Neovim answers while the folders are compared.
    const [trees, open] = await Promise.all([this.scan(), asked]);
    await this.refreshAll();
    const id = (this.madeCheckpoints.at(-1)?.id ?? 0) + 1;
    const outside = this.files.all().filter(({ isOutsideSnapshots }) => isOutsideSnapshots);
    const known = new Map(outside.map((file) => [file.path, file.disk]));
    const isRelevant = (file: string) => this.covers(file) || this.files.find(file) !== undefined;
    const unsaved = await workingCopy.unsavedTexts(open, isRelevant);
    const made = { id, at: this.parts.clock.now(), prompt, kind, trees, known, unsaved, reviews: new Map() };
    this.madeCheckpoints.push(made);
    if (JSON.stringify(trees) !== this.retained) this.retainLast();
    return made;
  }

  /**
   * Keeps the contents of the last checkpoint readable for later sessions, also if the user's repository has another HEAD
   * by now. Queued, so that no prompt waits for it; `end` does.
   */
  retainLast(): void {
    // It never rejects.
    void this.queue.run(async () => {
      const made = this.checkpoints.at(-1);
      if (made) await this.retain(made.trees);
    });
  }

  private async retain(trees: Snapshot): Promise<void> {
    try {
      await this.snapshots.retain(trees);
      this.retained = JSON.stringify(trees);
    } catch (error) {
      this.parts.log.error('the snapshot may be lost when git prunes its objects', error);
    }
  }

  /** Takes a snapshot. That of the next turn need not read the same contents again. */
  async prepareTurn(): Promise<void> {
    const taken = await this.snapshots.take();
    this.folders.last ??= taken;
  }

  /** Records the review of a file that a restore is about to change. */
  noteReview(checkpoint: Checkpoint, file: string, state: ReviewState): void {
    checkpoint.reviews.set(file, state);
  }

  /** The content of a file at a checkpoint; undefined if it is unknown. */
  async contentAt({ trees, known }: Checkpoint, file: string): Promise<FileContent | undefined> {
    return known.get(file) ?? this.snapshots.contentAt(trees, file);
  }

  /** The files that differ between two snapshots. */
  changesBetween(one: Snapshot, other: Snapshot): Promise<readonly ChangedFile[]> {
    return this.snapshots.changes(one, other);
  }

  /** Makes the checkpoint of a turn. The prompt may be sent before this resolves. */
  async beginTurn(prompt: string, open?: Promise<readonly OpenFile[]>): Promise<void> {
    // A turn without a checkpoint is still reviewed.
    const made = await this.checkpoint(prompt, 'prompt', open).catch((error: unknown) => {
      this.parts.log.error(`no checkpoint was made: ${messageOf(error)}`, error);
    });
    this.files.beginTurn();
    this.activity.beginTurn();
    for (const [file, content] of this.early.take())
      await this.tryFile(file, async () => this.applyEarlyContent(file, await content, made ?? undefined));
  }

  /** From here on the agent may change files that nothing names. False if there is no snapshot to compare them with. */
  allowUnseenWrites(): boolean {
    this.early.allowUnseen(this.parts.clock.now());
    return this.folders.last !== undefined;
  }

  /** From here on the agent may write before the snapshot of its turn is complete. */
  allowEarlyWrites(): void {
    this.early.allow();
  }

  get isSnapshotPending(): boolean {
    return this.early.isSnapshotPending;
  }

  /** Records the content of a file before the agent changes it, unless it is recorded already. */
  async noteEarlyContent(file: string, from: OriginalFrom = asOnDisk): Promise<void> {
    if (!this.isEnding) await this.early.note(file, from);
  }

  hasEarlyContent(file: string): boolean {
    return this.early.has(file);
  }

  async refreshAll(evidence: Evidence | EvidenceFor = 'none'): Promise<void> {
    const known = this.files.all().filter((file) => !this.hasEarlyContent(file.path));
    await inParts(known, batchSize, (file) =>
      this.tryFile(file.path, async () =>
        this.files.refresh(file, { evidence: await evidenceOf(evidence, file.path) }),
      ),
    );
  }

  /** Tracks a file from its content before the agent touched it. */
  async track(file: string, from: OriginalFrom = asOnDisk): Promise<TrackedFile | undefined> {
    const known = this.files.find(file);
    if (known) return known;
    const { last } = this.folders;
    const noted = last && (await this.tryFile(file, () => this.snapshots.contentAt(last, file)));
    const before = noted ?? from(await this.parts.workingCopy.diskContent(file));
    if (isUnread(before)) return undefined;
    if (!noted && this.activity.isInTurn) this.madeCheckpoints.at(-1)?.known.set(file, before);
    return this.files.add(file, before, noted === undefined);
  }

  isOpen(file: string): Promise<boolean> {
    return this.parts.workingCopy.isOpen(file);
  }

  /** Continues with the changes of another session, unless this session has changes of its own. */
  continueFrom(changesFolder: string): void {
    this.earlierFolder = changesFolder;
  }

  /** Resolves when every decision is on disk; from then on nothing is started or written. */
  readonly end = once(async (): Promise<void> => {
    this.isEnding = true;
    this.noteInterruption();
    await Promise.all([this.queue.idle(), this.early.settled()]);
  });

  private noteInterruption(): void {
    const { changesFolder, clock, log } = this.parts;
    try {
      if (this.activity.isInTurn) noteInterruptedTurn(changesFolder, clock.now());
    } catch (error) {
      log.error(`the interrupted turn was not recorded in ${changesFolder}`, error);
    }
    this.activity.dispose();
  }

  /** When the user has typed unsaved text at the latest: before the last checkpoint, or just now. */
  private async typedAt(file: string, { disk, seen }: ShownFile): Promise<number> {
    const last = this.madeCheckpoints.at(-1);
    const then = last && (await this.contentAt(last, file));
    const isOlder = then && sameContent(seen, await withUnsaved(disk, then, last.unsaved.get(file)));
    return isOlder ? last.at : this.parts.clock.now();
  }

  private async perform<T>(act: () => Promise<T>): Promise<T> {
    await this.open();
    try {
      return await act();
    } finally {
      await this.save();
    }
  }

  /** Opens the stores of snapshots and loads what an earlier host has saved. Every task does so first. */
  open(): Promise<void> {
    this.opening ??= this.load().catch((error: unknown) => {
      // The next task tries it again, and nothing is saved until it succeeds.
      this.opening = undefined;
      throw error;
    });
    return this.opening;
  }

  private async load(): Promise<void> {
    await this.copyEarlierState();
    await this.snapshots.open(this.parts.folders, this.parts.changesFolder);
    const { changesFolder, blobs, log, notice } = this.parts;
    const state = await loadState(changesFolder, blobs, (problem) => {
      log.warn(problem);
      notice?.(problem);
    });
    if (!state) return;
    if (this.earlierFolder !== undefined) await this.retainSnapshots(state.checkpoints);
    this.madeCheckpoints.push(...state.checkpoints);
    this.decisions.load(state.decided);
    this.files.load(state.files, state.touches);
    this.folders.last = state.last;
    await this.applyUnwatchedChanges().catch((error: unknown) => {
      log.error('changes since the last session were not compared', error);
    });
  }

  // Files written before the session ended in the middle of a turn were written by its agent.
  private async applyUnwatchedChanges(): Promise<void> {
    const endedAt = await takeInterruptedTurn(this.parts.changesFolder);
    if (endedAt === undefined) return this.refreshAll();
    const evidenceFor: EvidenceFor = async (file) => ((await isOlder(file, endedAt)) ? 'worked' : 'none');
    await this.scan(evidenceFor);
    await this.refreshAll(evidenceFor);
  }

  private async applyChange(change: ChangedFile, evidence: Evidence | EvidenceFor): Promise<void> {
    const isUnseen = await this.early.isUnseen(change.path);
    if (isUnseen && !change.isUnread) return this.early.add(change.path, change.before());
    await this.trackUntracked(change, isUnseen ? 'worked' : await evidenceOf(evidence, change.path));
  }

  private async trackUntracked(
    { path: file, before, isUnread: isUnreadable }: ChangedFile,
    evidence: Evidence,
  ): Promise<void> {
    const tracked = this.files.find(file);
    if (tracked) return this.files.refresh(tracked, { evidence });
    if (this.hasEarlyContent(file)) return;
    const { author } = this.activity.judgeAuthor(file, await this.files.contentOf(file), evidence);
    if (author !== 'agent') return this.files.noteAuthor(file, author);
    if (isUnreadable) {
      this.parts.records.get(file).failure = 'was changed; it is too large to be kept, or may not be read';
      return;
    }
    const old = this.activity.contentByOthers(file)?.content ?? (await before());
    await this.files.refresh(this.files.add(file, old), { evidence });
  }

  private async applyEarlyContent(
    file: string,
    before: FileContent,
    made: Checkpoint | undefined,
  ): Promise<void> {
    if (isUnread(before)) return;
    made?.known.set(file, before);
    const isOutsideSnapshots = (made && (await this.snapshots.contentAt(made.trees, file))) === undefined;
    const tracked = this.files.find(file) ?? this.files.add(file, before, isOutsideSnapshots);
    await this.files.refresh(tracked, { evidence: 'wrote' });
  }

  private async copyEarlierState(): Promise<void> {
    const { changesFolder, log } = this.parts;
    if (this.earlierFolder === undefined) return;
    try {
      await copyState(this.earlierFolder, changesFolder);
    } catch (error) {
      log.error(`the changes recorded in ${this.earlierFolder} were not copied`, error);
    }
  }

  private async retainSnapshots(checkpoints: readonly Checkpoint[]): Promise<void> {
    await Promise.all(checkpoints.map(({ trees }) => this.snapshots.retain(trees).catch(() => undefined)));
  }

  private async save(): Promise<void> {
    const { changesFolder, blobs, log, onChange } = this.parts;
    const { last } = this.folders;
    const [files, touches] = [this.files.all(), this.files.otherChanges()];
    try {
      const decided = this.decisions.all;
      await saveState(changesFolder, { files, checkpoints: this.checkpoints, last, touches, decided }, blobs);
    } catch (error) {
      log.error(`changes can't be saved in ${changesFolder}`, error);
    }
    onChange();
  }
}

function ended(): AcpError {
  return new AcpError('cancelled', 'the session has ended');
}

function evidenceOf(evidence: Evidence | EvidenceFor, file: string): Evidence | Promise<Evidence> {
  return typeof evidence === 'string' ? evidence : evidence(file);
}
