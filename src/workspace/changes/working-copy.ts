import { AcpError } from '../../base/errors.ts';
import type { Editor } from '../../ports/editor.ts';
import type { OpenFile } from '../../ports/editor-operations.ts';
import type { BufferText } from '../files/buffer.ts';
import { type BufferSync, lineByLineText } from '../files/buffer-sync.ts';
import type { BufferRewrite } from '../files/buffer-writes.ts';
import { fileError, isMissing, timeOf } from '../files/disk.ts';
import type { ConflictHandler } from '../files/disk-conflicts.ts';
import { type FileContent, splitLines, textIn } from '../files/file-content.ts';
import type { FileRecords } from '../files/file-record.ts';
import { noteTakenBack } from '../files/knowledge/agent-knowledge.ts';
import { separate } from '../files/replace.ts';
import type { BlobStore } from '../snapshots/blob-store.ts';
import { isUnread } from '../snapshots/stored-content.ts';
import { readContent, setExecutable, writeContent } from './disk-content.ts';

interface WorkingCopyParts {
  readonly editor: Editor;
  readonly records: FileRecords;
  readonly buffers: BufferSync;
  readonly blobs: BlobStore;
}

const maxTries = 10;

/** A file after its buffer was synchronised with the disk. */
export interface SyncedFile {
  readonly disk: FileContent;
  /** What the user saw before. */
  readonly was: FileContent;
  /** That was unsaved, and based on an earlier content of the file. */
  readonly isUnsaved: boolean;
  readonly seen: FileContent;
}

/** Reads and writes files as the user sees them: in the buffer if there is one, and on disk. */
export class WorkingCopy {
  private readonly parts: WorkingCopyParts;

  constructor(parts: WorkingCopyParts) {
    this.parts = parts;
  }

  diskContent(path: string): Promise<FileContent> {
    return readContent(path, this.parts.blobs);
  }

  /** Resolves when Neovim is not in the middle of a save, and has reported every save so far. */
  async waitForEditor(path: string): Promise<void> {
    await this.visibleText(path);
  }

  /** What the user sees of a file, unsaved text included. */
  async visibleContent(path: string, disk: FileContent): Promise<FileContent> {
    if (disk.kind !== 'text') return disk;
    return asContent(await this.visibleText(path), disk);
  }

  /** What the user sees of a file whose buffer was read already. */
  contentIn(buffer: BufferText | undefined, disk: FileContent): FileContent {
    return disk.kind === 'text' ? asContent(lineByLineText(buffer), disk) : disk;
  }

  /**
   * Shows the current content of the disk in the buffer. `onChosen` is called when the user has resolved a conflict.
   */
  async syncBuffer(
    path: string,
    before: FileContent,
    onChosen?: ConflictHandler['onChosen'],
  ): Promise<SyncedFile> {
    const { records, buffers } = this.parts;
    for (let tries = 0; tries < maxTries; tries += 1) {
      const time = await timeOf(path);
      const disk = await this.diskContent(path);
      if (disk.kind !== 'text' || before.kind === 'binary') return syncedWithoutBuffer(disk);
      const text = { text: textIn(disk), time };
      const shown = await buffers.showDisk(records.get(path), text, textIn(before), onChosen);
      if (shown === 'again') continue;
      if (!shown) return syncedWithoutBuffer(disk);
      const { was, isUnsaved, seen } = shown;
      return { disk, was: asContent(was, disk), isUnsaved, seen: asContent(seen, disk) };
    }
    throw new AcpError('file_error', `${path} changes too often to be shown`);
  }

  /** Whether a buffer shows the file. */
  async isOpen(path: string): Promise<boolean> {
    return (await this.visibleText(path)) !== undefined;
  }

  openFiles(): Promise<readonly OpenFile[]> {
    return this.parts.editor.call('buffer.files', {});
  }

  /** The text of each of these buffers with unsaved text. */
  async unsavedTexts(
    open: readonly OpenFile[],
    isRelevant: (path: string) => boolean,
  ): Promise<ReadonlyMap<string, FileContent>> {
    const texts = new Map<string, FileContent>();
    for (const { path, isModified } of open) {
      const text = isModified && isRelevant(path) ? await this.visibleText(path) : undefined;
      if (text === undefined) continue;
      const disk = await this.diskContent(path);
      const content =
        disk.kind === 'text' ? asContent(text, disk) : { kind: 'text' as const, lines: splitLines(text) };
      if (content !== disk) texts.set(path, content);
    }
    return texts;
  }

  /**
   * Gives a file another content, if it still has the content `from`. `saved`: the content on disk, if the text of the
   * buffer is to be unsaved. The agent is taken to know that.
   */
  async write(path: string, from: FileContent, to: FileContent, saved?: FileContent): Promise<void> {
    await this.put(path, from, to, saved);
    await noteTakenBack(this.parts.records.get(path), textIn(from), textIn(to));
  }

  private async put(
    path: string,
    from: FileContent,
    to: FileContent,
    saved: FileContent | undefined,
  ): Promise<void> {
    const { editor, blobs } = this.parts;
    if (isUnread(to)) {
      throw new AcpError('file_error', `${path} was too large to be kept; it can't be restored`);
    }
    if (from.kind === 'text' && to.kind === 'text') {
      const status = await this.writeBuffer(path, textIn(from), textIn(to), saved);
      if (status === 'saved') return setExecutable(path, to.isProgram === true);
      if (status === 'changed') throw new AcpError('file_error', `${path} was changed just now; try again`);
    }
    await writeContent(path, saved ?? to, blobs);
    if ((saved ?? to).kind === 'none') editor.send('buffer.drop', { path });
    else if (to.kind === 'text') await this.syncBuffer(path, from);
  }

  private async writeBuffer(path: string, from: string, text: string, saved: FileContent | undefined) {
    const { records, buffers } = this.parts;
    // Neovim would write through a hard link to all names of the file.
    await separate(path).catch((error: unknown) => {
      if (!isMissing(error)) throw fileError(path, error);
    });
    const disk = saved?.kind === 'text' ? textIn(saved) : undefined;
    return buffers.write(records.get(path), from, { text, disk, isFile: saved?.kind !== 'none' });
  }

  private visibleText(path: string): Promise<string | undefined> {
    return this.parts.buffers.visibleText(this.parts.records.get(path));
  }
}

/** A file that no buffer shows. */
export function syncedWithoutBuffer(disk: FileContent): SyncedFile {
  return { disk, was: disk, isUnsaved: false, seen: disk };
}

/** The texts of a rewritten buffer as contents; undefined if the file is not text. */
export function rewriteContents(
  { was, seen }: BufferRewrite,
  disk: FileContent,
): { readonly was: FileContent; readonly seen: FileContent } | undefined {
  return disk.kind === 'text' ? { was: asContent(was, disk), seen: asContent(seen, disk) } : undefined;
}

/** The text of a buffer as the content of its file; without a buffer the content on disk. */
function asContent(text: string | undefined, disk: FileContent & { kind: 'text' }): FileContent {
  if (text === undefined || textIn(disk) === text) return disk;
  return { ...disk, lines: splitLines(text) };
}
