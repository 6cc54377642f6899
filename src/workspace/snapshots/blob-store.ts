import { createHash } from 'node:crypto';
import path from 'node:path';
import { loadRegularFile } from '../../system/files/regular-file.ts';
import { replaceFile } from '../../system/files/replace-file.ts';

const maxBytes = 1024 ** 3;

/** Stores file contents in a folder, each content once, under the hash of its bytes. */
export class BlobStore {
  private readonly folder: string;
  /** Writes by id: the same content is written only once, also when two files have it at the same time. */
  private readonly writes = new Map<string, Promise<void>>();

  constructor(folder: string) {
    this.folder = folder;
  }

  async put(content: Buffer): Promise<string> {
    const id = createHash('sha1').update(content).digest('hex');
    const written = this.writes.get(id) ?? replaceFile(this.file(id), content);
    this.writes.set(id, written);
    try {
      await written;
    } catch (error) {
      // The disk may have room again next time.
      this.writes.delete(id);
      throw error;
    }
    return id;
  }

  get(id: string): Promise<Buffer> {
    return loadRegularFile(this.file(id), maxBytes);
  }

  private file(id: string): string {
    return path.join(this.folder, id.slice(0, 2), id.slice(2));
  }
}
