import { setTimeout as pause } from 'node:timers/promises';
import { AcpError } from '../errors.ts';
import type { Editor } from '../ports/host.ts';
import type { WorkPlace } from '../ports/workspace.ts';
import {
  type AgentChange,
  applyChange,
  type ChangedPart,
  diskAfterChoice,
  hasConflict,
  linesOf,
  type OpenText,
  regionsOf,
} from './agent-change.ts';
import { type BufferText, type ChangeOptions, changeBuffer } from './buffer.ts';
import { readDisk, readText, timeOf, writeText } from './disk.ts';
import { mayAsk } from './disk-conflicts.ts';
import { merge, mergedLines } from './merge.ts';
import type { OpenBuffers } from './open-buffers.ts';
import { reformatted, type Sight } from './sight.ts';
import { type Document, documentOf, sameLines, textOf } from './text.ts';

export interface BufferWritesParts {
  readonly place: Pick<WorkPlace, 'settle'>;
  readonly editor: Editor;
  readonly buffers: OpenBuffers;
  readonly sight: Sight;
  bufferOf(file: string): Promise<BufferText | undefined>;
}

/** The text of a buffer before and after it was changed by an agent. */
export interface Rewritten {
  readonly was: string;
  readonly seen: string;
}

/** A file, its buffer, and what is on disk, all at one time. */
interface State {
  readonly buffer: BufferText;
  /** What the file was when it was read; empty when it is not there. */
  readonly time: string;
  readonly text: OpenText;
}

/** What the user decided about a conflict, and of what state. */
interface Choice {
  readonly from: OpenText;
  readonly to: OpenText;
}

const maxTries = 10;
/** Some agents write a file themselves as well. When they do at once, only what is on disk is asked about. */
const graceMs = 150;
const everyMs = 50;

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
  announce(file: string, content: string): void {
    const { buffers, sight } = this.parts;
    const read = sight.of(file);
    if (read !== undefined) buffers.expect(file, { text: content, read });
  }

  /** Gives what became of a buffer with unsaved text. */
  async write(file: string, content: string, withdrawn: AbortSignal): Promise<Rewritten | undefined> {
    const { buffers, sight } = this.parts;
    let choice: Choice | undefined;
    for (let tries = 0; tries < maxTries; tries += 1) {
      const buffer = await this.currentBuffer(file, withdrawn);
      const theirs = documentOf(content, buffer?.ending);
      if (!buffer) {
        const text = choice ? textOf(like(theirs, choice.to.disk)) : content;
        await writeText(file, text);
        sight.wrote(file, content);
        buffers.wrote(file, text);
        return undefined;
      }
      const state = await this.stateOf(file, buffer);
      if (!state) continue;
      const change = await this.changeOf(file, state, theirs);
      buffers.expect(file, { text: content, read: textOf(like(theirs, change.read)) });
      let plan = choice && (await afterChoice(state.text, choice));
      if (!plan) {
        const parts = await applyChange(state.text, change);
        if (hasConflict(parts)) {
          choice = await this.settle(file, { state, parts, content, theirs: change.written }, withdrawn);
          if (choice) tries = 0;
          continue;
        }
        choice = undefined;
        plan = { disk: linesOf(parts, 'disk'), buffer: linesOf(parts, 'buffer') };
      }
      const done = await this.put(file, state, theirs, plan);
      if (!done) continue;
      sight.wrote(file, content, done.formatted);
      buffers.wrote(file, done.formatted ?? textOf(like(theirs, plan.disk)));
      buffers.expect(file, { text: content, read: content });
      if (!done.rewritten) return undefined;
      if (!choice) buffers.sayMerged(file, !buffer.isApart);
      return done.rewritten;
    }
    throw new AcpError('file_error', `${file} changes faster than it can be written; try again`);
  }

  private async currentBuffer(file: string, withdrawn: AbortSignal): Promise<BufferText | undefined> {
    const { buffers, bufferOf } = this.parts;
    const buffer = await bufferOf(file);
    if (buffer) refuseTrouble(file, buffer);
    if (!buffer || buffer.isCurrent) return buffer;
    if (!(await buffers.agree(file, withdrawn))) throw disagreement(file);
    return bufferOf(file);
  }

  /** Undefined when the file has changed below unsaved text just now. */
  private async stateOf(file: string, buffer: BufferText): Promise<State | undefined> {
    const { lines, ending, isModified } = buffer;
    // Nobody but Neovim can tell what is on disk.
    if (buffer.isApart) return { buffer, time: '', text: { disk: lines, buffer: lines } };
    const disk = await readDisk(file);
    if (!disk) {
      const base = isModified ? documentOf(this.parts.buffers.baseOf(file) ?? '', ending).lines : lines;
      return { buffer, time: '', text: { disk: base, buffer: lines } };
    }
    if (isModified && disk.time !== buffer.time) return undefined;
    const saved = documentOf(disk.text, ending).lines;
    // A buffer nobody typed in is only a picture of the file, which may be newer.
    return { buffer, time: disk.time, text: { disk: saved, buffer: isModified ? lines : saved } };
  }

  private async changeOf(file: string, { buffer, text }: State, theirs: Document): Promise<AgentChange> {
    const { sight } = this.parts;
    const seen = sight.of(file);
    const read = seen === undefined ? text.disk : documentOf(seen, buffer.ending).lines;
    const formatted = sight.formattedOf(file);
    if (formatted === undefined) return { read, written: theirs.lines };
    const known = documentOf(formatted, buffer.ending).lines;
    return { read: known, written: await reformatted(known, read, theirs.lines) };
  }

  /** False when buffer or file were changed meanwhile. */
  private async put(file: string, { buffer, time, text }: State, theirs: Document, plan: OpenText) {
    const { editor } = this.parts;
    const seen = like(theirs, plan.buffer);
    const rewritten = { was: textOf(buffer), seen: textOf(seen) };
    const isSame = sameLines(plan.disk, text.disk) && sameLines(plan.buffer, buffer.lines);
    const isUnsaved = buffer.isModified && (buffer.isApart || !sameLines(plan.disk, plan.buffer));
    if (isUnsaved && isSame) return {};
    const options = optionsFor({ buffer, time, text }, plan, isUnsaved);
    const saved = isUnsaved && !options.isKeptUnsaved ? like(theirs, plan.disk) : seen;
    const { status, reason, formatted } = await changeBuffer(editor, buffer, saved, {
      ...options,
      ...(!buffer.isApart && { time }),
    });
    if (status === 'failed') throw new AcpError('file_error', `${file} was not written: ${reason}`);
    if (status === 'changed') return undefined;
    return {
      ...(formatted && { formatted: textOf({ ...seen, lines: formatted }) }),
      ...(isUnsaved && { rewritten }),
    };
  }

  /** Undefined when the agent has written the file itself, so that it is asked about what is on disk. */
  private async settle(file: string, contest: Contest, withdrawn: AbortSignal): Promise<Choice | undefined> {
    const { place, editor } = this.parts;
    const { state, parts, theirs } = contest;
    if (!place.settle || !(await mayAsk(editor))) throw refusal(file, parts);
    const over = new AbortController();
    const written = new AbortController();
    void untilWritten(file, contest, over.signal).then((is) => {
      if (is) written.abort(new AcpError('superseded', `${file} was written by the agent itself`));
    });
    const end = AbortSignal.any([withdrawn, written.signal]);
    try {
      await pause(graceMs, undefined, { signal: end });
      const ours = state.text.buffer;
      const conflict = { path: file, cause: 'agent', ours, theirs, regions: regionsOf(parts) } as const;
      const chosen = await place.settle(conflict, end);
      if (!chosen) throw refusal(file, parts, 'and wants to keep theirs');
      const to = { disk: await diskAfterChoice(parts, chosen), buffer: chosen };
      return { from: state.text, to };
    } catch (error) {
      if (withdrawn.aborted) throw new AcpError('cancelled', `the write of ${file} was taken back`);
      if (written.signal.aborted) return undefined;
      throw error;
    } finally {
      over.abort();
    }
  }
}

