import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Log } from '../../ports/log.ts';

const maxName = 60;
/** Of all files that an agent makes in one chat, in bytes. */
const maxReceived = 200 * 1024 * 1024;

/** Keeps attachments that no other file has, in a folder beside the journal of their chat. */
export class AttachmentFiles {
  readonly folder: string;
  private readonly log: Log;
  private readonly writing = new Set<Promise<void>>();
  private readonly received = new Set<string>();
  private receivedBytes = 0;
  private isEnded = false;

  constructor(folder: string, log: Log) {
    this.folder = folder;
    this.log = log;
  }

  /** Writes a file that only the user may read; the same content is written once. Undefined if that fails. */
  keep(name: string, bytes: Uint8Array): string | undefined {
    const file = this.fileOf(name, bytes);
    try {
      if (fs.existsSync(file)) return file;
      fs.mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      fs.writeFileSync(file, bytes, { mode: 0o600, flag: 'wx' });
      return file;
    } catch (error) {
      this.log.error(`could not keep the attachment ${file}`, error);
      return undefined;
    }
  }

  /** Like `keep`, but the file is written afterwards. Undefined if the chat has received too much or has ended. */
  keepLater(name: string, bytes: Uint8Array): string | undefined {
    const file = this.fileOf(name, bytes);
    if (this.received.has(file)) return file;
    if (this.isEnded || this.receivedBytes + bytes.length > maxReceived) return undefined;
    this.received.add(file);
    this.receivedBytes += bytes.length;
    const written = this.write(file, bytes)
      .catch((error: unknown) => this.log.error(`could not keep the attachment ${file}`, error))
      .finally(() => this.writing.delete(written));
    this.writing.add(written);
    return file;
  }

  /** Resolves when every file so far is written. */
  async written(): Promise<void> {
    await Promise.all(this.writing);
  }

  /** Resolves when every file is written. Nothing is written afterwards. */
  async end(): Promise<void> {
    this.isEnded = true;
    await this.written();
  }

  private fileOf(name: string, bytes: Uint8Array): string {
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
    return path.join(this.folder, `${hash}-${safeName(name)}`);
  }

  // A host that is killed meanwhile leaves no incomplete file under the final name.
  private async write(file: string, bytes: Uint8Array): Promise<void> {
    if (fs.existsSync(file)) return;
    await fs.promises.mkdir(this.folder, { recursive: true, mode: 0o700 });
    const part = `${file}.part`;
    await fs.promises.writeFile(part, bytes, { mode: 0o600 });
    await fs.promises.rename(part, file);
  }
}

export function attachmentsFolder(journal: string): string {
  return journal.replace(/(\.jsonl)?$/, '.attachments');
}

/** The end of a name tells more than its beginning. */
function safeName(name: string): string {
  return (
    name
      .replace(/[^\w.-]+/g, '-')
      .replace(/^[.-]+/, '')
      .slice(-maxName) || 'attachment'
  );
}
