import fs from 'node:fs/promises';
import type { Disposable } from '../../base.ts';
import type { Clock, Editor } from '../../ports.ts';

const everyMs = 1_000;

/** Looks at the few files that are open, again and again, while a command of the agent may take its time. */
export class Glance implements Disposable {
  private readonly editor: Editor;
  private readonly onChanged: (files: readonly string[]) => void;
  private readonly ticking: Disposable;
  private readonly stamps = new Map<string, string>();
  private isLooking = false;

  constructor(editor: Editor, clock: Clock, onChanged: (files: readonly string[]) => void) {
    this.editor = editor;
    this.onChanged = onChanged;
    this.ticking = clock.every(everyMs, () => void this.look().catch(() => undefined));
    void this.look().catch(() => undefined);
  }

  dispose(): void {
    this.ticking.dispose();
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const files = (await this.editor.call('buffer.files', {})) as readonly string[];
      const changed: string[] = [];
      for (const file of files) if (await this.isNew(file)) changed.push(file);
      if (changed.length > 0) this.onChanged(changed);
    } finally {
      this.isLooking = false;
    }
  }

  private async isNew(file: string): Promise<boolean> {
    const stat = await fs.stat(file).catch(() => undefined);
    const stamp = stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : '';
    const before = this.stamps.get(file);
    this.stamps.set(file, stamp);
    return before !== undefined && before !== stamp;
  }
}