/** A write that contradicts what the user has. */
interface Contest {
  readonly state: State;
  readonly parts: readonly ChangedPart[];
  /** What the agent wants the file to be. */
  readonly content: string;
  readonly theirs: readonly string[];
}

function optionsFor({ buffer, text }: State, plan: OpenText, isUnsaved: boolean): ChangeOptions {
  if (!isUnsaved) return {};
  const isKept = buffer.isApart || sameLines(plan.disk, text.disk);
  return isKept ? { isKeptUnsaved: true } : { unsaved: plan.buffer };
}

function like(document: Document, lines: readonly string[]): Document {
  return { ...document, lines, isEnded: document.isEnded && lines.length > 0 };
}

/** What was chosen, with what was typed and written since; undefined when that was in the same lines. */
async function afterChoice(now: OpenText, { from, to }: Choice): Promise<OpenText | undefined> {
  const [disk, buffer] = await Promise.all([
    merge(now.disk, from.disk, to.disk),
    merge(now.buffer, from.buffer, to.buffer),
  ]);
  const [saved, shown] = [mergedLines(disk), mergedLines(buffer)];
  return saved && shown && { disk: saved, buffer: shown };
}

/** True when the file on disk has become what the agent wants it to be; false once that does not matter any more. */
async function untilWritten(file: string, { state, content }: Contest, over: AbortSignal): Promise<boolean> {
  let last = state.time;
  while (!over.aborted) {
    const time = await timeOf(file);
    if (time !== last && (await readText(file).catch(() => undefined)) === content) return true;
    last = time;
    await pause(everyMs, undefined, { signal: over }).catch(() => undefined);
  }
  return false;
}

function refusal(file: string, parts: readonly ChangedPart[], why = 'since it was read'): AcpError {
  const isSeen = parts.some((part) => part.kind === 'conflict' && sameLines(part.read, part.buffer));
  const message = isSeen
    ? `the user has unsaved text in the same lines of ${file}, which has to be saved first`
    : `the user has changed the same lines of ${file} ${why}; read it again`;
  return new AcpError('file_error', message);
}

function disagreement(file: string): AcpError {
  const message = `the user has unsaved text in ${file} that contradicts what is on disk`;
  return new AcpError('file_error', `${message}; it was not written`);
}

function refuseTrouble(file: string, { trouble, isLegible }: BufferText): void {
  if (trouble !== undefined) throw new AcpError('file_error', `${file} ${trouble}`);
  if (isLegible) return;
  const message = `${file} is open with bytes that are no UTF-8; it can't be changed there`;
  throw new AcpError('file_error', message);
}
