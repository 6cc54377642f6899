import fs from 'node:fs/promises';
import type { Disposable } from '../../base.ts';
import type { Clock, Editor } from '../../ports/host.ts';

const everyMs = 1_000;

/** A file that is open, as Lua tells it. */
export interface OpenFile {
  readonly path: string;
  readonly isModified: boolean;
  /** Its buffer was read from, or written to, what is on disk now. */
  readonly isCurrent: boolean;
}

export interface GlanceWatcher {
  isMeant(file: string): boolean;
  /** Files that were not open at the last look. */
  onOpen(files: readonly string[]): void;
  /** Files that were changed since, or whose buffer is not what is on disk. */
  onChanged(files: readonly string[]): Promise<void>;
}

/** Looks at the few files that are open, again and again, while a command of the agent may take its time. */
export class Glance implements Disposable {
  private readonly editor: Editor;
  private readonly watcher: GlanceWatcher;
  private readonly ticking: Disposable;
  private readonly stamps = new Map<string, string>();
  private isLooking = false;

  constructor(editor: Editor, clock: Clock, watcher: GlanceWatcher) {
    this.editor = editor;
    this.watcher = watcher;
    this.ticking = clock.every(everyMs, () => void this.look());
  }

  dispose(): void {
    this.ticking.dispose();
  }

  async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      await this.lookAround();
    } catch {
      // Neovim is busy, or gone; the next look may see more.
    } finally {
      this.isLooking = false;
    }
  }

  private async lookAround(): Promise<void> {
    const open = (await this.editor.call('buffer.files', {})) as readonly OpenFile[];
    const files = open.filter(({ path }) => this.watcher.isMeant(path));
    const fresh = files.filter(({ path }) => !this.stamps.has(path));
    if (fresh.length > 0) this.watcher.onOpen(fresh.map(({ path }) => path));
    const changed: string[] = [];
    for (const file of files) if (await this.isToBeSeen(file)) changed.push(file.path);
    if (changed.length > 0) await this.watcher.onChanged(changed);
  }

  private async isToBeSeen({ path, isModified, isCurrent }: OpenFile): Promise<boolean> {
    const stat = await fs.stat(path).catch(() => undefined);
    const stamp = stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : '';
    const before = this.stamps.get(path);
    this.stamps.set(path, stamp);
    // Of unsaved text it must be known what it was made of before that changes.
    return before === undefined ? isModified || !isCurrent : before !== stamp;
  }
}
