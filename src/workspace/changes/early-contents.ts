import type { FileContent } from '../files/file-content.ts';
import type { FileRecords } from '../files/file-record.ts';

/** Derives the original content of a file from its content on disk, which the agent may have changed already. */
export type OriginalFrom = (disk: FileContent) => FileContent;

/** The content of files that the agent touches while the snapshot of its turn is still being taken. */
export class EarlyContents {
  private readonly records: FileRecords;
  private readonly read: (file: string) => Promise<FileContent>;
  private isPending = false;

  /** `read` gives the content of a file on disk. */
  constructor(records: FileRecords, read: (file: string) => Promise<FileContent>) {
    this.records = records;
    this.read = read;
  }

  /** From here on the agent may write before the snapshot is complete. */
  allow(): void {
    this.isPending = true;
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
