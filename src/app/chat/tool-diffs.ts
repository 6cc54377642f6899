import fs from 'node:fs/promises';
import path from 'node:path';
import type { Entry, Location, ToolEntry } from '../../model/entries.ts';
import type { Editor } from '../../ports/editor.ts';
import type { Log } from '../../ports/log.ts';
import type { DiffContent, FileDiff } from '../../view/diff/diff.ts';
import { findPlace, type TextPlace } from '../../view/diff/find-in-file.ts';
import { sideBySide } from '../../view/diff/side-by-side.ts';
import type { ToolTarget } from '../../view/line.ts';
import type { TranscriptView } from '../../view/transcript/transcript.ts';
import { readBuffer } from '../../workspace/files/buffer.ts';
import { readText } from '../../workspace/files/disk.ts';
import { textOf } from '../../workspace/files/document.ts';

/** The maximum number of changes that are compared at the same time. */
const maxTabs = 10;
/** Larger files are not searched for the position of a change. */
const maxBytes = 2 * 1024 * 1024;

interface DiffPorts {
  readonly editor: Editor;
  readonly log: Log;
}

/** The diffs of tool calls: finds their lines in the files, opens and compares them. */
export class ToolDiffs {
  private readonly chat: number;
  private readonly view: TranscriptView;
  private readonly ports: DiffPorts;
  private readonly onLocated: () => void;
  private sending: Promise<void> | undefined;
  /** The call whose location is sent next. */
  private latest: ToolEntry | undefined;
  private lastLocation = '';
  private readonly located = new WeakSet<DiffContent>();

  constructor(chat: number, view: TranscriptView, ports: DiffPorts, onPlaced: () => void) {
    this.chat = chat;
    this.view = view;
    this.ports = ports;
    this.onLocated = onPlaced;
  }

