import path from 'node:path';
import { AcpError, messageOf } from '../errors.ts';
import type { Editor } from '../ports/host.ts';
import type { Conflict, WorkPlace } from '../ports/workspace.ts';
import { adoptDisk, type BufferText, changeBuffer, legibleBuffer } from './buffer.ts';
import { type DiskText, timeOf } from './disk.ts';
import { merge, mergedLines, type Region } from './merge.ts';
import { documentOf } from './text.ts';

/** A text that changed on disk while the user had unsaved changes in the same lines. */
export interface Standoff {
  readonly path: string;
  readonly buffer: BufferText;
  readonly disk: DiskText;
  readonly regions: readonly Region[];
}

export type Sides = Pick<Conflict, 'ours' | 'theirs' | 'regions'>;

/** Puts into the buffer what was chosen; what comes back is left to be chosen. */
export type Put = () => Promise<Sides | undefined>;

/** Who asks the user, and what is done when they have chosen. */
export interface Arbiter extends Pick<WorkPlace, 'settle' | 'say'> {
  /** Calls `put` when nobody else looks at the buffer. */
  onChosen?(put: Put): ReturnType<Put>;
  /** What is in the buffer takes in what was on disk then, which may be outdated. */
  onTakenIn(isOutdated: boolean): void;
}

interface Open {
  readonly disk: string;
  readonly withdrawal: AbortController;
  /** True when it was settled, false when it was left as it is. */
  readonly end: Promise<boolean>;
}

const maxTries = 10;

/**
 * The buffers whose unsaved text contradicts what is on disk. About each state of a file the user is asked once, in one
 * chat; until they have chosen, both are as they were.
 */
export class DiskConflicts {
  private readonly editor: Editor;
  private readonly open = new Map<string, Open>();

  constructor(editor: Editor) {
    this.editor = editor;
  }

  has(file: string): boolean {
    return this.open.has(file);
  }

  /** Settles when the user has chosen: true if buffer and disk go together now. */
  end(file: string): Promise<boolean> {
    return this.open.get(file)?.end ?? Promise.resolve(true);
  }

  /** Buffer and disk go together, however that came. */
  close(file: string): void {
    const open = this.open.get(file);
    this.open.delete(file);
    open?.withdrawal.abort();
  }

  raise(standoff: Standoff, arbiter: Arbiter): void {
    const { path: file, disk } = standoff;
    if (this.open.get(file)?.disk === disk.text) return;
    this.close(file);
    const withdrawal = new AbortController();
    const end = this.settle(standoff, arbiter, withdrawal.signal);
    this.open.set(file, { disk: disk.text, withdrawal, end });
  }

  private async settle(standoff: Standoff, arbiter: Arbiter, withdrawn: AbortSignal): Promise<boolean> {
    try {
      const isDone = await this.ask(standoff, arbiter, withdrawn);
      if (!isDone) this.leave(standoff, arbiter);
      return isDone;
    } catch (error) {
      // Taken back, because it is over or asked anew.
      if (withdrawn.aborted) return true;
      // The chat that asked is closed; another may ask.
      if (error instanceof AcpError && error.code === 'cancelled') this.open.delete(standoff.path);
      else this.leave(standoff, arbiter, messageOf(error));
      return false;
    }
  }

  private async ask(standoff: Standoff, arbiter: Arbiter, withdrawn: AbortSignal): Promise<boolean> {
    if (!arbiter.settle || !(await mayAsk(this.editor))) return false;
    const { path: file, buffer, disk } = standoff;
    const message = `${path.basename(file)} was changed on disk where you have unsaved text; :AcpAnswer decides`;
    this.editor.tell('user.notify', { message, level: 'warn' });
    const theirs = documentOf(disk.text, buffer.ending).lines;
    let sides: Sides = { ours: buffer.lines, theirs, regions: standoff.regions };
    for (;;) {
      const chosen = await arbiter.settle({ path: file, cause: 'disk', ...sides }, withdrawn);
      if (!chosen) return false;
      const put = () => this.put(standoff, sides.ours, chosen, arbiter);
      const left = await (arbiter.onChosen?.(put) ?? put());
      if (!left) return true;
      sides = left;
    }
  }

  /** Puts what was chosen into the buffer, unless that contradicts what was typed since. */
  private async put(
    standoff: Standoff,
    seen: readonly string[],
    chosen: readonly string[],
    arbiter: Arbiter,
  ): Promise<Sides | undefined> {
    const { path: file, disk } = standoff;
    for (let tries = 0; tries < maxTries; tries += 1) {
      const buffer = await legibleBuffer(this.editor, file);
      // What the user has saved or read again meanwhile is their choice.
      if (!buffer || buffer.isCurrent) {
        this.open.delete(file);
        return undefined;
      }
      const regions = await merge(buffer.lines, seen, chosen);
      const after = mergedLines(regions);
      if (!after) return { ours: buffer.lines, theirs: chosen, regions };
      const isAdopted = await adoptDisk(this.editor, file, buffer, disk, after);
      if (!isAdopted && !(await this.isOutdated(standoff, buffer, after))) continue;
      this.open.delete(file);
      arbiter.onTakenIn(!isAdopted);
      return undefined;
    }
    throw new Error('it changes faster than it can be written');
  }

  /** True when the file has changed again, and what was chosen is in the buffer until that is looked at. */
  private async isOutdated(
    { path: file, disk }: Standoff,
    buffer: BufferText,
    after: readonly string[],
  ): Promise<boolean> {
    if ((await timeOf(file)) === disk.time) return false;
    const { status } = await changeBuffer(
      this.editor,
      buffer,
      { ...buffer, lines: after },
      { isKeptUnsaved: true },
    );
    return status === 'kept';
  }

  // It stays in the list: nobody is asked twice about the same.
  private leave({ path: file }: Standoff, { say }: Arbiter, reason?: string): void {
    const why = reason === undefined ? '' : ` (${reason})`;
    say?.(
      `${path.basename(file)} has changed on disk where you have unsaved text; both are as they were${why}. :w! keeps yours, :e! takes what is on disk.`,
    );
  }
}

/** Whether the user wants to be asked about contradictions. */
export async function mayAsk(editor: Editor): Promise<boolean> {
  return (await editor.call('option.get', { name: 'on_conflict' })) === 'ask';
}
