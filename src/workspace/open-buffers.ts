import path from 'node:path';
import { AcpError } from '../errors.ts';
import type { Editor } from '../ports/host.ts';
import type { WorkPlace } from '../ports/workspace.ts';
import { applyChange, regionsOf } from './agent-change.ts';
import { adoptDisk, type BufferText, changeBuffer, legibleBuffer } from './buffer.ts';
import { withoutBase } from './conflict.ts';
import { type DiskText, readDisk } from './disk.ts';
import { type Arbiter, DiskConflicts } from './disk-conflicts.ts';
import { findHunks } from './known-hunks.ts';
import { merge, mergedLines, type Region } from './merge.ts';
import { documentOf, sameLines, textOf } from './text.ts';

/** How a buffer came to show what is on disk. */
export interface Followed {
  /** What the buffer held before. */
  readonly was: string;
  /** That was unsaved, and made of what was on disk before. */
  readonly isUnsaved: boolean;
  /** What the buffer holds. */
  readonly seen: string;
}

/** A text that an agent is about to write to a file, or has written. */
export interface ExpectedText {
  readonly text: string;
  /** What the agent made it of; the same text once that change is in the buffer. */
  readonly read: string;
}

/** What a buffer is to hold. */
export interface PutText {
  readonly text: string;
  /** What is to be on disk, if that is another text. */
  readonly disk?: string | undefined;
  /** False: there is to be no file. */
  readonly isFile: boolean;
}

const maxTries = 10;

/** The user's buffers, brought to what is on disk without losing what is typed in them. */
export class OpenBuffers {
  private readonly editor: Editor;
  private readonly place: Pick<WorkPlace, 'settle' | 'say'>;
  private readonly conflicts: DiskConflicts;
  /** What each file was when its buffer was last seen to go together with it, if that is known. */
  private readonly bases = new Map<string, { readonly text: string | undefined; readonly time: string }>();
  /** What agents want files to be. Those that write a file themselves as well leave just this on disk. */
  private readonly expected = new Map<string, ExpectedText>();
  /** What agents had read that wrote what contradicts a buffer now. */
  private readonly contested = new Map<string, string>();
  /** Buffers of which the user was told that something was put together with their unsaved text. */
  private readonly told = new Set<string>();

  constructor(
    editor: Editor,
    place: Pick<WorkPlace, 'settle' | 'say'> = {},
    conflicts = new DiskConflicts(editor),
  ) {
    this.editor = editor;
    this.place = place;
    this.conflicts = conflicts;
  }

  /** The text of a loaded buffer, if it is one that can be told line by line. */
  async textOf(file: string): Promise<string | undefined> {
    const buffer = await legibleBuffer(this.editor, file);
    return buffer && !buffer.isApart ? textOf(buffer) : undefined;
  }

  /** Remembers what a buffer was made of, as long as that can be had. */
  async note(file: string, { time, isCurrent, isApart, isModified }: BufferText): Promise<void> {
    if (!isCurrent || isApart) return;
    if (!isModified) this.told.delete(file);
    this.agreed(file);
    if (this.bases.get(file)?.time === time) return;
    const disk = await readDisk(file).catch(() => undefined);
    if (disk?.time === time) this.bases.set(file, disk);
  }

  /** What a file was when its buffer was last seen to go together with it. */
  baseOf(file: string): string | undefined {
    return this.bases.get(file)?.text;
  }

  /** A buffer was written. */
  wrote(file: string, text: string): void {
    this.bases.set(file, { text, time: '' });
  }

  /** When the file becomes this text, it is the agent's change of what it read, and not of what the file was before. */
  expect(file: string, expected: ExpectedText): void {
    this.expected.set(file, expected);
  }

  /** The user has saved what was unsaved. */
  saved(file: string): void {
    this.told.delete(file);
  }

  /**
   * Shows what is on disk; unsaved text stays in it. Where both contradict each other the user is asked, and nobody
   * waits for that. `again`: buffer or file were changed just now. `given`: what the file was, if nobody knows better.
   */
  async follow(
    file: string,
    disk: DiskText,
    given?: string,
    onChosen?: Arbiter['onChosen'],
  ): Promise<Followed | 'again' | undefined> {
    const buffer = await legibleBuffer(this.editor, file);
    if (!buffer || buffer.isApart || (buffer.trouble !== undefined && buffer.isModified)) return undefined;
    const shown = textOf(buffer);
    if (!buffer.isModified) this.told.delete(file);
    if (buffer.isModified ? buffer.isCurrent : shown === disk.text) {
      this.agreed(file);
      await this.note(file, buffer);
      return { was: shown, isUnsaved: false, seen: shown };
    }
    const expected = this.expected.get(file);
    const isExpected = expected?.text === disk.text;
    // What the user has saved since the agent read the file is not in what the agent writes itself.
    const isUnsaved = buffer.isModified || isExpected || this.conflicts.has(file);
    const base = this.baseFor(file, disk, given);
    const read = isExpected ? expected.read : this.contested.get(file);
    const regions = isUnsaved ? await between(buffer, base, disk.text, read) : [];
    const after = isUnsaved ? mergedLines(regions) : documentOf(disk.text, buffer.ending).lines;
    if (!after) {
      const onTakenIn = (isOutdated: boolean) => {
        this.bases.set(file, disk);
        this.contested.delete(file);
        if (isOutdated) void this.catchUp(file).catch(() => undefined);
      };
      const arbiter = { ...this.place, onTakenIn, ...(onChosen && { onChosen }) };
      // As long as they contradict each other, this is what both began with.
      this.bases.set(file, { text: base, time: '' });
      if (read !== undefined) this.contested.set(file, read);
      this.conflicts.raise({ path: file, buffer, disk, regions }, arbiter);
      return { was: shown, isUnsaved, seen: shown };
    }
    if (!(await adoptDisk(this.editor, file, buffer, disk, after))) return 'again';
    this.agreed(file);
    this.bases.set(file, disk);
    if (!isExpected) this.expected.delete(file);
    const isKept = !sameLines(after, documentOf(disk.text, buffer.ending).lines);
    const isNew = disk.text !== (read ?? base) || !buffer.isModified;
    if (isKept && isNew) this.sayMerged(file);
    return { was: shown, isUnsaved, seen: textOf({ ...documentOf(disk.text, buffer.ending), lines: after }) };
  }

