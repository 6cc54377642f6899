import path from 'node:path';
import type { Clock, Editor, Log } from '../ports/host.ts';
import type { PtyLauncher, TerminalSize } from '../ports/terminals.ts';
import type { OpenWorkspace, WorkPlace, Workspace } from '../ports/workspace.ts';
import { expandHome } from '../programs.ts';
import { Changes } from './changes/changes.ts';
import { Deeds } from './changes/deeds.ts';
import { DiskConflicts } from './disk-conflicts.ts';
import { Files } from './files.ts';
import { OpenBuffers } from './open-buffers.ts';
import type { Terminal } from './terminal.ts';
import { TerminalFeed } from './terminal-feed.ts';
import { Terminals } from './terminals.ts';

/** Of commands that have ended so many can still be looked at whole. */
const maxEnded = 12;

export interface WorkspaceParts {
  readonly ptys: PtyLauncher;
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: Log;
}

/** A command in the list of all. */
export interface ListedTerminal {
  readonly chat: number;
  readonly terminal: Terminal;
}

/** What the sessions of this Neovim use, and what their users see of it. */
export class EditorWorkspace implements Workspace {
  /** What runs a whole line. */
  shell = process.env.SHELL || '/bin/sh';
  private readonly parts: WorkspaceParts;
  private readonly listed = new Map<string, ListedTerminal>();
  private readonly feeds = new Map<string, TerminalFeed>();
  private readonly spaces = new Map<WorkPlace, Terminals>();
  private readonly conflicts: DiskConflicts;
  private readonly deeds = new Deeds();
  /** The sessions of which something may not be on disk yet. */
  private readonly watched = new Set<Changes>();

  constructor(parts: WorkspaceParts) {
    this.parts = parts;
    this.conflicts = new DiskConflicts(parts.editor);
  }

  get offers(): Workspace['offers'] {
    return { files: true, terminals: this.parts.ptys.isAvailable };
  }

  open(given: WorkPlace): OpenWorkspace {
    const directories = given.directories.map((name) => path.resolve(given.cwd, expandHome(name)));
    const place = { ...given, directories };
    const terminals = new Terminals(place, {
      ...this.parts,
      shell: () => this.shell,
      onOpen: (terminal) => this.list(place.chat, terminal),
    });
    this.spaces.set(place, terminals);
    const buffers = new OpenBuffers(this.parts.editor, place, this.conflicts);
    const changes = this.changes(place, buffers);
    return {
      files: new Files(place, this.parts.editor, buffers, changes),
      ...(changes && { changes }),
      ...(this.offers.terminals && { terminals }),
      abandon: () => terminals.abandon(),
      dispose: () => {
        if (changes) void changes.end().then(() => this.watched.delete(changes));
        void terminals.end().then(() => this.spaces.delete(place));
      },
    };
  }

  private changes({ chat, cwd, directories, state }: WorkPlace, buffers: OpenBuffers): Changes | undefined {
    if (state === undefined) return undefined;
    const folders = [cwd, ...directories];
    const changes = new Changes({ ...this.parts, chat, buffers, folders, state, deeds: this.deeds });
    this.watched.add(changes);
    return changes;
  }

  get all(): readonly ListedTerminal[] {
    return [...this.listed.values()];
  }

  find(id: string): Terminal | undefined {
    return this.listed.get(id)?.terminal;
  }

  /** Runs a line for the user of a chat. */
  async runLine(chat: number, line: string): Promise<Terminal> {
    const [, terminals] = [...this.spaces].find(([place]) => place.chat === chat) ?? [];
    if (!terminals) throw new Error(`there is no chat ${chat}`);
    return terminals.runLine(line);
  }

  /** Brings a terminal to the buffer that was made for it. */
  show(id: string, size: TerminalSize): void {
    const terminal = this.find(id);
    if (!terminal) return;
    terminal.resize(size);
    this.hide(id);
    this.feeds.set(id, new TerminalFeed(terminal, this.parts));
  }

  hide(id: string): void {
    this.feeds.get(id)?.dispose();
    this.feeds.delete(id);
  }

  /** Settles when all that users decided is on disk. */
  async endChanges(): Promise<void> {
    await Promise.all([...this.watched].map((changes) => changes.end()));
  }

  /** Settles when no command runs any more. */
  async end(): Promise<void> {
    for (const id of [...this.feeds.keys()]) this.hide(id);
    await Promise.all([...this.spaces.values()].map((terminals) => terminals.end()));
  }

  private list(chat: number, terminal: Terminal): void {
    this.listed.set(terminal.facts.id, { chat, terminal });
    const ended = [...this.listed.values()].filter(
      ({ terminal: { exit, facts } }) => exit && !this.feeds.has(facts.id),
    );
    for (const { terminal: old } of ended.slice(0, -maxEnded)) this.listed.delete(old.facts.id);
  }
}
