import { AcpError } from '../../base/errors.ts';
import { sleep } from '../../base/timeout.ts';
import { sameLines } from '../../diff/hunks.ts';
import { merge, mergedLines } from '../../diff/merge.ts';
import type { Editor } from '../../ports/editor.ts';
import type { WorkspaceOptions } from '../../ports/workspace.ts';
import { type BufferText, type ChangeOptions, changeBuffer } from './buffer.ts';
import type { BufferSync } from './buffer-sync.ts';
import { readDisk, readText, timeOf, writeText } from './disk.ts';
import { type Document, documentOf, exactDocumentOf, textOf } from './document.ts';
import type { FileRecord } from './file-record.ts';
import {
  type AgentChange,
  applyChange,
  type ChangedPart,
  conflictRegions,
  diskAfterChoice,
  hasConflict,
  type OpenText,
  partLines,
} from './knowledge/agent-change.ts';
import { keepFormatting, noteRead, noteWritten } from './knowledge/agent-knowledge.ts';

interface BufferWritesParts {
  readonly options: Pick<WorkspaceOptions, 'resolveConflict' | 'refusesConflicts'>;
  readonly editor: Editor;
  readonly buffers: BufferSync;
  readBuffer(record: FileRecord): Promise<BufferText | undefined>;
}

/** The text of a buffer before and after it was changed by an agent. */
export interface BufferRewrite {
  readonly was: string;
  readonly seen: string;
}

/** What a write made of a file and its buffer. */
export interface WriteOutcome {
  /** The text on disk; absent: only Neovim knows it. */
  readonly disk?: string | undefined;
  /** A buffer shows the file and was changed in the same step. */
  readonly isInBuffer: boolean;
  /** The change of a buffer whose unsaved text stays unsaved. */
  readonly rewrite?: BufferRewrite | undefined;
}

/** The texts of a file and its buffer at one time. */
interface State {
  readonly buffer: BufferText;
  /** The time of the file when it was read; empty when there is no file. */
  readonly time: string;
  readonly text: OpenText;
  /** What is on disk; absent: no file, or only Neovim can decode it. */
  readonly disk?: Document;
}

/** The user's choice in a conflict, and the state it was made for. */
interface Choice {
  readonly from: OpenText;
  readonly to: OpenText;
}

const maxTries = 10;
/**
 * Some agents also write the file themselves. If they do so within this time, the user is asked about the disk only.
 */
const graceMs = 150;
const pollMs = 50;

/**
 * Writes the text of an agent to a file that may be open. The agent's change goes to the disk and into the buffer;
 * unsaved text of the user stays in the buffer, unsaved.
 */
export class BufferWrites {
  private readonly parts: BufferWritesParts;

  constructor(parts: BufferWritesParts) {
    this.parts = parts;
  }

  /** An agent is about to write, and may have written the file itself already. */
  announce(record: FileRecord, content: string): void {
    const read = record.agentText;
    if (read !== undefined) record.expected = { text: content, read };
  }

  /** `first`: the buffer of the file as it was just read. */
  async write(
    record: FileRecord,
    content: string,
    first: BufferText | undefined,
    withdrawn: AbortSignal,
  ): Promise<WriteOutcome> {
    let choice: Choice | undefined;
    let read = this.firstBuffer(record, first);
    for (let tries = 0; tries < maxTries; tries += 1) {
      const buffer = await this.currentBuffer(record, read, withdrawn);
      read = undefined;
      const written = documentOf(content, buffer?.ending);
      if (!buffer)
        return this.writeFile(record, content, choice ? textOf(like(written, choice.to.disk)) : content);
      const state = await this.stateOf(record, buffer);
      if (!state) continue;
      const theirs = withUnchangedEnds(written, record.agentText, state.disk);
      const change = await this.changeOf(record, state, theirs);
      const known = textOf(like(theirs, change.read));
      record.expected = { text: content, read: known };
      let plan = choice && (await afterChoice(state.text, choice));
      if (!plan) {
        const parts = await applyChange(state.text, change);
        if (hasConflict(parts)) {
          choice = await this.askUser(
            record.path,
            { state, parts, content, theirs: change.written },
            withdrawn,
          );
          if (choice) tries = 0;
          continue;
        }
        choice = undefined;
        plan = { disk: partLines(parts, 'disk'), buffer: partLines(parts, 'buffer') };
      }
      const done = await this.apply(record.path, state, theirs, plan);
      if (!done) continue;
      const disk = done.formatted ?? textOf(like(theirs, plan.disk));
      if (record.agentText === undefined) noteRead(record, known);
      this.noteWritten(record, content, { disk, formatted: done.formatted });
      if (done.isSaved) record.isMergeNoticed = false;
      else if (done.rewrite && !choice) this.parts.buffers.noticeMerged(record, !buffer.isOpaque);
      return { disk: buffer.isOpaque ? undefined : disk, isInBuffer: true, rewrite: done.rewrite };
    }
    throw new AcpError('file_error', `${record.path} changes too often to be written; try again`);
  }