  /** Buffer and disk go together. */
  private agreed(file: string): void {
    this.conflicts.close(file);
    this.contested.delete(file);
  }

  private baseFor(file: string, disk: DiskText, given: string | undefined): string | undefined {
    return this.bases.has(file) ? this.bases.get(file)?.text : older(given, disk);
  }

  /** Takes in what another program wrote. */
  async catchUp(file: string, given?: string): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const disk = await readDisk(file);
      const followed = disk && (await this.follow(file, disk, given));
      if (followed !== 'again') return;
    }
    throw new AcpError('file_error', `${file} changes faster than it can be followed`);
  }

  /** Settles when buffer and disk go together; false when the user has left it that they do not. */
  async agree(file: string, withdrawn: AbortSignal): Promise<boolean> {
    await this.catchUp(file);
    if (!this.conflicts.has(file)) return true;
    const takenBack = new AcpError('cancelled', `the write of ${file} was taken back`);
    if (withdrawn.aborted) throw takenBack;
    const given = new Promise<never>((_, reject) => {
      withdrawn.addEventListener('abort', () => reject(takenBack), { once: true });
    });
    return Promise.race([this.conflicts.end(file), given]);
  }

  /**
   * Puts a text into a loaded buffer and on disk. `none`: there is no buffer; `changed`: it is not what it should be;
   * `kept`: it holds the text, and there is to be no file.
   */
  async put(file: string, from: string, to: PutText): Promise<'saved' | 'kept' | 'changed' | 'none'> {
    const buffer = await legibleBuffer(this.editor, file);
    if (!buffer) return 'none';
    if (buffer.trouble !== undefined) throw new Error(`${file} ${buffer.trouble}`);
    if (this.conflicts.has(file)) {
      throw new Error(`${file} has unsaved text that contradicts what is on disk; settle that first`);
    }
    if (buffer.isApart || textOf(buffer) !== from) return 'changed';
    const after = documentOf(to.text, buffer.ending);
    const saved =
      to.disk === undefined ? after : { ...after, lines: documentOf(to.disk, after.ending).lines };
    const isSame = sameLines(saved.lines, after.lines);
    const { status, reason } = await changeBuffer(this.editor, buffer, to.isFile ? saved : after, {
      isKeptUnsaved: !to.isFile,
      ...(to.isFile && !isSame && { unsaved: after.lines }),
    });
    if (status === 'failed') throw new Error(`${file} was not written: ${reason}`);
    return status;
  }

  /** Says that a file was changed below unsaved text; once until that is saved, since an agent may change it often. */
  sayMerged(file: string, isSaved = true): void {
    if (this.told.has(file)) return;
    this.told.add(file);
    const name = path.basename(file);
    this.place.say?.(
      isSaved
        ? `${name} was changed and merged with your unsaved text, which stays unsaved.`
        : `${name} was merged with your unsaved text and not saved; :w saves both.`,
    );
  }
}

// What is there now can't be what unsaved text was made of that does not go together with it.
function older(given: string | undefined, disk: DiskText): string | undefined {
  return given === disk.text ? undefined : given;
}

/** What unsaved text and a new text on disk make together. `read`: what its writer began with, if that is known. */
async function between(
  ours: BufferText,
  base: string | undefined,
  disk: string,
  read?: string,
): Promise<readonly Region[]> {
  const theirs = documentOf(disk, ours.ending).lines;
  if (read !== undefined) {
    const before = documentOf(base ?? read, ours.ending).lines;
    const change = { read: documentOf(read, ours.ending).lines, written: theirs };
    return regionsOf(await applyChange({ disk: before, buffer: ours.lines }, change));
  }
  return base === undefined
    ? withoutBase(ours.lines, await findHunks(ours.lines, theirs))
    : merge(ours.lines, documentOf(base, ours.ending).lines, theirs);
}
