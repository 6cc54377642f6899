import path from 'node:path';
import type { Disposable } from '../../base.ts';
import { messageOf } from '../../errors.ts';
import type { Clock, Editor, Log } from '../../ports/host.ts';
import type { ChangeWatch } from '../../ports/workspace.ts';
import type { SessionEvent } from '../../session/events.ts';
import type { SessionState, ToolEntry } from '../../session/model.ts';
import type { Rewritten } from '../buffer-writes.ts';
import { OpenBuffers } from '../open-buffers.ts';
import { beforeDiff, type DiffPart } from './before-diff.ts';
import { Blobs } from './blobs.ts';
import { Decisions } from './decisions.ts';
import { Deeds } from './deeds.ts';
import { Desk } from './desk.ts';
import { Glance } from './glance.ts';
import { Ledger } from './ledger.ts';
import { Restoring } from './restoring.ts';
import type { Tracked } from './tracked.ts';

export interface ChangesParts {
  readonly folders: readonly string[];
  /** A folder of ours for this session. */
  readonly state: string;
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: Log;
  readonly buffers?: OpenBuffers;
  /** Who is told when an open file changes on disk below unsaved text. */
  readonly chat?: number;
  /** What all sessions of the editor know of each other. */
  readonly deeds?: Deeds;
}

/** What of these looks at files and leaves them as they are. */
const harmless: ReadonlySet<string> = new Set(['read', 'search', 'think', 'fetch', 'switch_mode']);

/** Hears what an agent does and knows what it did to the files, however it did it. */
export class Changes implements ChangeWatch, Disposable {
  readonly ledger: Ledger;
  readonly decisions: Decisions;
  readonly restoring: Restoring;
  private readonly log: Log;
  private readonly watchers = new Set<() => void>();
  private readonly editor: Editor;
  private readonly buffers: OpenBuffers;
  private readonly chat: number | undefined;
  private readonly clock: Clock;
  private isLookDue = false;
  private isOver = false;
  private glance: Glance | undefined;

  constructor(parts: ChangesParts) {
    const { folders, state, editor, clock, log, chat } = parts;
    const { buffers = new OpenBuffers(editor), deeds = new Deeds() } = parts;
    this.log = log;
    this.editor = editor;
    this.clock = clock;
    const blobs = new Blobs(path.join(state, 'blobs'));
    this.buffers = buffers;
    this.chat = chat;
    const desk = new Desk(editor, buffers, blobs);
    const onChange = () => {
      for (const watcher of this.watchers) watcher();
    };
    this.ledger = new Ledger({
      folders,
      state,
      desk,
      blobs,
      deeds,
      clock,
      log,
      onChange,
    });
    this.decisions = new Decisions(this.ledger);
    this.restoring = new Restoring(this.ledger);
  }

  /** Calls back after whatever may have changed something. */
  watch(watcher: () => void): Disposable {
    this.watchers.add(watcher);
    return { dispose: () => this.watchers.delete(watcher) };
  }

  dispose(): void {
    void this.end();
  }

  /** Settles when all that was decided is on disk; from then on nothing is started or written. */
  end(): Promise<void> {
    this.stopGlancing();
    this.isOver = true;
    return this.ledger.end();
  }

  async beginTurn(prompt: string): Promise<void> {
    this.ledger.expectEarly();
    await this.quietly(async () => {
      await this.ledger.beginTurn(prompt);
    });
    if (this.isOver) return;
    this.glance ??= new Glance(this.editor, this.clock, {
      isMeant: (file) => this.ledger.folders.has(file),
      onOpen: (paths) => this.editor.tell('buffer.guard', { paths, chat: this.chat }),
      onChanged: (files) => this.lookAtOpen(files),
    });
    await this.glance.look();
  }

  hear(event: SessionEvent, state: SessionState): void {
    // What it takes to know the folders is done before the first prompt has to wait for it.
    if (event.kind === 'session_opened') void this.quietly(() => Promise.resolve());
    if (state.isReplaying) return;
    if (event.kind === 'tool') {
      const tool = state.tools.get(event.patch.toolCallId);
      if (tool && !harmless.has(tool.toolKind)) this.hearTool(tool);
    } else if (event.kind === 'turn_ended' || event.kind === 'agent_gone') this.endTurn();
  }

  /** The agent is about to write a file through us: from here on it is known what it was. */
  async willWrite(file: string): Promise<void> {
    if (this.ledger.isEarly) return this.ledger.glimpse(file);
    await this.quietly(async () => {
      const tracked = await this.ledger.track(file);
      if (tracked) await this.ledger.refresh(tracked);
    });
  }

