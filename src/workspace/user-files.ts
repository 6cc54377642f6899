import fs from 'node:fs/promises';
import { messageOf } from '../base/errors.ts';
import { mediaTypeOf } from '../media/media-type.ts';
import type { LineRange } from '../model/prompt.ts';
import type { Editor } from '../ports/editor.ts';
import type { SourceFile } from '../ports/prompt-sources.ts';
import { BufferReader } from './buffer-reader.ts';
import { fileError, isMissing, readText } from './files/disk.ts';
import { decode, documentOf, encodingOf, sliceLines, textOf } from './files/document.ts';
import { codeOf, withFile } from './files/held-folder.ts';

/** The largest file that is read. */
interface SizeLimits {
  readonly text: number;
  readonly media: number;
}

const probeBytes = 8 * 1024;

interface OpenedFile {
  readonly file: string;
  readonly handle: fs.FileHandle;
  readonly size: number;
  /** Its first bytes. */
  readonly start: Buffer;
}

/**
 * Reads files that the user names in a prompt, as the user sees them: the text of the buffer, else of the disk. The user
 * named them, so they are not asked about, wherever they are.
 */
export class UserFiles {
  private readonly editor: Editor;
  private readonly buffers: BufferReader;
  private readonly limits: SizeLimits;

  constructor(editor: Editor, limits: SizeLimits) {
    this.editor = editor;
    this.buffers = new BufferReader(editor);
    this.limits = limits;
  }

  async read(file: string, range?: LineRange): Promise<SourceFile> {
    try {
      const real = await fs.realpath(file).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
      if (real !== undefined) return await this.readExisting(real, range);
      // A buffer may have a file that is not written yet.
      return (await this.readUnsaved(file, range)) ?? { kind: 'missing' };
    } catch (error) {
      return { kind: 'unreadable', reason: messageOf(error) };
    }
  }

  /** Which of these paths there is a file, a folder or a buffer for. It never rejects. */
  async findExisting(paths: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await Promise.all(
      paths.map((file) =>
        fs.stat(file).then(
          () => file,
          () => undefined,
        ),
      ),
    );
    const existing = new Set(found.filter((file) => file !== undefined));
    if (existing.size === paths.length) return existing;
    // A buffer may have a file that is not written yet.
    const open = await this.editor.call('buffer.files', {}).catch(() => []);
    for (const { path } of open) existing.add(path);
    return existing;
  }

  private async readExisting(file: string, range: LineRange | undefined): Promise<SourceFile> {
    try {
      return await withFile(file, (handle, { size }) => this.readOpened(file, handle, size, range));
    } catch (error) {
      if (codeOf(error) === 'EISDIR') return { kind: 'folder' };
      // Neovim may have read what the host can't.
      const text = await this.readUnsaved(file, range);
      if (text) return text;
      throw fileError(file, error);
    }
  }

  private async readOpened(
    file: string,
    handle: fs.FileHandle,
    size: number,
    range: LineRange | undefined,
  ): Promise<SourceFile> {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(probeBytes), 0, probeBytes, 0);
    const start = buffer.subarray(0, bytesRead);
    // A picture or a sound, by its content: the name of a file may be wrong. Its buffer has no useful text.
    if (mediaTypeOf(start)) {
      if (size > this.limits.media) return { kind: 'large', size };
      return { kind: 'bytes', bytes: await readWhole(handle, size) };
    }
    const opened = { file, handle, size, start };
    const text = await this.readBuffer(file);
    if (text === undefined) return await this.readText(opened, range);
    if (range) return asText(linesIn(text, range));
    const saved = await this.readText(opened, undefined);
    const isSaved = saved.kind === 'text' && withPlainEnds(saved.text) === text;
    return { ...asText(text), ...(!isSaved && { isUnsaved: true }) };
  }

  /** What only Neovim has. */
  private async readUnsaved(file: string, range: LineRange | undefined): Promise<SourceFile | undefined> {
    const text = await this.readBuffer(file);
    return text === undefined ? undefined : { ...asText(linesIn(text, range)), isUnsaved: true };
  }

  private async readBuffer(file: string): Promise<string | undefined> {
    const buffer = await this.buffers.read(file);
    return buffer && textOf({ ...buffer, ending: '\n', hasBom: false });
  }

  private async readText(
    { file, handle, size, start }: OpenedFile,
    range: LineRange | undefined,
  ): Promise<SourceFile> {
    if (isBinary(start)) return { kind: 'binary', size };
    if (range) {
      const text = await this.readLines(file, range);
      return text === undefined ? { kind: 'large', size } : asText(text);
    }
    if (size > this.limits.text * 4) return { kind: 'large', size };
    return asText(decode(start.length < probeBytes ? start : await handle.readFile()));
  }

  /** Undefined if the lines are too long. */
  private async readLines(file: string, { first, last }: LineRange): Promise<string | undefined> {
    try {
      return (await readText(file, first, last - first + 1, this.limits.text * 4)) ?? '';
    } catch (error) {
      if (codeOf(error instanceof Error ? error.cause : error) === 'ERR_STRING_TOO_LONG') return undefined;
      throw error;
    }
  }
}

// The file position has moved, and the file may grow meanwhile.
async function readWhole(handle: fs.FileHandle, size: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0);
  return buffer.subarray(0, bytesRead);
}

/** The text as that of a buffer. */
function withPlainEnds(text: string): string {
  return textOf({ ...documentOf(text), ending: '\n', hasBom: false });
}

function asText(text: string): SourceFile & { kind: 'text' } {
  return { kind: 'text', text, size: Buffer.byteLength(text) };
}

function linesIn(text: string, range: LineRange | undefined): string {
  return range ? sliceLines(text, range.first, range.last - range.first + 1) : text;
}

function isBinary(bytes: Buffer): boolean {
  return bytes.includes(0) && !encodingOf(bytes).startsWith('utf-16');
}
