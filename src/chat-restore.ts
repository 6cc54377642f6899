import path from 'node:path';
import { messageOf } from './errors.ts';
import type { Editor } from './ports/host.ts';
import type { Picker } from './view/pickers.ts';
import { checkpointPicker, type RestoreItem, restoreDiff, restorePicker } from './view/restore.ts';
import { linesIn, modeChange, type Side } from './workspace/changes/file-review.ts';
import type { Restorable, Restoring } from './workspace/changes/restoring.ts';

/** Takes the files of a session back to what they were before a prompt. */
export class ChatRestore {
  private readonly restoring: Restoring;
  private readonly chat: number;
  private readonly cwd: string;
  private readonly editor: Editor;

  constructor(restoring: Restoring, chat: number, cwd: string, editor: Editor) {
    this.restoring = restoring;
    this.chat = chat;
    this.cwd = cwd;
    this.editor = editor;
  }

  show(): Promise<void> {
    return this.attempt(async () => {
      const checkpoints = await this.restoring.list();
      if (checkpoints.length === 0) return this.tell('there is nothing to go back to yet');
      this.pick(checkpointPicker(this.chat, checkpoints));
    });
  }

  /** Shows what would change and asks. */
  plan(checkpoint: number): Promise<void> {
    return this.attempt(async () => {
      const items = (await this.restoring.plan(checkpoint)).map((file) => this.item(file));
      this.tellUnwatched();
      if (items.length === 0) return this.tell('the files are as they were then');
      await this.editor.call('restore.preview', { chat: this.chat, lines: restoreDiff(items) });
      this.pick(restorePicker(this.chat, checkpoint, items));
    });
  }

  async take(checkpoint: number, isAll: boolean): Promise<void> {
    this.leave();
    await this.attempt(async () => {
      const files = await this.restoring.restore(checkpoint, isAll);
      const count = files.length === 1 ? '1 file is' : `${files.length} files are`;
      this.tell(`${count} as before; :AcpRestore undo takes that back`, 'info');
    });
    // Neovim does not end before this is done.
    this.editor.tell('owed.done', {});
  }

  undo(): Promise<void> {
    const last = this.restoring.lastRestore;
    if (last !== undefined) return this.plan(last);
    this.tell('nothing was restored yet');
    return Promise.resolve();
  }

  /** Lets the user read what would change; they are asked again then. */
  read(checkpoint: number): void {
    this.editor.tell('restore.read', { chat: this.chat, checkpoint });
  }

  leave(): void {
    this.editor.tell('restore.close', { chat: this.chat });
  }

  private tellUnwatched(): void {
    const [first, ...others] = this.restoring.unwatched;
    if (!first) return;
    const more = others.length > 0 ? ` (and ${others.length} more; :AcpReview lists them)` : '';
    const name = path.relative(this.cwd, first.path) || first.path;
    this.tell(`not everything can be put back: ${name} ${first.reason}${more}`);
  }

  private item({ path: file, now, old, saved, changedBy }: Restorable): RestoreItem {
    const name = path.relative(this.cwd, file);
    const isBinary = now.kind === 'binary' || old.kind === 'binary';
    return {
      name: name.startsWith('..') ? file : name,
      now: textOf(now),
      old: textOf(old),
      isBinary,
      mode: modeChange(now, old),
      changedBy,
      isUnsavedKept: saved !== undefined,
    };
  }

  private async attempt(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.tell(messageOf(error), 'error');
    }
  }

  private pick(picker: Picker): void {
    this.editor.tell('picker.open', { chat: this.chat, ...picker });
  }

  private tell(message: string, level = 'warn'): void {
    this.editor.tell('user.notify', { message, level });
  }
}

function textOf(side: Side): string | undefined {
  return side.kind === 'text' ? linesIn(side).join('') : undefined;
}