  async hasWritten(file: string, rewritten?: Rewritten): Promise<void> {
    const taken = this.quietly(async () => {
      const tracked = this.ledger.files.get(file);
      if (tracked) await this.ledger.refresh(tracked, 'wrote', rewritten);
    });
    if (!this.ledger.isEarly) await taken;
  }

  /** The user has saved a file. */
  async saved(file: string): Promise<void> {
    this.buffers.saved(file);
    this.ledger.saves.add(file);
    await this.quietly(async () => {
      try {
        if (!this.ledger.folders.has(file) && !this.ledger.files.has(file)) return;
        this.ledger.note(file, 'user');
        const tracked = await this.ledger.track(file);
        if (tracked) await this.ledger.refresh(tracked);
      } finally {
        this.ledger.saves.delete(file);
      }
    });
  }

  /** The user has read a file again, and with it what is on disk. */
  async reread(file: string): Promise<void> {
    await this.quietly(async () => {
      await this.buffers.catchUp(file);
      const tracked = this.ledger.files.get(file);
      if (tracked) await this.ledger.refresh(tracked);
    });
  }

  /** Takes in what happened since the last look; what is asked for next is true. */
  async look(): Promise<void> {
    await this.quietly(async () => void (await this.ledger.look()));
    // Files that are known are seen also where the folders can't be.
    await this.quietly(() => this.ledger.refreshAll());
  }

  private hearTool(tool: ToolEntry): void {
    const isOver = tool.status === 'done' || tool.status === 'failed' || tool.status === 'cancelled';
    const named = pathsOf(tool);
    if (named.size > 0) {
      for (const [name, diff] of named) void this.glimpse(name, diff, isOver);
      void this.quietly(() => this.lookAt(tool.toolCallId, named, isOver));
    }
    if (isOver) this.lookSoon();
  }

  private async glimpse(name: string, diff: DiffPart | undefined, isOver: boolean): Promise<void> {
    if (!this.ledger.isEarly) return;
    const file = await this.ledger.real(name);
    await this.ledger.glimpse(file, (disk) => (diff ? beforeDiff(disk, diff, isOver) : disk));
  }

  private async lookAt(
    call: string,
    named: ReadonlyMap<string, DiffPart | undefined>,
    isOver: boolean,
  ): Promise<void> {
    const { worker } = this.ledger;
    const files = await Promise.all(
      [...named].map(async ([name, diff]) => [await this.ledger.real(name), diff] as const),
    );
    if (!isOver)
      worker.names(
        call,
        files.map(([file]) => file),
      );
    for (const [file, diff] of files) {
      const tracked = await this.ledger.track(file, (disk) => (diff ? beforeDiff(disk, diff, isOver) : disk));
      if (tracked && isOver) await this.ledger.refresh(tracked, 'wrote');
    }
    if (isOver) worker.finishes(call);
  }

  private lookSoon(): void {
    if (this.isLookDue) return;
    this.isLookDue = true;
    void this.quietly(async () => {
      this.isLookDue = false;
      await this.ledger.look('worked');
    });
  }

  // A command may run for long, and the user looks at its work meanwhile.
  private lookAtOpen(files: readonly string[]): Promise<void> {
    return this.quietly(async () => {
      for (const file of files) {
        const tracked = await this.ledger.track(file);
        if (tracked) await this.ledger.refresh(tracked);
        // What is not known from before has nothing to be compared with, but is shown all the same.
        await this.buffers.catchUp(file, tracked && textIn(tracked));
      }
    });
  }

  private endTurn(): void {
    this.stopGlancing();
    void this.quietly(async () => {
      if (!this.ledger.worker.isAtWork) return;
      try {
        await this.ledger.look();
        await this.ledger.refreshAll();
      } finally {
        this.ledger.worker.end();
      }
    });
  }

  private stopGlancing(): void {
    this.glance?.dispose();
    this.glance = undefined;
  }

  // A review that lacks something is a pity, not a reason to stop the conversation.
  private async quietly(act: () => Promise<void>): Promise<void> {
    try {
      await this.ledger.runUnlessEnding(act);
    } catch (error) {
      if (!this.isOver) this.log.error(`changes were not looked at: ${messageOf(error)}`, error);
    }
  }
}

function textIn({ disk }: Tracked): string | undefined {
  return disk.kind === 'text' ? disk.lines.join('') : undefined;
}

/** The files a tool call names, with what it says it does to them. */
function pathsOf({ content, locations }: ToolEntry): ReadonlyMap<string, DiffPart | undefined> {
  const named = new Map<string, DiffPart | undefined>(
    locations.map((location) => [location.path, undefined]),
  );
  for (const part of content) if (part.kind === 'diff') named.set(part.path, part);
  return named;
}
