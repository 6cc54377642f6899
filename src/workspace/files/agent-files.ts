import fs from 'node:fs/promises';
import { AcpError } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import { KeyedQueues } from '../../base/serial-queue.ts';
import type { Editor } from '../../ports/editor.ts';
import type { FilePut, FileRead, FileService, FileWrite, FolderEntry, QueueRead } from '../../ports/files.ts';
import type { WorkspaceOptions } from '../../ports/workspace.ts';
import type { BufferText, WriteTarget } from './buffer.ts';
import type { BufferSync } from './buffer-sync.ts';
import { BufferWrites, type WriteOutcome } from './buffer-writes.ts';
import { fileError, isMissing, readText } from './disk.ts';
import { sliceLines, textOf } from './document.ts';
import { FileConsent } from './file-consent.ts';
import type { FileRecord, FileRecords } from './file-record.ts';
import { HeldFolder, inFolder } from './held-folder.ts';
import { noteLinesRead, noteRead } from './knowledge/agent-knowledge.ts';
import type { AgentReports } from './knowledge/agent-reports.ts';
import { Roots } from './roots.ts';

/** Called before and after every write. */
export interface WriteObserver {
  /** `readBuffer` gives the buffer of the file, which is read once for the observer and the write. */
  willWrite(record: FileRecord, readBuffer: () => Promise<BufferText | undefined>): Promise<void>;
  hasWritten(record: FileRecord, outcome: WriteOutcome): Promise<void>;
}

interface AgentFilesParts {
  readonly options: WorkspaceOptions;
  readonly editor: Editor;
  readonly records: FileRecords;
  readonly buffers: BufferSync;
  readonly observer?: WriteObserver | undefined;
  readonly reports?: AgentReports | undefined;
}

/** The files of a session as its user sees them: an agent reads unsaved text, and its writes keep that. */
export class AgentFiles implements FileService {
  private readonly parts: AgentFilesParts;
  private readonly roots: Roots;
  private readonly consent: FileConsent;
  private readonly bufferWrites: BufferWrites;
  /** Writes to one name run in order, also while the user is asked for consent. */
  private readonly names = new KeyedQueues();

  constructor(parts: AgentFilesParts) {
    this.parts = parts;
    const { options } = parts;
    this.roots = new Roots([options.cwd, ...options.directories]);
    this.consent = new FileConsent(options);
    this.bufferWrites = new BufferWrites({ ...parts, readBuffer: (record) => this.bufferOf(record) });
  }

  async read(
    { path: file, line, limit, isMissingEmpty, queueRead = atOnce }: FileRead,
    withdrawn?: AbortSignal,
  ): Promise<string> {
    const since = this.parts.options.cancelCount?.();
    const { records } = this.parts;
    const known = records.find(file);
    const early = known && markHandled(queueRead(() => this.currentBufferOf(known)));
    const { real, isInside } = await this.find(file);
    const reason = this.consent.reasonToAskToRead(real, isInside);
    const allow = once(() => reason && this.consent.askToRead(real, reason, { withdrawn, since }));
    // An agent on this machine sees which files exist; another one must not learn it unasked.
    if (!isInside && this.parts.options.isRemote) await allow();
    const record = records.get(real);
    // A path that leads elsewhere now has another buffer.
    const buffer = await (record === known && early ? early : queueRead(() => this.currentBufferOf(record)));
    // The user is not asked about a missing file.
    const isThere = !reason || buffer || (await exists(real));
    if (isThere) await allow();
    const readNow = async () => (buffer ? textOf(buffer) : readText(real, line, limit));
    const text = isThere ? await queueRead(readNow) : undefined;
    if (text === undefined) {
      if (isMissingEmpty) return '';
      throw noSuchFile(file);
    }
    const shown = buffer ? sliceLines(text, line, limit) : text;
    if (line === 1 && isAll(shown, limit)) noteRead(record, shown);
    else if (buffer) await noteLinesRead(record, text, { line, limit });
    return shown;
  }

  // Queued by the given name, so that writes stay in order, and by the real path, which several names may lead to.
  write({ path: file, content }: FileWrite, withdrawn = never): Promise<void> {
    const since = this.parts.options.cancelCount?.();
    return this.names.run(file, async () => {
      const { real, isInside } = await this.find(file);
      await this.consent.toWrite(real, content, isInside, { withdrawn, since });
      const record = this.parts.records.get(real);
      const { reports } = this.parts;
      await reports?.settled();
      // A lone surrogate has no encoding in UTF-8.
      const text = content.toWellFormed();
      await record.changes.run(async () => {
        await reports?.learnBase(record, file, text);
        await this.writeRecord(record, text, withdrawn);
      });
    });
  }

