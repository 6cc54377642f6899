import path from 'node:path';
import type { Disposable } from '../../base/disposable.ts';
import { messageOf } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import type { ToolEntry } from '../../model/entries.ts';
import type { SessionState } from '../../model/session.ts';
import type { SessionEvent } from '../../model/session-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import type { OpenFile } from '../../ports/editor-operations.ts';
import type { Log } from '../../ports/log.ts';
import type { ChangeWatch } from '../../ports/workspace.ts';
import type { WriteObserver } from '../files/agent-files.ts';
import type { BufferSync } from '../files/buffer-sync.ts';
import type { WriteOutcome } from '../files/buffer-writes.ts';
import { textIn } from '../files/file-content.ts';
import type { FileRecord, FileRecords, TrackedFile } from '../files/file-record.ts';
import type { AgentReports } from '../files/knowledge/agent-reports.ts';
import { BlobStore } from '../snapshots/blob-store.ts';
import type { Authorship } from './authorship.ts';
import { Checkpoints } from './checkpoints.ts';
import type { RefreshFacts } from './file-tracker.ts';
import { Ledger } from './ledger.ts';
import { OpenFileWatcher } from './open-file-watcher.ts';
import { ReviewDecisions } from './review/review-decisions.ts';
import { ToolCallTracker } from './tool-call-tracker.ts';
import { WorkingCopy } from './working-copy.ts';

interface ChangeTrackerParts {
  readonly folders: readonly string[];
  /** The folder where this session keeps its changes. */
  readonly changesFolder: string;
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: Log;
  readonly records: FileRecords;
  readonly buffers: BufferSync;
  readonly reports: AgentReports;
  /** The authors of changes in all sessions. */
  readonly authorship: Authorship;
  /** The chat that is notified when an open file changes on disk under unsaved text. */
  readonly chat: number;
  /** Shows a notice in the chat. */
  notice?(text: string): void;
}

/** Follows what the agent of a session changes. */
interface AgentChangeWatcher {
  onAgentChange(file: TrackedFile): void;
  /** All files were compared after the end of a turn. */
  onTurnCompared(): void;
}

/** Tracks which files the agent of a session changes, through us or by itself. */
export class ChangeTracker implements ChangeWatch, WriteObserver {
  readonly ledger: Ledger;
  readonly decisions: ReviewDecisions;
  readonly checkpoints: Checkpoints;
  private readonly parts: ChangeTrackerParts;
  private readonly toolCalls: ToolCallTracker;
  private readonly watchers = new Set<() => void>();
  private readonly agentWatchers = new Set<AgentChangeWatcher>();
  private openFiles: OpenFileWatcher | undefined;
  private stopping: Promise<void> | undefined;
  private isOver = false;
  /** The files that are open at the begin of the turn. */
  private expected: Promise<readonly OpenFile[]> | undefined;
  private isSessionOpen = false;
  private isPreparationWanted = false;

  constructor(parts: ChangeTrackerParts) {
    this.parts = parts;
    const blobs = new BlobStore(path.join(parts.changesFolder, 'blobs'));
    const onChange = () => {
      for (const watcher of this.watchers) watcher();
    };
    this.ledger = new Ledger({
      ...parts,
      workingCopy: new WorkingCopy({ ...parts, blobs }),
      blobs,
      onChange,
      onAgentChange: (file) => {
        for (const watcher of this.agentWatchers) watcher.onAgentChange(file);
      },
    });
    this.toolCalls = new ToolCallTracker(this.ledger, (act) => this.runLogged(act));
    this.decisions = new ReviewDecisions(this.ledger);
    this.checkpoints = new Checkpoints(this.ledger);
  }

  /** The files under review. */
  get files(): readonly TrackedFile[] {
    return this.ledger.files.all();
  }

  file(path: string): TrackedFile | undefined {
    return this.ledger.files.find(path);
  }

  /** Everything that could not be compared, and why. */
  get unwatched(): Ledger['unwatched'] {
    return this.ledger.unwatched;
  }

