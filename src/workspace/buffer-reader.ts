import type { Editor } from '../ports/editor.ts';
import { type BufferText, bufferFrom } from './files/buffer.ts';

interface Waiting {
  readonly path: string;
  resolve(buffer: BufferText | undefined): void;
  reject(error: unknown): void;
}

const maxPaths = 100;

/** Reads the buffers of many files: what is asked for while a request runs goes into the next one. */
export class BufferReader {
  private readonly editor: Editor;
  private waiting: Waiting[] = [];
  private isReading = false;

  constructor(editor: Editor) {
    this.editor = editor;
  }

  /** The loaded buffer of a file at a real path. */
  read(path: string): Promise<BufferText | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ path, resolve, reject });
      // The promise of `readAll` never rejects.
      if (!this.isReading) void this.readAll();
    });
  }

  private async readAll(): Promise<void> {
    this.isReading = true;
    // Others that ask at the same time go into the first request too.
    await Promise.resolve();
    while (this.waiting.length > 0) await this.readSome(this.waiting.splice(0, maxPaths));
    this.isReading = false;
  }

  private async readSome(some: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.editor.call('buffer.read_all', { paths: some.map(({ path }) => path) });
      if (answers.length === 0) throw new Error('Neovim did not answer');
      // Neovim answers as many as it can read in a moment.
      this.waiting.unshift(...some.slice(answers.length));
      for (const [index, { buffer }] of answers.entries()) {
        const { path, resolve } = some[index]!;
        resolve(bufferFrom(buffer, { path }, undefined));
      }
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }
}