  /** Like a write of the agent, which afterwards knows as much as before. */
  put({ path: file, content, basis }: FilePut): Promise<void> {
    const since = this.parts.options.cancelCount?.();
    return this.names.run(file, async () => {
      const { real, isInside } = await this.find(file);
      await this.consent.toWrite(real, content, isInside, { withdrawn: never, since });
      const record = this.parts.records.get(real);
      await record.changes.run(async () => {
        const { agentText, formattedText, earlierTexts } = record;
        if (basis !== undefined) noteRead(record, basis);
        try {
          await this.writeRecord(record, content.toWellFormed(), never);
        } finally {
          Object.assign(record, { agentText, formattedText, earlierTexts });
        }
      });
    });
  }

  private async writeRecord(record: FileRecord, text: string, withdrawn: AbortSignal): Promise<void> {
    const { observer } = this.parts;
    this.bufferWrites.announce(record, text);
    const readTarget = once(() => this.writeTargetOf(record));
    await observer?.willWrite(record, async () => (await readTarget()).buffer);
    const { buffer, otherEditor } = await readTarget();
    if (otherEditor) throw openElsewhere(record.path, otherEditor.pid);
    const outcome = await this.bufferWrites.write(record, text, buffer, withdrawn);
    await observer?.hasWritten(record, outcome);
  }

  /** Merges what another program wrote into a buffer with unsaved changes, which stay unsaved. */
  async changedOnDisk(real: string): Promise<void> {
    await this.sync(this.parts.records.get(real));
  }

  async list(folder: string): Promise<readonly FolderEntry[]> {
    const since = this.parts.options.cancelCount?.();
    const { real, isInside } = await this.find(folder);
    const reason = this.consent.reasonToAskToRead(real, isInside);
    if (reason) await this.consent.askToRead(real, reason, { since });
    try {
      const entries = await inFolder(await HeldFolder.hold(real), (held) =>
        fs.readdir(held.at('.'), { withFileTypes: true }),
      );
      return entries.map((entry) => ({ name: entry.name, type: entry.isDirectory() ? 'directory' : 'file' }));
    } catch (error) {
      throw fileError(folder, error);
    }
  }

  private async find(file: string) {
    if (file.includes('\0')) throw new AcpError('bad_params', 'path must have no NUL in it');
    try {
      return await this.roots.resolve(file);
    } catch (error) {
      throw fileError(file, error);
    }
  }

  private sync(record: FileRecord): Promise<void> {
    return record.changes.run(() => this.parts.buffers.syncWithDisk(record));
  }

  /** The buffer of a file, after it was synchronised with a newer file. */
  private async currentBufferOf(record: FileRecord): Promise<BufferText | undefined> {
    const buffer = await this.bufferOf(record);
    if (!buffer || buffer.isCurrent || !buffer.isLegible) return buffer;
    await this.sync(record);
    return this.bufferOf(record);
  }

  private async bufferOf(record: FileRecord): Promise<BufferText | undefined> {
    const { buffers, options } = this.parts;
    const buffer = await buffers.read(record, { watcher: options.chat });
    if (buffer) await buffers.noteBase(record, buffer);
    return buffer;
  }

  private async writeTargetOf(record: FileRecord): Promise<WriteTarget> {
    const { buffers, options } = this.parts;
    const target = await buffers.readWriteTarget(record, { watcher: options.chat });
    if (target.buffer) await buffers.noteBase(record, target.buffer);
    return target;
  }
}

const never = new AbortController().signal;
const atOnce: QueueRead = (read) => read();

// If fewer lines came than were asked for, the file has no more.
function isAll(text: string, limit: number | undefined): boolean {
  return limit === undefined || text.split('\n').length <= limit;
}

/** Marks a rejection as handled, for a promise that may never be awaited. Whoever awaits it still gets the rejection. */
function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function noSuchFile(file: string): AcpError {
  return new AcpError('not_found', `there is no file ${file}`);
}

function openElsewhere(file: string, pid: number): AcpError {
  const message = `${file} is open with unsaved changes in another Neovim (process ${pid})`;
  return new AcpError('file_error', `${message}; it was not written`);
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
