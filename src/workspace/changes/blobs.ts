import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';

/** Contents by what they are, in a folder. */
export class Blobs {
  private readonly folder: string;
  /** One content is written once, also when it comes from two files at a time. */
  private readonly written = new Map<string, Promise<void>>();

  constructor(folder: string) {
    this.folder = folder;
  }

  async put(content: Buffer): Promise<string> {
    const id = createHash('sha1').update(content).digest('hex');
    const written = this.written.get(id) ?? this.write(id, content);
    this.written.set(id, written);
    await written;
    return id;
  }

  get(id: string): Promise<Buffer> {
    return fs.readFile(this.file(id));
  }

  private async write(id: string, content: Buffer): Promise<void> {
    const file = this.file(id);
    await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    // Written beside and renamed: a blob that is there is whole.
    const draft = `${file}.${process.pid}`;
    await fs.writeFile(draft, content, { mode: 0o600 });
    await fs.rename(draft, file);
  }

  private file(id: string): string {
    return path.join(this.folder, id.slice(0, 2), id.slice(2));
  }
}
