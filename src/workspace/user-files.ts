import fs from 'node:fs/promises';
import { messageOf } from '../base/errors.ts';
import { mediaProbeBytes, mediaTypeOf } from '../media/media-type.ts';
import type { LineRange } from '../model/prompt.ts';
import type { Editor } from '../ports/editor.ts';
import type { SourceFile } from '../ports/prompt-sources.ts';
import { readBuffer } from './files/buffer.ts';
import { fileError, isMissing, readText } from './files/disk.ts';
import { decode, encodingOf, sliceLines, textOf } from './files/document.ts';
import { codeOf, withFile } from './files/held-folder.ts';

/** The largest file that is read. */
interface SizeLimits {
  readonly text: number;
  readonly media: number;
}

const probeBytes = 8 * 1024;

/**
 * Reads files that the user names in a prompt, as the user sees them: the text of the buffer, else of the disk. The user
 * named them, so they are not asked about, wherever they are.
 */
export class UserFiles {
  private readonly editor: Editor;
  private readonly limits: SizeLimits;

  constructor(editor: Editor, limits: SizeLimits) {
    this.editor = editor;
    this.limits = limits;
  }

  async read(file: string, range?: LineRange): Promise<SourceFile> {
    try {
      const real = await fs.realpath(file).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
      // The buffer of a picture has no useful text.
      const media = real === undefined ? undefined : await this.readMedia(real);
      if (media) return media;
      // A buffer may have a file that is not written yet.
      const buffer = await readBuffer(this.editor, { path: real ?? file });
      if (buffer) return asText(linesIn(textOf({ ...buffer, ending: '\n', hasBom: false }), range));
      return real === undefined ? { kind: 'missing' } : await this.readDisk(real, range);
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

  /** A picture or a sound, by its content: the name of a file may be wrong. */
  private async readMedia(file: string): Promise<SourceFile | undefined> {
    return withFile(file, async (handle, { size }): Promise<SourceFile | undefined> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(mediaProbeBytes), 0, mediaProbeBytes, 0);
      if (!mediaTypeOf(buffer.subarray(0, bytesRead))) return undefined;
      if (size > this.limits.media) return { kind: 'large', size };
      return { kind: 'bytes', bytes: await readWhole(handle, size) };
      // Whoever reads the file as a text reports the failure.
    }).catch(() => undefined);
  }

  private async readDisk(file: string, range: LineRange | undefined): Promise<SourceFile> {
    if ((await fs.stat(file)).isDirectory()) return { kind: 'folder' };
    try {
      return await withFile(file, async (handle, { size }): Promise<SourceFile> => {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(probeBytes), 0, probeBytes, 0);
        if (isBinary(buffer.subarray(0, bytesRead))) return { kind: 'binary', size };
        if (range) {
          const text = await this.readLines(file, range);
          return text === undefined ? { kind: 'large', size } : asText(text);
        }
        if (size > this.limits.text * 4) return { kind: 'large', size };
        return asText(decode(await handle.readFile()));
      });
    } catch (error) {
      throw fileError(file, error);
    }
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

function asText(text: string): SourceFile {
  return { kind: 'text', text, size: Buffer.byteLength(text) };
}

function linesIn(text: string, range: LineRange | undefined): string {
  return range ? sliceLines(text, range.first, range.last - range.first + 1) : text;
}

function isBinary(bytes: Buffer): boolean {
  return bytes.includes(0) && !encodingOf(bytes).startsWith('utf-16');
}
