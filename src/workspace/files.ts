import fs from 'node:fs/promises';
import path from 'node:path';
import { AcpError } from '../errors.ts';
import type { Editor, FileRead, FileService, FileWrite, FolderEntry, WorkPlace } from '../ports.ts';
import { fileError, readText, writeText } from './disk.ts';
import { editsBetween } from './edits.ts';
import { merge, mergedLines } from './merge.ts';
import { Roots } from './roots.ts';
import { type Document, documentOf, sliceLines, textOf } from './text.ts';

/** A buffer as Lua tells it. */
interface BufferText extends Document {
  readonly buf: number;
  readonly tick: number;
  readonly bytes: number;
  readonly isModified: boolean;
  readonly trouble?: string;
}

const maxTries = 10;

/** Files as the user sees them: what is in a buffer counts, what they have typed there stays. */
export class Files implements FileService {
  private readonly place: WorkPlace;
  private readonly editor: Editor;
  private readonly roots: Roots;
  /** The text of each file that the agent last saw. */
  private readonly seen = new Map<string, string>();
  /** Folders outside of its own that the user let the agent into. */
  private readonly granted = new Set<string>();
  /** The end of the last change of each file: one waits for the other. */
  private readonly writes = new Map<string, Promise<void>>();

  constructor(place: WorkPlace, editor: Editor) {
    this.place = place;
    this.editor = editor;
    this.roots = new Roots([place.cwd, ...place.directories]);
  }

  async read(
    { path: file, line, limit, isMissingEmpty }: FileRead,
    withdrawn?: AbortSignal,
  ): Promise<string> {
    const { real, isInside } = await this.find(file);
    const buffer = await this.bufferOf(real);
    if (!buffer && !(await exists(real))) {
      if (isMissingEmpty) return '';
      throw new AcpError('not_found', `there is no file ${file}`);
    }
    if (!isInside) await this.ask('read', real, withdrawn);
    const isWhole = line === 1 && limit === undefined;
    const text = buffer ? textOf(buffer) : await readText(real, line, limit);
    if (text === undefined) throw new AcpError('not_found', `there is no file ${file}`);
    if (buffer || isWhole) this.seen.set(real, text);
    return buffer ? sliceLines(text, line, limit) : text;
  }

  // By the name that was given, so that they stay in order, and by where it leads, which another name may too.
  write({ path: file, content }: FileWrite, withdrawn?: AbortSignal): Promise<void> {
    return this.inTurn(`name ${file}`, async () => {
      const { real, isInside } = await this.find(file);
      if (!isInside) await this.ask('edit', real, withdrawn);
      await this.inTurn(real, () => this.change(real, content));
    });
  }

  async list(folder: string): Promise<readonly FolderEntry[]> {
    const { real, isInside } = await this.find(folder);
    if (!isInside) await this.ask('read', real);
    try {
      const entries = await fs.readdir(real, { withFileTypes: true });
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

  private async change(real: string, content: string): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const buffer = await this.bufferOf(real);
      if (!buffer) {
        await writeText(real, content);
        this.seen.set(real, content);
        return;
      }
      if (await this.changeBuffer(real, buffer, content)) return;
    }
    throw new AcpError('file_error', `${real} changes faster than it can be written; try again`);
  }

  /** False when the buffer was changed meanwhile. */
  private async changeBuffer(real: string, buffer: BufferText, content: string): Promise<boolean> {
    refuseTrouble(real, buffer);
    const after = await this.mergeInto(real, buffer, content);
    const edits = editsBetween(buffer.lines, after.lines);
    const { ending, isEnded, hasBom, lines } = after;
    const { buf, tick } = buffer;
    const isEmpty = lines.length === 0;
    const change = { buf, tick, edits, isEmpty, ending, isEnded, hasBom };
    const answer = await this.editor.call('buffer.change', change);
    const { status, reason } = answer as { status: string; reason?: string };
    if (status === 'changed') return false;
    if (status === 'failed') throw new AcpError('file_error', `${real} was not written: ${reason}`);
    this.seen.set(real, textOf(after));
    return true;
  }

  private async mergeInto(real: string, buffer: BufferText, content: string): Promise<Document> {
    const theirs = documentOf(content, buffer.ending);
    const disk = await readText(real);
    // A buffer nobody typed in is only a picture of the file, which may be newer.
    const ours = buffer.isModified || disk === undefined ? buffer : documentOf(disk, buffer.ending);
    const base = documentOf(this.seen.get(real) ?? disk ?? textOf(ours), buffer.ending);
    const lines = mergedLines(merge(ours.lines, base.lines, theirs.lines));
    if (!lines) {
      throw new AcpError(
        'file_error',
        `the user has changed the same lines of ${real} since it was read; read it again`,
      );
    }
    return { ...theirs, lines, isEnded: lines.length > 0 && theirs.isEnded };
  }

  private async find(file: string) {
    if (file.includes('\0')) throw new AcpError('bad_params', 'path must have no NUL in it');
    try {
      return await this.roots.find(file);
    } catch (error) {
      throw fileError(file, error);
    }
  }

  private async ask(kind: 'read' | 'edit', real: string, withdrawn?: AbortSignal): Promise<void> {
    const folder = path.dirname(real);
    const grant = `${kind} ${folder}`;
    if (this.granted.has(grant)) return;
    const isGranted = await this.place.consent({
      kind,
      subject: real,
      reason: 'This is outside of the folders of the session.',
      always: { name: `Allow all in ${folder} for this session`, remember: () => this.granted.add(grant) },
      withdrawn,
    });
    if (!isGranted) throw new AcpError('denied', `the user did not allow to ${kind} ${real}`);
  }

  private async bufferOf(real: string): Promise<BufferText | undefined> {
    return ((await this.editor.call('buffer.read', { path: real })) as BufferText | null) ?? undefined;
  }
}

function refuseTrouble(real: string, { trouble, lines, bytes }: BufferText): void {
  if (trouble !== undefined) throw new AcpError('file_error', `${real} ${trouble}`);
  const known = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  if (known !== bytes && lines.length > 0) {
    throw new AcpError(
      'file_error',
      `${real} is open with bytes that are no UTF-8; it can't be changed there`,
    );
  }
}

async function exists(file: string): Promise<boolean> {
  return fs.stat(file).then(
    () => true,
    () => false,
  );
}
