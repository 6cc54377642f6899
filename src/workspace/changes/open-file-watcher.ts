import type { Disposable } from '../../base/disposable.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import type { OpenFile } from '../../ports/editor-operations.ts';

const everyMs = 1_000;

interface OpenFileListener {
  isRelevant(file: string): boolean;
  /** Files that were not open at the last check. */
  onOpen(files: readonly string[]): void;
  /** Files that have changed since the last check, or whose buffer is not up to date. */
  onChanged(files: readonly string[]): Promise<void>;
}

/** Checks the open files every second, so that buffers follow a long-running command of the agent. */
export class OpenFileWatcher {
  private readonly editor: Editor;
  private readonly listener: OpenFileListener;
  private readonly ticking: Disposable;
  private readonly stamps = new Map<string, string>();
  private checking: Promise<void> | undefined;
  private isOver = false;

  constructor(editor: Editor, clock: Clock, listener: OpenFileListener) {
    this.editor = editor;
    this.listener = listener;
    // `check` never rejects, and `end` waits for it.
    this.ticking = clock.every(everyMs, () => void this.check());
  }

  /** Resolves when the running check has ended; no other one begins. */
  async end(): Promise<void> {
    this.isOver = true;
    this.ticking.dispose();
    await this.checking;
  }

  /** `open`: the answer of Neovim, if it was asked already. */
  async check(open?: Promise<readonly OpenFile[]>): Promise<void> {
    if (this.isOver || this.checking) return;
    // Neovim may be busy, or gone; the next check may succeed.
    this.checking = this.checkOpenFiles(open).catch(() => undefined);
    await this.checking;
    this.checking = undefined;
  }

  private async checkOpenFiles(asked = this.editor.call('buffer.files', {})): Promise<void> {
    const open = await asked;
    const files = open.filter(({ path }) => this.listener.isRelevant(path));
    const fresh = files.filter(({ path }) => !this.stamps.has(path));
    if (fresh.length > 0) this.listener.onOpen(fresh.map(({ path }) => path));
    const changed = files.filter((file) => this.hasChanged(file)).map(({ path }) => path);
    if (changed.length > 0) await this.listener.onChanged(changed);
  }

  private hasChanged({ path, stamp, isModified, isCurrent }: OpenFile): boolean {
    const before = this.stamps.get(path);
    this.stamps.set(path, stamp);
    // Record the base of a modified buffer before the file changes again.
    return before === undefined ? isModified || !isCurrent : before !== stamp;
  }
}