  /** Calls back after everything that may have changed the review. */
  watch(watcher: () => void): Disposable {
    this.watchers.add(watcher);
    return { dispose: () => this.watchers.delete(watcher) };
  }

  watchAgent(watcher: AgentChangeWatcher): Disposable {
    this.agentWatchers.add(watcher);
    return { dispose: () => this.agentWatchers.delete(watcher) };
  }

  /** Continues with the changes of another session, unless this session has changes of its own. */
  continueFrom(changesFolder: string): void {
    this.ledger.continueFrom(changesFolder);
  }

  /** Resolves when every decision is on disk; from then on nothing is started or written. */
  readonly end = once(async (): Promise<void> => {
    this.isOver = true;
    await Promise.all([this.stopWatching(), this.ledger.end()]);
  });

  /** Resolves when the changes that an earlier host recorded are loaded. It never rejects. */
  async ready(): Promise<void> {
    await this.runLogged(() => Promise.resolve());
  }

  // While the agent starts, it would have to share the processor.
  async prepareTurn(): Promise<void> {
    this.isPreparationWanted = !this.isSessionOpen;
    if (this.isPreparationWanted || this.ledger.activity.isInTurn) return;
    await this.runLogged(() => this.ledger.prepareTurn());
  }

  expectTurn(open?: readonly OpenFile[]): void {
    this.expected ??= open ? Promise.resolve(open) : this.askOpenFiles();
    // The turn begins before that, or a later one does, for which Neovim is asked again.
    queueMicrotask(() => {
      this.expected = undefined;
    });
  }

  async beginTurn(prompt: string): Promise<void> {
    this.ledger.allowEarlyWrites();
    const open = this.expected ?? this.askOpenFiles();
    await Promise.all([this.makeCheckpoint(prompt, open), this.watchOpenFiles(open)]);
  }

  allowEarlyPrompt(): boolean {
    return this.ledger.allowUnseenWrites();
  }

  private askOpenFiles(): Promise<readonly OpenFile[]> {
    const open = this.parts.editor.call('buffer.files', {});
    // Whoever awaits it handles a failure.
    open.catch(() => undefined);
    return open;
  }

  // The prompt does not wait until the checkpoint is on disk too.
  private makeCheckpoint(prompt: string, open: Promise<readonly OpenFile[]>): Promise<void> {
    return new Promise((resolve) => {
      const act = () => this.ledger.beginTurn(prompt, open).finally(resolve);
      // `runLogged` never rejects, and may drop the task.
      void this.runLogged(act).then(resolve);
    });
  }

  private async watchOpenFiles(open: Promise<readonly OpenFile[]>): Promise<void> {
    const { editor, clock, chat } = this.parts;
    // What is relevant depends on the snapshots. `runLogged` reports a failure.
    await this.ledger.open().catch(() => undefined);
    if (this.isOver) return;
    this.openFiles ??= new OpenFileWatcher(editor, clock, {
      isRelevant: (file) => this.ledger.covers(file),
      onOpen: (paths) => editor.send('buffer.watch', { paths, chat }),
      onChanged: (files) => this.trackOpenFiles(files),
    });
    await this.openFiles.check(open);
  }

  onEvent(event: SessionEvent, state: SessionState): void {
    if (event.kind === 'session_opened') this.onOpened();
    if (state.isReplaying) return;
    if (event.kind === 'tool') {
      const tool = state.tools.get(event.patch.toolCallId);
      if (tool) this.onToolCall(tool);
    } else if (event.kind === 'turn_ended' || event.kind === 'agent_gone') this.endTurn();
  }

  private onToolCall(tool: ToolEntry): void {
    this.parts.reports.note(tool);
    this.toolCalls.onToolCall(tool);
  }

  // Opens the snapshot stores before the first prompt has to wait for them.
  private onOpened(): void {
    this.isSessionOpen = true;
    // Neither of them rejects.
    void (this.isPreparationWanted ? this.prepareTurn() : this.ready());
  }

