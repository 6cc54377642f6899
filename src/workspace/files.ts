import fs from 'node:fs/promises';
import { AcpError } from '../errors.ts';
import type { FileRead, FileService, FileWrite, FolderEntry } from '../ports/files.ts';
import type { Editor } from '../ports/host.ts';
import type { WorkPlace } from '../ports/workspace.ts';
import { type BufferText, readBuffer } from './buffer.ts';
import { BufferWrites, type Rewritten } from './buffer-writes.ts';
import { fileError, isMissing, readText } from './disk.ts';
import { FileConsent } from './file-consent.ts';
import { OpenBuffers } from './open-buffers.ts';
import { HeldFolder, inFolder } from './place.ts';
import { Roots } from './roots.ts';
import { Sight } from './sight.ts';
import { sliceLines, textOf } from './text.ts';

/** Is told of every write, before and after. */
export interface WriteWatch {
  willWrite(file: string): Promise<void>;
  /** `rewritten`: a buffer with unsaved text, which stays unsaved. */
  hasWritten(file: string, rewritten?: Rewritten): Promise<void>;
}

/** Files as the user sees them: what is in a buffer counts, what they have typed there stays. */
export class Files implements FileService {
  private readonly place: WorkPlace;
  private readonly editor: Editor;
  private readonly roots: Roots;
  private readonly sight = new Sight();
  private readonly bufferWrites: BufferWrites;
  /** The buffer of each file as it was told last: lines that are the same need not come again. */
  private readonly lastRead = new Map<string, BufferText>();
  private readonly consent: FileConsent;
  /** The end of the last change of each file: one waits for the other. */
  private readonly writes = new Map<string, Promise<void>>();

  private readonly buffers: OpenBuffers;
  private readonly watch: WriteWatch | undefined;

  constructor(
    place: WorkPlace,
    editor: Editor,
    buffers: OpenBuffers = new OpenBuffers(editor, place),
    watch?: WriteWatch,
  ) {
    this.place = place;
    this.editor = editor;
    this.buffers = buffers;
    this.watch = watch;
    this.roots = new Roots([place.cwd, ...place.directories]);
    this.consent = new FileConsent(place);
    const bufferOf = (real: string) => this.bufferOf(real);
    this.bufferWrites = new BufferWrites({ place, editor, buffers, sight: this.sight, bufferOf });
  }

  async read(
    { path: file, line, limit, isMissingEmpty }: FileRead,
    withdrawn?: AbortSignal,
  ): Promise<string> {
    const since = this.place.cancels?.();
    const { real, isInside } = await this.find(file);
    const buffer = await this.currentBufferOf(real);
    if (!buffer && !(await exists(real))) {
      if (isMissingEmpty) return '';
      throw noFile(file);
    }
    await this.consent.toRead(real, isInside, { withdrawn, since });
    const text = buffer ? textOf(buffer) : await readText(real, line, limit);
    if (text === undefined) throw noFile(file);
    const shown = buffer ? sliceLines(text, line, limit) : text;
    if (line === 1 && isAll(shown, limit)) this.sight.learn(real, shown);
    else if (buffer) await this.sight.glimpse(real, text, { line, limit }, this.buffers.baseOf(real));
    return shown;
  }

  // By the name that was given, so that they stay in order, and by where it leads, which another name may too.
  write({ path: file, content }: FileWrite, withdrawn = never): Promise<void> {
    const since = this.place.cancels?.();
    return this.inTurn(`name ${file}`, async () => {
      const { real, isInside } = await this.find(file);
      await this.consent.toWrite(real, content, isInside, { withdrawn, since });
      await this.inTurn(real, async () => {
        // Half a character can be written nowhere.
        const text = content.toWellFormed();
        this.bufferWrites.announce(real, text);
        await this.watch?.willWrite(real);
        await this.refuseSwap(real);
        const rewritten = await this.bufferWrites.write(real, text, withdrawn);
        await this.watch?.hasWritten(real, rewritten);
      });
    });
  }

  /** Brings what another program wrote into a buffer with unsaved changes, which stay unsaved. */
  async changedOnDisk(real: string): Promise<void> {
    await this.inTurn(real, () => this.buffers.catchUp(real));
  }

  async list(folder: string): Promise<readonly FolderEntry[]> {
    const since = this.place.cancels?.();
    const { real, isInside } = await this.find(folder);
    await this.consent.toRead(real, isInside, { since });
    try {
      const entries = await inFolder(await HeldFolder.hold(real), (held) =>
        fs.readdir(held.at('.'), { withFileTypes: true }),
      );
      return entries.map((entry) => ({ name: entry.name, type: entry.isDirectory() ? 'directory' : 'file' }));
    } catch (error) {
      throw fileError(folder, error);
    }
  }

  private async inTurn(key: string, act: () => Promise<void>): Promise<void> {
    const before = this.writes.get(key) ?? Promise.resolve();
    const change = before.catch(() => undefined).then(act);
    this.writes.set(key, change);
    try {
      await change;
    } finally {
      if (this.writes.get(key) === change) this.writes.delete(key);
    }
  }

  private async refuseSwap(real: string): Promise<void> {
    const owner = (await this.editor.call('buffer.swap', { path: real })) as { pid: number } | null;
    if (owner) {
      const message = `${real} is open with unsaved changes in another Neovim (process ${owner.pid})`;
      throw new AcpError('file_error', `${message}; it was not written`);
    }
  }

  private async find(file: string) {
    if (file.includes('\0')) throw new AcpError('bad_params', 'path must have no NUL in it');
    try {
      return await this.roots.find(file);
    } catch (error) {
      throw fileError(file, error);
    }
  }

  /** With what another program has written since. */
  private async currentBufferOf(real: string): Promise<BufferText | undefined> {
    const buffer = await this.bufferOf(real);
    if (!buffer || buffer.isCurrent || !buffer.isLegible) return buffer;
    await this.inTurn(real, () => this.buffers.catchUp(real));
    return this.bufferOf(real);
  }

  private async bufferOf(real: string): Promise<BufferText | undefined> {
    const request = { path: real, guard: this.place.chat };
    const buffer = await readBuffer(this.editor, request, this.lastRead.get(real));
    if (buffer) this.lastRead.set(real, buffer);
    else this.lastRead.delete(real);
    if (buffer) await this.buffers.note(real, buffer);
    return buffer;
  }
}

const never = new AbortController().signal;

// Fewer lines than were asked for are all there are.
function isAll(text: string, limit: number | undefined): boolean {
  return limit === undefined || text.split('\n').length <= limit;
}

function noFile(file: string): AcpError {
  return new AcpError('not_found', `there is no file ${file}`);
}

async function exists(file: string): Promise<boolean> {
  try {
    await fs.stat(file);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw fileError(file, error);
  }
}
