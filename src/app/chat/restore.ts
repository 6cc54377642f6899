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
import type { Checkpoints, Restorable, Restored } from '../../workspace/changes/checkpoints.ts';
import { type FileContent, linesIn, modeChange } from '../../workspace/files/file-content.ts';
import type { UnwatchedPath } from '../../workspace/snapshots/snapshot-store.ts';

const maxNamed = 3;

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
    const { files, impossible } = await this.checkpoints.plan(checkpoint);
    const items = files.map((file) => this.item(file));
    if (items.length === 0) return this.editor.notify('warn', this.describeSame(impossible));
    if (impossible.length > 0)
      this.editor.notify('warn', `some files cannot be restored: ${this.namesOf(impossible)}`);
    await this.editor.call('restore.preview', { chat: this.chat, lines: restoreDiff(items) });
    this.pick(restorePicker(this.chat, checkpoint, items));
  }

  /** Neovim does not exit before the files are restored. */
  async apply(checkpoint: number, isAll: boolean): Promise<void> {
    this.leave();
    try {
      this.report(await this.checkpoints.restore(checkpoint, isAll));
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

  private report({ files, left, impossible }: Restored): void {
    const parts = [
      files.length > 0 ? `restored ${countOf(files.length, 'file')}` : 'nothing was restored',
      left.length > 0 ? `left ${this.firstOf(left)}, changed since` : '',
      impossible.length > 0 ? `not restored: ${this.namesOf(impossible)}` : '',
      files.length > 0 ? ':AcpRestore undo takes that back' : '',
    ];
    const message = parts.filter((part) => part !== '').join('; ');
    this.editor.notify(impossible.length > 0 ? 'warn' : 'info', message);
  }

  private describeSame(impossible: readonly UnwatchedPath[]): string {
    if (impossible.length === 0) return 'the files are the same as at that checkpoint';
    return `nothing can be restored: ${this.namesOf(impossible)}; all others are the same as at that checkpoint`;
  }

  private namesOf(files: readonly UnwatchedPath[]): string {
    const [first, ...others] = files;
    if (!first) return '';
    const name = first.path === this.cwd ? 'the folder of the session' : displayPath(first.path, this.cwd);
    const also = others.length > 0 ? `; also ${this.firstOf(others.map(({ path }) => path))}` : '';
    return `${name} ${first.reason.replace(/\s+/g, ' ')}${also}`;
  }

  private firstOf(files: readonly string[]): string {
    const names = files.slice(0, maxNamed).map((file) => displayPath(file, this.cwd));
    const rest = files.length - names.length;
    return `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
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
