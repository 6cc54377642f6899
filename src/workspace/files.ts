import fs from 'node:fs/promises';
import path from 'node:path';
import { AcpError } from '../errors.ts';
import type { FileRead, FileService, FileWrite, FolderEntry } from '../ports/files.ts';
import type { Editor } from '../ports/host.ts';
import type { WorkPlace } from '../ports/workspace.ts';
import { type BufferText, changeBuffer, readBuffer } from './buffer.ts';
import { fileError, isMissing, readText, writeText } from './disk.ts';
import { mayAsk } from './disk-conflicts.ts';
import { FileConsent } from './file-consent.ts';
import { merge, mergedLines, type Region } from './merge.ts';
import { OpenBuffers } from './open-buffers.ts';
import { HeldFolder, inFolder } from './place.ts';
import { Roots } from './roots.ts';
import { glimpsed, type LineRange, reformatted } from './sight.ts';
import { type Document, documentOf, sameLines, sliceLines, textOf } from './text.ts';

/** Is told of every write, before and after. */
export interface WriteWatch {
  willWrite(file: string): Promise<void>;
  hasWritten(file: string): Promise<void>;
}

const maxTries = 10;

/** Files as the user sees them: what is in a buffer counts, what they have typed there stays. */
export class Files implements FileService {
  private readonly place: WorkPlace;
  private readonly editor: Editor;
  private readonly roots: Roots;
  /** The text of each file that the agent last saw. */
  private readonly seen = new Map<string, string>();
  /** What a formatter of the user made of that when it was saved, and the agent does not know. */
  private readonly formatted = new Map<string, string>();
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
  }

  async read(
    { path: file, line, limit, isMissingEmpty }: FileRead,
    withdrawn?: AbortSignal,
  ): Promise<string> {
    const { real, isInside } = await this.find(file);
    const buffer = await this.currentBufferOf(real);
    if (!buffer && !(await exists(real))) {
      if (isMissingEmpty) return '';
      throw noFile(file);
    }
    await this.consent.toRead(real, isInside, withdrawn);
    const text = buffer ? textOf(buffer) : await readText(real, line, limit);
    if (text === undefined) throw noFile(file);
    const shown = buffer ? sliceLines(text, line, limit) : text;
    if (line === 1 && isAll(shown, limit)) this.learn(real, shown);
    else if (buffer) await this.glimpse(real, text, { line, limit });
    return shown;
  }

  // By the name that was given, so that they stay in order, and by where it leads, which another name may too.
  write({ path: file, content }: FileWrite, withdrawn = never): Promise<void> {
    return this.inTurn(`name ${file}`, async () => {
      const { real, isInside } = await this.find(file);
      await this.consent.toWrite(real, content, isInside, withdrawn);
      await this.inTurn(real, async () => {
        await this.watch?.willWrite(real);
        // Half a character can be written nowhere.
        await this.change(real, content.toWellFormed(), withdrawn);
        await this.watch?.hasWritten(real);
      });
    });
  }

  /** Brings what another program wrote into a buffer with unsaved changes, which stay unsaved. */
  async changedOnDisk(real: string): Promise<void> {
    await this.inTurn(real, () => this.buffers.catchUp(real));
  }

  async list(folder: string): Promise<readonly FolderEntry[]> {
    const { real, isInside } = await this.find(folder);
    await this.consent.toRead(real, isInside);
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

  private async change(real: string, content: string, withdrawn: AbortSignal): Promise<void> {
    let wish: TextWish = { text: content };
    await this.refuseSwap(real);
    for (let tries = 0; tries < maxTries; tries += 1) {
      const buffer = await this.bufferOf(real);
      if (!buffer) {
        await writeText(real, wish.text);
        this.formatted.delete(real);
        return this.remember(real, content, wish.text);
      }
      refuseTrouble(real, buffer);
      if (buffer.isModified && !buffer.isCurrent && !(await this.buffers.agree(real, withdrawn))) {
        throw disagreement(real);
      }
      const sides = await this.sidesOf(real, buffer, wish);
      const lines = mergedLines(sides.regions);
      if (!lines) {
        wish = { text: await this.settle(real, sides, withdrawn), base: sides.ours.lines };
        tries = 0;
      } else if (await this.put(real, buffer, { ...sides.theirs, lines, isEnded: endsLine(lines, sides) })) {
        if (!wish.base && !sameLines(lines, sides.theirs.lines)) this.sayMerged(real);
        return this.remember(real, content, textOf({ ...sides.theirs, lines }));
      }
    }
    throw tooFast(real);
  }

  /** False when the buffer was changed meanwhile. */
  private async put(real: string, buffer: BufferText, after: Document): Promise<boolean> {
    const { status, reason, formatted } = await changeBuffer(this.editor, buffer, after);
    if (status === 'failed') throw new AcpError('file_error', `${real} was not written: ${reason}`);
    if (formatted) this.formatted.set(real, textOf({ ...after, lines: formatted }));
    else if (status === 'saved') this.formatted.delete(real);
    return status !== 'changed';
  }

  private async sidesOf(real: string, buffer: BufferText, wish: TextWish): Promise<Sides> {
    if (wish.base) return sidesBetween(buffer, wish.base, wish.text);
    const disk = buffer.isApart ? undefined : await readText(real);
    // A buffer nobody typed in is only a picture of the file, which may be newer.
    const ours = buffer.isModified || disk === undefined ? buffer : documentOf(disk, buffer.ending);
    const base = documentOf(this.seen.get(real) ?? disk ?? textOf(ours), buffer.ending).lines;
    const known = this.formatted.get(real);
    if (known === undefined) return sidesBetween({ ...ours, ending: buffer.ending }, base, wish.text);
    const formatted = documentOf(known, buffer.ending).lines;
    const theirs = documentOf(wish.text, buffer.ending);
    const text = textOf({ ...theirs, lines: await reformatted(formatted, base, theirs.lines) });
    return sidesBetween({ ...ours, ending: buffer.ending }, formatted, text);
  }

  private async settle(
    real: string,
    { ours, theirs, regions }: Sides,
    withdrawn: AbortSignal,
  ): Promise<string> {
    const isAsked = this.place.settle && (await mayAsk(this.editor));
    const conflict = { path: real, cause: 'agent', ours: ours.lines, theirs: theirs.lines, regions } as const;
    const lines = isAsked ? await this.place.settle?.(conflict, withdrawn) : undefined;
    if (lines) return textOf({ ...theirs, lines, isEnded: theirs.isEnded && lines.length > 0 });
    const why = isAsked ? 'and wants to keep theirs' : 'since it was read';
    throw new AcpError('file_error', `the user has changed the same lines of ${real} ${why}; read it again`);
  }

  private sayMerged(real: string): void {
    this.place.say?.(`Merged with your unsaved changes in ${path.basename(real)}.`);
  }

  // What the agent knows is what it wrote, not what the user has beside that.
  private remember(real: string, content: string, written: string): void {
    this.seen.set(real, content);
    this.buffers.wrote(real, this.formatted.get(real) ?? written);
  }

  private learn(real: string, text: string): void {
    this.seen.set(real, text);
    this.formatted.delete(real);
  }

  private async glimpse(real: string, text: string, range: LineRange): Promise<void> {
    const last = this.seen.get(real);
    const known = last ?? this.buffers.baseOf(real);
    const seen = known === undefined || known === text ? text : await glimpsed(known, text, range);
    // What was written meanwhile is what the agent knows.
    if (this.seen.get(real) === last) this.seen.set(real, seen);
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

/** What a file is to be, and what its buffer was when that was decided. */
interface TextWish {
  readonly text: string;
  readonly base?: readonly string[];
}

interface Sides {
  readonly ours: Document;
  readonly theirs: Document;
  readonly regions: readonly Region[];
}

const never = new AbortController().signal;

async function sidesBetween(ours: Document, base: readonly string[], text: string): Promise<Sides> {
  const theirs = documentOf(text, ours.ending);
  return { ours, theirs, regions: await merge(ours.lines, base, theirs.lines) };
}

function endsLine(lines: readonly string[], { theirs }: Sides): boolean {
  return lines.length > 0 && theirs.isEnded;
}

// Fewer lines than were asked for are all there are.
function isAll(text: string, limit: number | undefined): boolean {
  return limit === undefined || text.split('\n').length <= limit;
}

function noFile(file: string): AcpError {
  return new AcpError('not_found', `there is no file ${file}`);
}

function disagreement(real: string): AcpError {
  const message = `the user has unsaved text in ${real} that contradicts what is on disk`;
  return new AcpError('file_error', `${message}; it was not written`);
}

function tooFast(real: string): AcpError {
  return new AcpError('file_error', `${real} changes faster than it can be written; try again`);
}

function refuseTrouble(real: string, buffer: BufferText): void {
  if (buffer.trouble !== undefined) throw new AcpError('file_error', `${real} ${buffer.trouble}`);
  if (!buffer.isLegible) {
    throw new AcpError(
      'file_error',
      `${real} is open with bytes that are no UTF-8; it can't be changed there`,
    );
  }
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
