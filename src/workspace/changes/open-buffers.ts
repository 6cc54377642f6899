import type { Editor } from '../../ports.ts';
import { type BufferText, changeBuffer, isLegible } from '../buffer.ts';
import { editsBetween } from '../edits.ts';
import { merge, mergedLines } from '../merge.ts';
import { type Document, documentOf, textOf } from '../text.ts';

/** A text that changed on disk while the user had unsaved changes in the same lines. */
export interface BufferConflict {
  readonly path: string;
  /** What both began with. */
  readonly base: string;
  /** What is in the buffer. */
  readonly ours: string;
  /** What is on disk. */
  readonly theirs: string;
}

/** What is done about a conflict. The buffer stays as it is until the user has chosen. */
export interface ConflictKeeper {
  onConflict(conflict: BufferConflict): void;
}

/** A text, and when it was written as Lua tells it. */
export interface DiskText {
  readonly text: string;
  readonly time: string;
}

/** How a buffer came to show what is on disk. */
export interface Followed {
  /** What the user had made of what was on disk before, if that is not what is there now. */
  readonly typed?: string;
  /** What the buffer holds. */
  readonly seen: string;
}

/** The user's buffers, brought to what is on disk without losing what is typed in them. */
export class OpenBuffers {
  private readonly editor: Editor;
  private readonly keeper: ConflictKeeper;

  constructor(editor: Editor, keeper: ConflictKeeper) {
    this.editor = editor;
    this.keeper = keeper;
  }

  /** The text of a loaded buffer, if it is one that can be told line by line. */
  async textOf(path: string): Promise<string | undefined> {
    const buffer = await this.read(path);
    return buffer && textOf(buffer);
  }

  /** Shows what is on disk; unsaved text stays in it. `again`: buffer or file were changed just now. */
  async follow(path: string, base: string, disk: DiskText): Promise<Followed | 'again' | undefined> {
    const buffer = await this.read(path);
    if (!buffer || buffer.trouble !== undefined) return undefined;
    const shown = textOf(buffer);
    if (buffer.isModified ? buffer.isCurrent : shown === disk.text) return { seen: shown };
    const typed = buffer.isModified ? { typed: shown } : {};
    const after = buffer.isModified ? merged(buffer, base, disk.text) : documentOf(disk.text, buffer.ending);
    if (!after) {
      this.keeper.onConflict({ path, base, ours: shown, theirs: disk.text });
      return { ...typed, seen: shown };
    }
    const isDone = await this.adopt(path, buffer, disk, after);
    return isDone ? { ...typed, seen: textOf(after) } : 'again';
  }

  /** Puts a text into a loaded buffer and saves it: `none` without one, `changed` when it is not what it should be. */
  async put(path: string, from: string, to: string): Promise<'saved' | 'changed' | 'none'> {
    const buffer = await this.read(path);
    if (!buffer) return 'none';
    if (buffer.trouble !== undefined) throw new Error(`${path} ${buffer.trouble}`);
    if (textOf(buffer) !== from) return 'changed';
    const after = documentOf(to, buffer.ending);
    const { status, reason } = await changeBuffer(this.editor, buffer, after);
    if (status === 'failed') throw new Error(`${path} was not written: ${reason}`);
    return status === 'changed' ? 'changed' : 'saved';
  }

  private async adopt(path: string, buffer: BufferText, disk: DiskText, after: Document): Promise<boolean> {
    const { buf, tick } = buffer;
    const { lines, ending, isEnded, hasBom } = documentOf(disk.text, buffer.ending);
    const answer = await this.editor.call('buffer.follow', {
      ...{ path, buf, tick, ending, isEnded, hasBom, time: disk.time },
      edits: editsBetween(buffer.lines, lines),
      isEmpty: lines.length === 0,
      again: editsBetween(lines, after.lines),
      whole: editsBetween(buffer.lines, after.lines),
    });
    return answer === true;
  }

  private async read(path: string): Promise<BufferText | undefined> {
    const buffer = ((await this.editor.call('buffer.read', { path })) as BufferText | null) ?? undefined;
    return buffer && isLegible(buffer) ? buffer : undefined;
  }
}

function merged(ours: BufferText, base: string, disk: string): Document | undefined {
  const theirs = documentOf(disk, ours.ending);
  const lines = mergedLines(merge(ours.lines, documentOf(base, ours.ending).lines, theirs.lines));
  return lines && { ...theirs, lines };
}
