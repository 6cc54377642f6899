import fs from 'node:fs/promises';
import path from 'node:path';
import { absolutePath } from '../../base/paths.ts';
import { isMediaFile } from '../../media/media-file.ts';
import type { Editor } from '../../ports/editor.ts';
import type { FileIndex } from '../../prompt/file-index.ts';
import { filesByName } from '../../prompt/files-by-name.ts';
import {
  filePicker,
  outsideFilePicker,
  pagePicker,
  type TextPosition,
} from '../../view/pickers/references.ts';
import { type Reference, referencesAt } from '../../view/references/find-reference.ts';
import { parsePageAddress } from '../../view/web-page.ts';
import { Roots } from '../../workspace/files/roots.ts';

/** A line of a buffer, divided at the cursor. */
export interface DividedLine {
  readonly before: string;
  readonly after: string;
}

/** A file that exists. */
interface FoundFile extends TextPosition {
  readonly file: string;
}

/** What a path or a link in the chat leads to. */
export type Target =
  | FoundFile
  | { readonly url: string }
  /** Files with the same name in several folders. */
  | ({ readonly files: readonly string[] } & TextPosition);

/** Paths and addresses in the text of a chat. The agent wrote most of them, so what is unusual is shown before it opens. */
export class References {
  private readonly chat: number;
  private readonly editor: Editor;
  private readonly folders: readonly string[];
  private readonly roots: Roots;
  private readonly index: FileIndex;

  /** `folders`: those of the session; relative paths are relative to one of them. */
  constructor(chat: number, folders: readonly string[], editor: Editor, index: FileIndex) {
    this.chat = chat;
    this.index = index;
    this.editor = editor;
    this.folders = folders;
    this.roots = new Roots(folders);
  }

  /**
   * What a line refers to at the cursor, if it exists. A word such as `test` is not a folder, unless the user asks for
   * that. `folder`: where a command ran whose output the line is.
   */
  async find(line: DividedLine, folder?: string, isFolderWanted = false): Promise<Target | undefined> {
    const folders = folder === undefined ? this.folders : [folder, ...this.folders];
    for (const reference of referencesOf(line)) {
      if ('url' in reference) return reference;
      const canBeFolder = isFolderWanted || isPathLike(reference.path);
      const file = await firstExisting(candidates(reference.path, folders), canBeFolder);
      if (file !== undefined) return { file, line: reference.line, column: reference.column };
    }
    return this.findByName(line);
  }

  /** Opens what is under the cursor, or tells why not. */
  async open(line: DividedLine, folder?: string): Promise<void> {
    const target = await this.find(line, folder, true);
    if (target) return this.show(target);
    const [first] = referencesOf(line);
    if (first && 'path' in first && isPathLike(first.path)) this.reportMissing(first.path);
    else this.editor.notify('warn', 'there is no path or link here');
  }

  /** Says that a file does not exist, if what is under the cursor can only be the path of a file. */
  tellMissing(line: DividedLine): void {
    const [first] = referencesOf(line);
    if (!first || !('path' in first) || path.extname(first.path) === '') return;
    if (first.line !== undefined || first.path.includes('/')) this.reportMissing(first.path);
  }

  /** Opens a file of the session. What is elsewhere is shown first, as is an address. */
  async show(target: Target): Promise<void> {
    if ('url' in target) return this.askAboutPage(target.url);
    if ('files' in target) return this.askWhichFile(target);
    const { isInside } = await this.roots.resolve(target.file);
    if (isInside) return this.openFile(target);
    const { chat } = this;
    this.editor.send('picker.open', { chat, ...outsideFilePicker(chat, target.file, target) });
  }

  /** Asks whether an address of the agent may be opened. */
  askAboutPage(url: string): void {
    if (!URL.canParse(url)) return this.editor.notify('warn', `not an address: ${url}`);
    this.editor.send('picker.open', { chat: this.chat, ...pagePicker(this.chat, url) });
  }

  /** Opens an address that the user has seen. */
  openPage(url: string): void {
    if (parsePageAddress(url).canOpen) this.editor.send('browser.open', { url });
  }

  copy(text: string): void {
    this.editor.send('text.copy', { text });
  }

  // Agents often name a file without its folder.
  private async findByName(line: DividedLine): Promise<Target | undefined> {
    const [first] = referencesOf(line);
    if (!first || 'url' in first || path.extname(first.path) === '' || /^[./~]/.test(first.path))
      return undefined;
    const files = await filesByName(this.index, this.folders, first.path);
    const [file] = files;
    const { line: row, column } = first;
    if (files.length > 1) return { files, line: row, column };
    return file === undefined ? undefined : { file, line: row, column };
  }

  private askWhichFile(named: { readonly files: readonly string[] } & TextPosition): void {
    const { chat, folders } = this;
    this.editor.send('picker.open', { chat, ...filePicker({ ...named, chat, folder: folders[0] ?? '' }) });
  }

  private reportMissing(file: string): void {
    this.editor.notify('warn', `file not found: ${file}`);
  }

  // The program for pictures may be any program, so it gets only files that are pictures or sounds by name and content.
  async openFile({ file, line, column }: FoundFile): Promise<void> {
    const { chat, editor } = this;
    if (await isMediaFile(file)) editor.send('media.open', { path: file });
    else editor.send('file.open', { chat, path: file, line, column });
  }
}

function referencesOf({ before, after }: DividedLine): readonly Reference[] {
  return referencesAt(before + after, before.length);
}

// Diffs of git name a file with a/ or b/ before it.
function candidates(name: string, folders: readonly string[]): readonly string[] {
  const names = [name, ...(/^[ab]\/./.test(name) ? [name.slice(2)] : [])];
  return names.flatMap((each) => folders.map((folder) => absolutePath(each, folder)));
}

async function firstExisting(files: readonly string[], canBeFolder: boolean): Promise<string | undefined> {
  for (const file of files) {
    const facts = await fs.stat(file).catch(() => undefined);
    if (facts && (canBeFolder || facts.isFile())) return file;
  }
  return undefined;
}

// A word of prose is not the name of a missing file.
function isPathLike(name: string): boolean {
  return name.includes('/') || path.extname(name) !== '';
}