  /** The agent is about to write a file through us: its content before that is recorded. */
  async willWrite({ path: file }: FileRecord, readBuffer: RefreshFacts['readBuffer']): Promise<void> {
    if (this.ledger.isSnapshotPending) return this.ledger.noteEarlyContent(file);
    await this.runLogged(async () => {
      const tracked = await this.ledger.track(file);
      if (tracked) await this.ledger.files.refresh(tracked, { readBuffer });
    });
  }

  async hasWritten({ path: file }: FileRecord, outcome: WriteOutcome): Promise<void> {
    const compared = this.runLogged(async () => {
      const tracked = this.ledger.files.find(file);
      if (tracked) await this.ledger.files.refresh(tracked, { evidence: 'wrote', outcome });
    });
    // During the snapshot the write does not wait; the comparison is queued behind it.
    if (!this.ledger.isSnapshotPending) await compared;
  }

  /** The user has saved a file. */
  async onSaved(file: string): Promise<void> {
    const record = this.parts.records.get(file);
    this.parts.buffers.noteSaved(record);
    record.isSavePending = true;
    record.saves += 1;
    const { saves } = record;
    await this.runLogged(async () => {
      try {
        if (!this.ledger.covers(file) && !record.tracked) return;
        this.ledger.files.noteAuthor(file, 'user');
        await this.compare(file);
      } finally {
        // A later save is compared by a task of its own.
        if (record.saves === saves) record.isSavePending = false;
      }
    });
  }

  /** The user has reloaded a file. */
  async onReread(file: string): Promise<void> {
    await this.runLogged(async () => {
      await this.parts.buffers.syncWithDisk(this.parts.records.get(file));
      const tracked = this.ledger.files.find(file);
      if (tracked) await this.ledger.files.refresh(tracked);
    });
  }

  /** Compares all files, so that the review is up to date. */
  async scan(): Promise<void> {
    await this.runLogged(async () => void (await this.ledger.scan()));
    // Tracked files are compared also where a folder can't be scanned.
    await this.runLogged(() => this.ledger.refreshAll());
  }

  // A command may run for long, and the user looks at open files meanwhile.
  private trackOpenFiles(files: readonly string[]): Promise<void> {
    return this.runLogged(async () => {
      for (const file of files) {
        const tracked = await this.compare(file);
        // A file that is too large to be tracked is shown all the same.
        const base = tracked?.disk.kind === 'text' ? textIn(tracked.disk) : undefined;
        await this.parts.buffers.syncWithDisk(this.parts.records.get(file), base);
      }
    });
  }

  private endTurn(): void {
    // `end` waits for the watcher too.
    void this.stopWatching();
    const expectNothing = this.parts.reports.endTurn();
    // Queued; it logs its failures, and `end` waits for it.
    void this.runLogged(async () => {
      try {
        if (this.ledger.activity.isInTurn) await this.compareAfterTurn();
      } finally {
        expectNothing();
        for (const watcher of this.agentWatchers) watcher.onTurnCompared();
      }
    });
    this.ledger.retainLast();
  }

  private async compareAfterTurn(): Promise<void> {
    try {
      await this.ledger.scan();
      await this.ledger.refreshAll();
    } finally {
      this.ledger.activity.endTurn();
    }
  }

  private async compare(file: string): Promise<TrackedFile | undefined> {
    const tracked = await this.ledger.track(file);
    if (tracked) await this.ledger.files.refresh(tracked);
    return tracked;
  }

  private async stopWatching(): Promise<void> {
    if (this.openFiles) this.stopping = this.openFiles.end();
    this.openFiles = undefined;
    await this.stopping;
  }

  // A failure of the review is logged and does not stop the conversation.
  private async runLogged(act: () => Promise<void>): Promise<void> {
    try {
      await this.ledger.runUnlessEnding(act);
    } catch (error) {
      if (!this.isOver) this.parts.log.error(`changes were not compared: ${messageOf(error)}`, error);
    }
  }
}
