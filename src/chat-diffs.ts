import fs from 'node:fs/promises';
import path from 'node:path';
import type { Editor, Log } from './ports/host.ts';
import type { Entry, Location, ToolEntry } from './session/model.ts';
import type { ChatView } from './view/chat.ts';
import { type DiffContent, diffsOf, type FileDiff } from './view/diff.ts';
import type { Target } from './view/line.ts';
import { locate } from './view/locate.ts';
import { wholeDiff } from './view/whole-diff.ts';
import { readBuffer } from './workspace/buffer.ts';
import { readText } from './workspace/disk.ts';
import { textOf } from './workspace/text.ts';

/** More changes than this are not shown at once. */
const maxTabs = 10;
/** A file longer than this is not searched for the place of a change. */
const maxBytes = 2 * 1024 * 1024;

export interface DiffPorts {
  readonly editor: Editor;
  readonly log: Log;
}

/** The changes that a chat shows: where they are, and the way to them. */
export class ChatDiffs {
  private readonly chat: number;
  private readonly view: ChatView;
  private readonly ports: DiffPorts;
  private readonly onPlaced: () => void;
  private leading: Promise<void> = Promise.resolve();
  private lastPlace = '';
  private readonly sought = new WeakSet<DiffContent>();

  constructor(chat: number, view: ChatView, ports: DiffPorts, onPlaced: () => void) {
    this.chat = chat;
    this.view = view;
    this.ports = ports;
    this.onPlaced = onPlaced;
  }

  /** Looks for the rows of what was changed, so that they can be shown. */
  follow(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (entry.kind !== 'tool' || entry.isPast) continue;
      for (const diff of diffsOf(entry)) this.seek(entry, diff);
      this.leading = this.leading.then(() => this.lead(entry)).catch(() => undefined);
    }
  }

  /** Goes to the file of a change, or to one that is named. */
  async open(tool: ToolEntry, target: Target): Promise<void> {
    if ('path' in target) return this.show(target.path, target.row);
    const diff = diffsOf(tool)[target.diff];
    if (!diff) return;
    const row = target.row ?? firstRow(diff);
    const start = diff.isWhole ? 1 : await this.startOf(tool, diff);
    this.show(diff.path, start === undefined ? hintOf(tool, diff) : start + row - 1);
  }

  /** Shows a change whole, side by side. */
  async compare(tool: ToolEntry, index: number): Promise<void> {
    const diff = diffsOf(tool)[index];
    if (!diff) return;
    const current = await this.current(diff.path);
    const { before, after } = wholeDiff(diff, current, tool.status === 'done');
    const { chat } = this;
    this.ports.editor.tell('diff.open', { chat, path: this.resolve(diff.path), before, after });
  }

  /** The same for every change of a call, the first on top. */
  async compareAll(tool: ToolEntry): Promise<void> {
    const diffs = diffsOf(tool);
    for (const index of [...diffs.slice(0, maxTabs).keys()].reverse()) await this.compare(tool, index);
    if (diffs.length > maxTabs) {
      const message = `these are the first ${maxTabs} of ${diffs.length} changes; gd on a file shows another`;
      this.ports.editor.tell('user.notify', { message, level: 'info' });
    }
  }

  private show(file: string, line: number | undefined): void {
    const { chat } = this;
    this.ports.editor.tell('file.open', {
      chat,
      path: this.resolve(file),
      ...(line !== undefined && { line }),
    });
  }

  // Where the agent works, for a window that follows it; once for each place.
  private async lead(tool: ToolEntry): Promise<void> {
    const place = await this.placeOf(tool);
    if (!place || place.path === this.view.cwd) return;
    const { path: file, line } = place;
    const now = `${file}:${line}`;
    if (now === this.lastPlace) return;
    this.lastPlace = now;
    this.ports.editor.tell('follow.to', {
      chat: this.chat,
      path: this.resolve(file),
      ...(line !== undefined && { line }),
    });
  }

  /** What a call names last; the line may be where it changes something. */
  private async placeOf(tool: ToolEntry): Promise<Location | undefined> {
    const last = tool.locations.at(-1);
    if (last?.line !== undefined) return last;
    const diff = diffsOf(tool).findLast(
      ({ path: file }) => !last || this.resolve(file) === this.resolve(last.path),
    );
    if (!diff) return last;
    const start = diff.isWhole ? 1 : await this.startOf(tool, diff);
    return { path: diff.path, line: start === undefined ? undefined : start + firstRow(diff) - 1 };
  }

  private seek(tool: ToolEntry, diff: FileDiff): void {
    const { source } = diff;
    if (diff.isWhole || !('kind' in source) || this.sought.has(source)) return;
    this.sought.add(source);
    this.startOf(tool, diff).then(
      (start) => {
        if (start === undefined) this.sought.delete(source);
        else {
          this.view.place(source, start);
          this.view.touch([tool]);
          this.onPlaced();
        }
      },
      (error: unknown) => this.ports.log.debug(`no place for a change of ${diff.path}: ${String(error)}`),
    );
  }

  private async startOf(tool: ToolEntry, diff: FileDiff): Promise<number | undefined> {
    const { source } = diff;
    if (!('kind' in source)) return 1;
    const { oldText = '', newText } = source;
    const parts = tool.status === 'done' ? [newText, oldText] : [oldText, newText];
    const hint = hintOf(tool, diff);
    for (const read of [() => this.onDisk(diff.path), () => this.inBuffer(diff.path)]) {
      const text = await read();
      for (const part of text === undefined ? [] : parts) {
        const row = locate(text!, part, hint);
        if (row !== undefined) return row;
      }
    }
    return undefined;
  }

  private async current(file: string): Promise<string | undefined> {
    return (await this.inBuffer(file)) ?? (await this.onDisk(file));
  }

  private async onDisk(file: string): Promise<string | undefined> {
    const real = await fs.realpath(this.resolve(file)).catch(() => this.resolve(file));
    const facts = await fs.stat(real).catch(() => undefined);
    if (!facts?.isFile() || facts.size > maxBytes) return undefined;
    // What can't be read can still be shown as the agent tells it.
    return readText(real).catch(() => undefined);
  }

  private async inBuffer(file: string): Promise<string | undefined> {
    const real = await fs.realpath(this.resolve(file)).catch(() => this.resolve(file));
    const buffer = await readBuffer(this.ports.editor, { path: real });
    return buffer && textOf(buffer);
  }

  // git writes an absolute path without its slash.
  private resolve(file: string): string {
    const { cwd } = this.view;
    return `/${file}`.startsWith(`${cwd}/`) ? `/${file}` : path.resolve(cwd, file);
  }
}

function firstRow({ hunks }: FileDiff): number {
  return hunks[0]?.lines.find(({ sign }) => sign !== ' ')?.newRow ?? 1;
}

function hintOf({ locations }: ToolEntry, diff: FileDiff): number | undefined {
  return locations.find(({ path: place, line }) => place === diff.path && line !== undefined)?.line;
}
