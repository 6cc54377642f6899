import { displayPath } from '../../base/paths.ts';
import { countOf } from '../../base/text.ts';
import type { Picker } from '../../ports/dialogs.ts';
import type { Editor } from '../../ports/editor.ts';
import {
  checkpointPicker,
  type RestoreItem,
  restoreDiff,
  restorePicker,
} from '../../view/pickers/restore.ts';
import type { Checkpoints, Restorable } from '../../workspace/changes/checkpoints.ts';
import { type FileContent, linesIn, modeChange } from '../../workspace/files/file-content.ts';

/** Restores the files of a session to a checkpoint. */
export class ChatRestore {
  private readonly checkpoints: Checkpoints;
  private readonly chat: number;
  private readonly cwd: string;
  private readonly editor: Editor;

  constructor(checkpoints: Checkpoints, chat: number, cwd: string, editor: Editor) {
    this.checkpoints = checkpoints;
    this.chat = chat;
    this.cwd = cwd;
    this.editor = editor;
  }

  /** Lets the user choose a checkpoint; those of prompts that changed nothing only if `isComplete`. */
  async show(isComplete = false): Promise<void> {
    const checkpoints = await this.checkpoints.list();
    if (checkpoints.length === 0) return this.editor.notify('warn', 'there is no checkpoint yet');
    this.pick(checkpointPicker(this.chat, checkpoints, isComplete));
  }

  /** Shows what a restore would change and asks for consent. */
  async plan(checkpoint: number): Promise<void> {
    const items = (await this.checkpoints.plan(checkpoint)).map((file) => this.item(file));
    this.reportUnwatched();
    if (items.length === 0) return this.editor.notify('warn', 'the files are the same as at that checkpoint');
    await this.editor.call('restore.preview', { chat: this.chat, lines: restoreDiff(items) });
    this.pick(restorePicker(this.chat, checkpoint, items));
  }

  /** Neovim does not exit before the files are restored. */
  async apply(checkpoint: number, isAll: boolean): Promise<void> {
    this.leave();
    try {
      const files = await this.checkpoints.restore(checkpoint, isAll);
      const count = countOf(files.length, 'file');
      this.editor.notify('info', `restored ${count}; :AcpRestore undo takes that back`);
    } finally {
      this.editor.send('decision.done', {});
    }
  }

  async undo(): Promise<void> {
    const last = this.checkpoints.lastRestore;
    if (last !== undefined) return this.plan(last);
    this.editor.notify('warn', 'nothing was restored yet');
  }

  /** Lets the user read the diff before they answer. */
  read(checkpoint: number): void {
    this.editor.send('restore.read', { chat: this.chat, checkpoint });
  }

  leave(): void {
    this.editor.send('restore.close', { chat: this.chat });
  }

  private reportUnwatched(): void {
    const [first, ...others] = this.checkpoints.unwatched;
    if (!first) return;
    const more = others.length > 0 ? ` (and ${others.length} more; :AcpReview lists them)` : '';
    const name = displayPath(first.path, this.cwd);
    this.editor.notify('warn', `some files cannot be restored: ${name} ${first.reason}${more}`);
  }

  private item({ path: file, now, old, saved, changedBy }: Restorable): RestoreItem {
    const isBinary = now.kind === 'binary' || old.kind === 'binary';
    return {
      name: displayPath(file, this.cwd),
      now: textOf(now),
      old: textOf(old),
      isBinary,
      mode: modeChange(now, old),
      changedBy,
      isUnsavedKept: saved !== undefined,
      isDeleted: saved?.kind === 'none',
    };
  }

  private pick(picker: Picker): void {
    this.editor.send('picker.open', { chat: this.chat, ...picker });
  }
}

function textOf(side: FileContent): string | undefined {
  return side.kind === 'text' ? linesIn(side).join('') : undefined;
}