  /** Finds the line numbers of the diffs, and the location that a follow window shows. */
  follow(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (entry.kind !== 'tool' || entry.isReplayed) continue;
      for (const diff of this.view.diffs.of(entry)) this.locate(entry, diff);
      this.latest = entry;
      this.sending ??= this.sendLatest();
    }
  }

  /** Finds the line numbers of diffs that were read again. */
  locateAll(entries: readonly Entry[]): void {
    for (const entry of entries)
      if (entry.kind === 'tool') for (const diff of this.view.diffs.of(entry)) this.locate(entry, diff);
  }

  /** Opens the file of a diff or of a path in the transcript. */
  async open(tool: ToolEntry, target: ToolTarget): Promise<void> {
    if ('path' in target) return this.show(target.path, target.row);
    const diff = this.view.diffs.of(tool)[target.diff];
    if (!diff) return;
    const row = target.row ?? firstRow(diff);
    const start = diff.hasFileRows ? 1 : (await this.findPlace(tool, diff))?.row;
    this.show(diff.path, start === undefined ? lineHint(tool, diff) : start + row - 1);
  }

  /** The absolute path of the file that a line of a tool call leads to. */
  fileOf(tool: ToolEntry, target: ToolTarget): string | undefined {
    const file = 'path' in target ? target.path : this.view.diffs.of(tool)[target.diff]?.path;
    return file === undefined ? undefined : this.resolve(file);
  }

  /** Shows the file before and after a change, side by side. */
  async compare(tool: ToolEntry, index: number): Promise<void> {
    const diff = this.view.diffs.of(tool)[index];
    if (!diff) return;
    const current = await this.readCurrent(diff.path);
    const { before, after } = sideBySide(diff, current, tool.status === 'done');
    const { chat } = this;
    this.ports.editor.send('diff.open', { chat, path: this.resolve(diff.path), before, after });
  }

  /** Compares every change of a tool call; the first one is on top. */
  async compareAll(tool: ToolEntry): Promise<void> {
    const diffs = this.view.diffs.of(tool);
    for (const index of [...diffs.slice(0, maxTabs).keys()].reverse()) await this.compare(tool, index);
    if (diffs.length > maxTabs) {
      const message = `showing the first ${maxTabs} of ${diffs.length} changes; gd on a file shows another one`;
      this.ports.editor.notify('info', message);
    }
  }

  private show(file: string, line: number | undefined): void {
    const { chat } = this;
    this.ports.editor.send('file.open', {
      chat,
      path: this.resolve(file),
      line,
    });
  }

  // A window that follows goes to the latest location, so those in between are left out.
  private async sendLatest(): Promise<void> {
    for (let tool = this.latest; tool; tool = this.latest) {
      this.latest = undefined;
      // Without the location, the window stays where it is.
      await this.sendLocation(tool).catch(() => undefined);
    }
    this.sending = undefined;
  }

  // Sends the location that the agent works on, once each, for a window that follows it.
  private async sendLocation(tool: ToolEntry): Promise<void> {
    const location = await this.locationOf(tool);
    if (!location || location.path === this.view.cwd) return;
    const { path: file, line } = location;
    const now = `${file}:${line}`;
    if (now === this.lastLocation) return;
    this.lastLocation = now;
    this.ports.editor.send('follow.to', {
      chat: this.chat,
      path: this.resolve(file),
      line,
    });
  }

  /** The last location of a tool call; without a line, that of its last diff in the file. */
  private async locationOf(tool: ToolEntry): Promise<Location | undefined> {
    const last = tool.locations.at(-1);
    if (last?.line !== undefined) return last;
    const diff = this.view.diffs
      .of(tool)
      .findLast(({ path: file }) => !last || this.resolve(file) === this.resolve(last.path));
    if (!diff) return last;
    const start = diff.hasFileRows ? 1 : (await this.findPlace(tool, diff))?.row;
    return { path: diff.path, line: start === undefined ? undefined : start + firstRow(diff) - 1 };
  }

  private locate(tool: ToolEntry, diff: FileDiff): void {
    const { source } = diff;
    if (diff.hasFileRows || !('kind' in source) || this.located.has(source)) return;
    this.located.add(source);
    this.findPlace(tool, diff).then(
      (place) => {
        if (place === undefined) this.located.delete(source);
        else {
          this.view.setDiffPlace(diff, place);
          this.view.markChanged([tool]);
          this.onLocated();
        }
      },
      (error: unknown) =>
        this.ports.log.debug(`could not find the lines of a change of ${diff.path}: ${String(error)}`),
    );
  }

  private async findPlace(tool: ToolEntry, diff: FileDiff): Promise<TextPlace | undefined> {
    const { source } = diff;
    if (!('kind' in source)) return { row: 1, head: '', tail: '' };
    const { oldText = '', newText } = source;
    const parts = tool.status === 'done' ? [newText, oldText] : [oldText, newText];
    const hint = lineHint(tool, diff);
    for (const read of [() => this.readDisk(diff.path), () => this.readBufferText(diff.path)]) {
      const text = await read();
      for (const part of text === undefined ? [] : parts) {
        const place = findPlace(text!, part, hint);
        // Rows of a change that was cut count from the beginning of its whole text.
        if (place !== undefined) return { ...place, row: place.row - (source.omitted?.equal[0]?.count ?? 0) };
      }
    }
    return undefined;
  }

  private async readCurrent(file: string): Promise<string | undefined> {
    return (await this.readBufferText(file)) ?? (await this.readDisk(file));
  }

  private async readDisk(file: string): Promise<string | undefined> {
    const real = await fs.realpath(this.resolve(file)).catch(() => this.resolve(file));
    const facts = await fs.stat(real).catch(() => undefined);
    if (!facts?.isFile() || facts.size > maxBytes) return undefined;
    // Without the file, the diff is shown as the agent sent it.
    return readText(real).catch(() => undefined);
  }

  private async readBufferText(file: string): Promise<string | undefined> {
    const real = await fs.realpath(this.resolve(file)).catch(() => this.resolve(file));
    const buffer = await readBuffer(this.ports.editor, { path: real });
    return buffer && textOf(buffer);
  }

  // Diffs of git have absolute paths without the leading slash.
  private resolve(file: string): string {
    const { cwd } = this.view;
    return `/${file}`.startsWith(`${cwd}/`) ? `/${file}` : path.resolve(cwd, file);
  }
}

function firstRow({ hunks }: FileDiff): number {
  return hunks[0]?.lines.find(({ sign }) => sign !== ' ')?.newRow ?? 1;
}

function lineHint({ locations }: ToolEntry, diff: FileDiff): number | undefined {
  return locations.find(({ path: file, line }) => file === diff.path && line !== undefined)?.line;
}
