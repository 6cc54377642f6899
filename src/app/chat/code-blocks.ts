import fs from 'node:fs/promises';
import { absolutePath, displayPath } from '../../base/paths.ts';
import type { Editor } from '../../ports/editor.ts';
import type { FileService } from '../../ports/files.ts';
import { type CodeBlock, codeBlockAt, isPatch } from '../../view/code/code-block.ts';
import { type CodeChange, codeChanges } from '../../view/code/code-changes.ts';
import { namedFile } from '../../view/code/named-file.ts';
import { codePicker } from '../../view/pickers/code.ts';
import type { TranscriptView } from '../../view/transcript/transcript.ts';
import { readBuffer } from '../../workspace/files/buffer.ts';
import { readText } from '../../workspace/files/disk.ts';
import { textOf } from '../../workspace/files/document.ts';

interface CodeBlockContext {
  readonly chat: number;
  readonly view: TranscriptView;
  readonly editor: Editor;
  files(): FileService | undefined;
}

/** What the user was offered last. */
interface Offer {
  readonly id: number;
  readonly file: string;
  readonly name: string;
  readonly current: string | undefined;
  readonly changes: readonly CodeChange[];
}

/** The code blocks in the messages of the agent. */
export class CodeBlocks {
  private readonly context: CodeBlockContext;
  private offer: Offer | undefined;
  private count = 0;

  constructor(context: CodeBlockContext) {
    this.context = context;
  }

  /** The lines of the code block that a line of the transcript is in. */
  linesAt(block: number, line: number): readonly string[] | undefined {
    return this.find(block, line)?.lines;
  }

  /** Asks how the code block is put into the file that it names. */
  async propose(block: number, line: number): Promise<void> {
    const { chat, editor, view } = this.context;
    const code = this.find(block, line);
    if (!code) return editor.notify('warn', 'there is no code block here');
    const named = namedFile(code);
    if (!named) return editor.notify('warn', 'this code block names no file; gy yanks it');
    const file = absolutePath(named.path, view.cwd, view.home);
    const name = displayPath(file, view.cwd, view.home);
    const current = await this.textOf(file);
    const changes = codeChanges(code, named, current);
    if (changes.length === 0) {
      const problem = isPatch(code) ? 'this patch does not fit' : 'this code is already in';
      return editor.notify('info', `${problem} ${name}`);
    }
    this.count += 1;
    this.offer = { id: this.count, file, name, current, changes };
    editor.send('picker.open', { chat, ...codePicker(chat, this.offer, code) });
  }

  /** Puts the code into its file as the user chose. It is under review then, like a change of the agent. */
  async put(id: number, choice: number): Promise<void> {
    const { editor } = this.context;
    const { offer } = this;
    const change = offer?.id === id ? offer.changes[choice] : undefined;
    if (!offer || !change) return;
    this.offer = undefined;
    const files = this.context.files();
    if (!files?.put) return editor.notify('warn', 'files of this chat can not be written');
    await files.put({ path: offer.file, content: change.text, basis: offer.current });
    editor.notify('info', `changed ${offer.name}; x in :AcpReview rejects it`);
  }

  private find(block: number, line: number): CodeBlock | undefined {
    const { view } = this.context;
    const { entry } = view.targetAt(block, line) ?? {};
    const row = view.textRowAt(block, line);
    if (entry?.kind !== 'message' || row === undefined) return undefined;
    return codeBlockAt(entry.text.toString(), row);
  }

  private async textOf(file: string): Promise<string | undefined> {
    const real = await fs.realpath(file).catch(() => file);
    const buffer = await readBuffer(this.context.editor, { path: real });
    return buffer ? textOf(buffer) : readText(real);
  }
}