  private async writeFile(record: FileRecord, content: string, text: string): Promise<WriteOutcome> {
    const before = await writeText(record.path, text);
    noteWritten(record, record.agentText ?? before ?? '');
    noteWritten(record, content);
    record.base = { text, time: '' };
    return { disk: text, isInBuffer: false };
  }

  private noteWritten(
    record: FileRecord,
    content: string,
    { disk, formatted }: { readonly disk: string; readonly formatted: string | undefined },
  ): void {
    noteWritten(record, content, formatted);
    record.base = { text: disk, time: '' };
    record.expected = { text: content, read: content };
  }

  /** The buffer that was read already, unless it was read again since, because something has changed it. */
  private firstBuffer(record: FileRecord, first: BufferText | undefined) {
    return record.buffer === first ? { buffer: first } : undefined;
  }

  private async currentBuffer(
    record: FileRecord,
    read: { readonly buffer: BufferText | undefined } | undefined,
    withdrawn: AbortSignal,
  ): Promise<BufferText | undefined> {
    const { buffers, readBuffer } = this.parts;
    const { buffer } = read ?? { buffer: await readBuffer(record) };
    if (buffer) refuseTrouble(record.path, buffer);
    if (!buffer || buffer.isCurrent) return buffer;
    if (!(await buffers.awaitAgreement(record, withdrawn))) throw disagreement(record.path);
    return readBuffer(record);
  }

  /** Undefined when the file has changed under unsaved text since the buffer was read. */
  private async stateOf(record: FileRecord, buffer: BufferText): Promise<State | undefined> {
    const { lines, ending, isModified } = buffer;
    // Only Neovim can decode the file.
    if (buffer.isOpaque) return { buffer, time: '', text: { disk: lines, buffer: lines } };
    const disk = await readDisk(record.path);
    if (!disk) {
      const base = isModified ? documentOf(record.base?.text ?? '', ending).lines : lines;
      return { buffer, time: '', text: { disk: base, buffer: lines } };
    }
    if (isModified && disk.time !== buffer.time) return undefined;
    const saved = exactDocumentOf(disk.text, ending);
    // The file may be newer than an unmodified buffer.
    return {
      buffer,
      time: disk.time,
      text: { disk: saved.lines, buffer: isModified ? lines : saved.lines },
      disk: saved,
    };
  }

  private async changeOf(
    { agentText, formattedText, earlierTexts }: FileRecord,
    { buffer, text }: State,
    theirs: Document,
  ): Promise<AgentChange> {
    const read = agentText === undefined ? text.disk : documentOf(agentText, buffer.ending).lines;
    const isRepeated = agentText !== undefined && sameLines(read, theirs.lines);
    const earlier = earlierTexts.map((one) => documentOf(one, buffer.ending).lines);
    if (formattedText === undefined) return { read, written: theirs.lines, earlier, isRepeated };
    const known = documentOf(formattedText, buffer.ending).lines;
    return { read: known, written: await keepFormatting(known, read, theirs.lines), earlier, isRepeated };
  }

  /** Undefined when buffer or file have changed meanwhile. */
  private async apply(file: string, { buffer, time, text }: State, theirs: Document, plan: OpenText) {
    const { editor } = this.parts;
    const seen = like(theirs, plan.buffer);
    const rewrite = { was: textOf(buffer), seen: textOf(seen) };
    const isSame = sameLines(plan.disk, text.disk) && sameLines(plan.buffer, buffer.lines);
    const isUnsaved = buffer.isModified && (buffer.isOpaque || !sameLines(plan.disk, plan.buffer));
    if (isUnsaved && isSame) return { isSaved: false };
    const options = optionsFor({ buffer, time, text }, plan, isUnsaved);
    const saved = isUnsaved && !options.isKeptUnsaved ? like(theirs, plan.disk) : seen;
    const { status, reason, formatted } = await changeBuffer(editor, buffer, saved, {
      ...options,
      ...(!buffer.isOpaque && { time }),
    });
    if (status === 'failed') throw new AcpError('file_error', `${file} was not written: ${reason}`);
    if (status === 'changed') return undefined;
    return {
      isSaved: !isUnsaved,
      ...(formatted && { formatted: textOf({ ...seen, lines: formatted }) }),
      ...(isUnsaved && { rewrite }),
    };
  }

