import fs from 'node:fs/promises';
import type { FileContent } from '../files/file-content.ts';
import type { FileRecords } from '../files/file-record.ts';

/** Derives the original content of a file from its content on disk, which the agent may have changed already. */
export type OriginalFrom = (disk: FileContent) => FileContent;

/** Some file systems round times down. */
const coarsestMs = 20;

/** The content of files that the agent touches while the snapshot of its turn is still being taken. */
export class EarlyContents {
  private readonly records: FileRecords;
  private readonly read: (file: string) => Promise<FileContent>;
  private isPending = false;
  /** When the prompt was sent, if that was before the snapshot was complete. */
  private sentAt: number | undefined;

  /** `read` gives the content of a file on disk. */
  constructor(records: FileRecords, read: (file: string) => Promise<FileContent>) {
    this.records = records;
    this.read = read;
  }

  /** From here on the agent may write before the snapshot is complete. */
  allow(): void {
    this.isPending = true;
    this.sentAt = undefined;
  }

  /** From here on the agent may change files that nothing names. */
  allowUnseen(now: number): void {
    if (this.isPending) this.sentAt = now;
  }

  /** Whether a file that has changed may have been changed by the agent, though nothing names it. */
  async isUnseen(file: string): Promise<boolean> {
    const { sentAt } = this;
    if (sentAt === undefined) return false;
    const stat = await fs.lstat(file).catch(() => undefined);
    return !stat || stat.ctimeMs >= sentAt - coarsestMs;
  }

  /** Adds the content that a file had in the snapshot before, unless a later one is recorded already. */
  add(file: string, content: Promise<FileContent>): void {
    // Whoever takes it handles a failure.
    content.catch(() => undefined);
    this.records.get(file).earlyContent ??= content;
  }

  /** Whether the agent may write although the snapshot of its turn is not complete. */
  get isSnapshotPending(): boolean {
    return this.isPending;
  }

  has(file: string): boolean {
    return this.records.find(file)?.earlyContent !== undefined;
  }

  /** Records the content of a file before the agent changes it, unless it is recorded already. */
  async note(file: string, from: OriginalFrom): Promise<void> {
    const record = this.records.get(file);
    const content = record.earlyContent ?? this.read(file).then(from);
    if (this.isPending) record.earlyContent = content;
    await content;
  }

  /** The recorded contents, once, when the snapshot is complete. */
  take(): readonly (readonly [file: string, content: Promise<FileContent>])[] {
    this.isPending = false;
    this.sentAt = undefined;
    return this.records.all().flatMap((record) => {
      const { path, earlyContent } = record;
      record.earlyContent = undefined;
      return earlyContent ? [[path, earlyContent] as const] : [];
    });
  }

  /** Resolves when no content is being read. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.records.all().map(({ earlyContent }) => earlyContent));
  }
}
