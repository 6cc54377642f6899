import { AcpError } from '../../errors.ts';
import type { Editor } from '../../ports/host.ts';
import type { Rewritten } from '../buffer-writes.ts';
import { fileError, isMissing, timeOf } from '../disk.ts';
import type { Arbiter } from '../disk-conflicts.ts';
import type { OpenBuffers } from '../open-buffers.ts';
import { separate } from '../replace.ts';
import type { Blobs } from './blobs.ts';
import { linesIn, type Side } from './file-review.ts';
import type { OpenFile } from './glance.ts';
import { linesOf } from './lines.ts';
import { isHuge, readSide, setMode, writeSide } from './sides.ts';

const maxTries = 10;

/** How a file came to be seen as it is on disk. */
export interface FollowedFile {
  readonly disk: Side;
  /** What the user saw before. */
  readonly was: Side;
  /** That was unsaved, and made of what was on disk before. */
  readonly isUnsaved: boolean;
  readonly seen: Side;
}

/** Where files are seen and put: in their buffer if there is one, and on disk. */
export class Desk {
  private readonly editor: Editor;
  private readonly buffers: OpenBuffers;
  private readonly blobs: Blobs;

  constructor(editor: Editor, buffers: OpenBuffers, blobs: Blobs) {
    this.editor = editor;
    this.buffers = buffers;
    this.blobs = blobs;
  }

  onDisk(path: string): Promise<Side> {
    return readSide(path, this.blobs);
  }

  /** Settles when Neovim has done what it was doing. */
  async answers(path: string): Promise<void> {
    await this.buffers.textOf(path);
  }

  /** What the user sees, unsaved text included. */
  async seen(path: string, disk: Side): Promise<Side> {
    if (disk.kind !== 'text') return disk;
    const text = await this.buffers.textOf(path);
    return text === undefined ? disk : asText(text, disk);
  }

  /**
   * Brings the buffer to what is on disk now. `onChosen`: the user has to choose, and has done so.
   */
  async follow(path: string, before: Side, onChosen?: Arbiter['onChosen']): Promise<FollowedFile> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const time = await timeOf(path);
      const disk = await this.onDisk(path);
      if (disk.kind !== 'text' || before.kind === 'binary') return seenAs(disk);
      const followed = await this.buffers.follow(path, { text: join(disk), time }, join(before), onChosen);
      if (followed === 'again') continue;
      if (!followed) return seenAs(disk);
      const { was, isUnsaved, seen } = followed;
      return { disk, was: asText(was, disk), isUnsaved, seen: asText(seen, disk) };
    }
    throw new AcpError('file_error', `${path} changes faster than it can be followed`);
  }

  /** Whether a buffer shows the file. */
  async isOpen(path: string): Promise<boolean> {
    return (await this.buffers.textOf(path)) !== undefined;
  }

  /** The text of each buffer with unsaved text. */
  async unsaved(isMeant: (path: string) => boolean): Promise<ReadonlyMap<string, Side>> {
    const open = (await this.editor.call('buffer.files', {})) as readonly OpenFile[] | null;
    const texts = new Map<string, Side>();
    for (const { path, isModified } of open ?? []) {
      const text = isModified && isMeant(path) ? await this.buffers.textOf(path) : undefined;
      if (text === undefined) continue;
      const disk = await this.onDisk(path);
      const side =
        disk.kind === 'text' ? asText(text, disk) : { kind: 'text' as const, lines: linesOf(text) };
      if (side !== disk) texts.set(path, side);
    }
    return texts;
  }

  /**
   * Puts a file back as it was, if it still is what it should be. `saved`: what it is to be on disk, if the text of its
   * buffer is to be unsaved.
   */
  async put(path: string, from: Side, to: Side, saved?: Side): Promise<void> {
    if (isHuge(to)) throw new AcpError('file_error', `${path} was too big to be kept; it can't be put back`);
    if (from.kind === 'text' && to.kind === 'text') {
      // Neovim writes to all names of a file.
      await separate(path).catch((error: unknown) => {
        if (!isMissing(error)) throw fileError(path, error);
      });
      const disk = saved?.kind === 'text' ? join(saved) : undefined;
      const status = await this.buffers.put(path, join(from), {
        text: join(to),
        disk,
        isFile: saved?.kind !== 'none',
      });
      if (status === 'saved') return setMode(path, to.isProgram === true);
      if (status === 'changed') throw new AcpError('file_error', `${path} was changed just now; try again`);
    }
    await writeSide(path, saved ?? to, this.blobs);
    if ((saved ?? to).kind === 'none') this.editor.tell('buffer.drop', { path });
    else if (to.kind === 'text') await this.follow(path, from);
  }
}

/** Nothing stands between the user and the disk. */
export function seenAs(disk: Side): FollowedFile {
  return { disk, was: disk, isUnsaved: false, seen: disk };
}

/** The texts of a buffer, as far as they can be reviewed. */
export function sidesOf(
  { was, seen }: Rewritten,
  disk: Side,
): { readonly was: Side; readonly seen: Side } | undefined {
  return disk.kind === 'text' ? { was: asText(was, disk), seen: asText(seen, disk) } : undefined;
}

function join(side: Side): string {
  return linesIn(side).join('');
}

function asText(text: string, like: Side & { kind: 'text' }): Side {
  return join(like) === text ? like : { ...like, lines: linesOf(text) };
}
