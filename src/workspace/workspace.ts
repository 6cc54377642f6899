import { once } from '../base/once.ts';
import { absolutePath } from '../base/paths.ts';
import type { Clock } from '../ports/clock.ts';
import type { Editor } from '../ports/editor.ts';
import type { Log } from '../ports/log.ts';
import type { HostOptions } from '../ports/options.ts';
import type { PtyLauncher } from '../ports/terminals.ts';
import type { OpenWorkspace, Workspace, WorkspaceOptions } from '../ports/workspace.ts';
import type { ChangeTracker } from './changes/change-tracker.ts';
import { openSessionFiles, SharedFiles } from './session-files.ts';
import type { Terminal } from './terminals/terminal.ts';
import { Terminals } from './terminals/terminals.ts';

interface WorkspaceParts {
  readonly ptys: PtyLauncher;
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: Log;
  options(): Pick<HostOptions, 'shell' | 'onConflict'>;
  /** Whether a change of the file at this real path needs consent wherever it is. */
  isProtected?(file: string): boolean;
  /** A command was started. */
  onTerminal?(terminal: Terminal): void;
}

/** Makes what the sessions of this Neovim use. */
export class EditorWorkspace implements Workspace {
  private readonly parts: WorkspaceParts;
  private readonly spaces = new Map<WorkspaceOptions, Terminals>();
  private readonly shared: SharedFiles;
  private readonly trackers = new Map<number, ChangeTracker>();
  /** The trackers that may still have something to write. */
  private readonly unfinished = new Set<ChangeTracker>();

  constructor(parts: WorkspaceParts) {
    this.parts = parts;
    this.shared = new SharedFiles(parts.editor);
  }

  get offers(): Workspace['offers'] {
    return { files: true, terminals: this.parts.ptys.isAvailable };
  }

  open(given: WorkspaceOptions): OpenWorkspace {
    const directories = given.directories.map((name) => absolutePath(name, given.cwd));
    const options = {
      ...given,
      directories,
      isProtected: (file: string) => this.parts.isProtected?.(file) ?? false,
      refusesConflicts: () => this.parts.options().onConflict === 'refuse',
    };
    const terminals = new Terminals(options, {
      ...this.parts,
      shell: () => this.parts.options().shell,
      onOpen: (terminal) => this.parts.onTerminal?.(terminal),
    });
    this.spaces.set(options, terminals);
    const { files, changes } = openSessionFiles(options, { ...this.parts, shared: this.shared });
    if (changes) this.track(options.chat, changes);
    return {
      files,
      ...(changes && { changes }),
      ...(this.offers.terminals && { terminals }),
      abandon: () => terminals.abandon(),
      end: once(async () => {
        await Promise.all([changes?.end(), terminals.end()]);
        if (changes) this.forget(options.chat, changes);
        this.spaces.delete(options);
      }),
    };
  }

  private track(chat: number, changes: ChangeTracker): void {
    this.trackers.set(chat, changes);
    this.unfinished.add(changes);
  }

  private forget(chat: number, changes: ChangeTracker): void {
    this.unfinished.delete(changes);
    if (this.trackers.get(chat) === changes) this.trackers.delete(chat);
  }

  /** The changes of the session of a chat. */
  trackerOf(chat: number): ChangeTracker | undefined {
    return this.trackers.get(chat);
  }

  /** Runs a command line for the user of a chat. */
  async runLine(chat: number, line: string): Promise<Terminal> {
    const [, terminals] = [...this.spaces].find(([options]) => options.chat === chat) ?? [];
    if (!terminals) throw new Error(`there is no chat ${chat}`);
    return terminals.runLine(line);
  }

  /** Resolves when every decision of the users is on disk. */
  async endChanges(): Promise<void> {
    await Promise.all([...this.unfinished].map((changes) => changes.end()));
  }

  /** Resolves when every command has ended and every change is on disk. */
  readonly end = once(async () => {
    const terminals = [...this.spaces.values()].map((each) => each.end());
    await Promise.all([this.endChanges(), ...terminals]);
  });
}