  /** Undefined when the agent has written the file itself; the user is then asked about the disk. */
  private async askUser(
    file: string,
    conflict: WriteConflict,
    withdrawn: AbortSignal,
  ): Promise<Choice | undefined> {
    const { options } = this.parts;
    const { state, parts, theirs } = conflict;
    if (!options.resolveConflict || options.refusesConflicts?.()) throw refusal(file, parts);
    const over = new AbortController();
    const written = new AbortController();
    // It never rejects, and ends with `over`.
    void untilWritten(file, conflict, over.signal).then((is) => {
      if (is) written.abort(new AcpError('superseded', `${file} was written by the agent itself`));
    });
    const end = AbortSignal.any([withdrawn, written.signal]);
    try {
      await sleep(graceMs, { signal: end });
      const ours = state.text.buffer;
      const question = { path: file, cause: 'agent', ours, theirs, regions: conflictRegions(parts) } as const;
      const chosen = await options.resolveConflict(question, end);
      if (!chosen) throw rejection(file, parts);
      const to = { disk: await diskAfterChoice(parts, chosen), buffer: chosen };
      return { from: state.text, to };
    } catch (error) {
      if (withdrawn.aborted) throw new AcpError('cancelled', `the write of ${file} was cancelled`);
      if (written.signal.aborted) return undefined;
      throw error;
    } finally {
      over.abort();
    }
  }
}

/** A write in conflict with the user's text. */
interface WriteConflict {
  readonly state: State;
  readonly parts: readonly ChangedPart[];
  /** The whole text the agent writes. */
  readonly content: string;
  readonly theirs: readonly string[];
}

function optionsFor({ buffer, text }: State, plan: OpenText, isUnsaved: boolean): ChangeOptions {
  if (!isUnsaved) return {};
  const isKept = buffer.isOpaque || sameLines(plan.disk, text.disk);
  return isKept ? { isKeptUnsaved: true } : { unsaved: plan.buffer };
}

/** Whether the text has a byte order mark and a last line end, as the disk says where the agent has changed neither. */
function withUnchangedEnds(
  written: Document,
  read: string | undefined,
  disk: Document | undefined,
): Document {
  if (read === undefined || !disk) return written;
  const known = documentOf(read, written.ending);
  const { isEnded, hasBom } = disk;
  return {
    ...written,
    ...(written.isEnded === known.isEnded && { isEnded }),
    ...(written.hasBom === known.hasBom && { hasBom }),
  };
}

function like(document: Document, lines: readonly string[]): Document {
  return { ...document, lines, isEnded: document.isEnded && lines.length > 0 };
}

/** The chosen texts merged with what was typed and written since; undefined when that conflicts. */
async function afterChoice(now: OpenText, { from, to }: Choice): Promise<OpenText | undefined> {
  const [disk, buffer] = await Promise.all([
    merge(now.disk, from.disk, to.disk),
    merge(now.buffer, from.buffer, to.buffer),
  ]);
  const [saved, shown] = [mergedLines(disk), mergedLines(buffer)];
  return saved && shown && { disk: saved, buffer: shown };
}

/** True when the file on disk has got the text the agent writes; false once `over` fires. */
async function untilWritten(
  file: string,
  { state, content }: WriteConflict,
  over: AbortSignal,
): Promise<boolean> {
  let last = state.time;
  while (!over.aborted) {
    const time = await timeOf(file);
    if (time !== last && (await readText(file).catch(() => undefined)) === content) return true;
    last = time;
    await sleep(pollMs, { signal: over }).catch(() => undefined);
  }
  return false;
}

/** Why a write is refused without a question. */
function refusal(file: string, parts: readonly ChangedPart[]): AcpError {
  return hasReadUnsaved(parts)
    ? new AcpError('file_error', `${unsavedIn(file)}, which has to be saved first`)
    : new AcpError('file_error', `${changedIn(file)} since it was read; read it again`);
}

/** Why a write is refused that the user has rejected. */
function rejection(file: string, parts: readonly ChangedPart[]): AcpError {
  return hasReadUnsaved(parts)
    ? new AcpError('file_error', `${unsavedIn(file)} and wants to keep it`)
    : new AcpError('file_error', `${changedIn(file)} and wants to keep theirs; read it again`);
}

/** Whether the agent has read the unsaved text that it is in conflict with. */
function hasReadUnsaved(parts: readonly ChangedPart[]): boolean {
  return parts.some((part) => part.kind === 'conflict' && sameLines(part.read, part.buffer));
}

function unsavedIn(file: string): string {
  return `the user has unsaved text in the same lines of ${file}`;
}

function changedIn(file: string): string {
  return `the user has changed the same lines of ${file}`;
}

function disagreement(file: string): AcpError {
  const message = `the user has unsaved text in ${file} in conflict with the file on disk`;
  return new AcpError('file_error', `${message}; it was not written`);
}

function refuseTrouble(file: string, { trouble, isLegible }: BufferText): void {
  if (trouble !== undefined) throw new AcpError('file_error', `${file} ${trouble}`);
  if (isLegible) return;
  const message = `${file} is open in a buffer with bytes that are not UTF-8; it can't be changed there`;
  throw new AcpError('file_error', message);
}
