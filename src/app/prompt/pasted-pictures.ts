import fs from 'node:fs';
import path from 'node:path';
import { once } from '../../base/once.ts';
import { type ClipboardPorts, readClipboardPicture } from '../../clipboard/clipboard.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import type { ContextAnswer } from '../../ports/prompt-sources.ts';

const maxSameTime = 1_000;

interface PastedPicturesPorts extends ClipboardPorts {
  readonly editor: Editor;
  readonly clock: Clock;
}

/** Takes pictures from the clipboard, keeps them in files, and puts mentions of them into the prompt. */
export class PastedPictures {
  private readonly ports: PastedPicturesPorts;
  private readonly ending = new AbortController();
  private current: Promise<void> | undefined;

  constructor(ports: PastedPicturesPorts) {
    this.ports = ports;
  }

  /** Puts the picture in the clipboard into a folder, and a mention of it into the prompt of a chat. */
  async paste(chat: number, folder: string): Promise<void> {
    const { editor } = this.ports;
    if (this.ending.signal.aborted) return;
    if (this.current) return editor.notify('warn', 'a picture is being pasted already');
    this.current = this.run(chat, folder);
    try {
      await this.current;
    } finally {
      this.current = undefined;
    }
  }

  /** Ends the program that reads the clipboard; resolves when it is gone. Nothing is pasted afterwards. */
  readonly end = once(async () => {
    this.ending.abort();
    await this.current?.catch(() => undefined);
  });

  private async run(chat: number, folder: string): Promise<void> {
    const { editor, clock } = this.ports;
    const picture = await readClipboardPicture(this.ports, this.ending.signal);
    if (this.ending.signal.aborted) return;
    if ('problem' in picture) {
      if (picture.problem !== undefined) editor.notify('warn', picture.problem);
      return;
    }
    const name = await writePicture(folder, picture.bytes, new Date(clock.now()), picture.type.extensions[0]);
    editor.send('prompt.insert', { chat, text: `@picture:${name}` });
  }
}

// Several pictures may be pasted within a second, also by several Neovims.
async function writePicture(folder: string, bytes: Buffer, at: Date, extension: string): Promise<string> {
  await fs.promises.mkdir(folder, { recursive: true, mode: 0o700 });
  for (let number = 1; number < maxSameTime; number += 1) {
    const name = `${timeName(at)}${number === 1 ? '' : `-${number}`}${extension}`;
    try {
      await fs.promises.writeFile(path.join(folder, name), bytes, { mode: 0o600, flag: 'wx' });
      return name;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  throw new Error(`${folder} has too many pictures of the same time`);
}

function timeName(at: Date): string {
  const part = (value: number) => String(value).padStart(2, '0');
  const day = [at.getFullYear(), part(at.getMonth() + 1), part(at.getDate())].join('-');
  return `${day}-${[at.getHours(), at.getMinutes(), at.getSeconds()].map(part).join('')}`;
}

/** The folder of the pictures that were pasted, by the journal of a chat. */
export function picturesFolder(journal: string): string {
  return path.join(path.dirname(journal), 'pictures');
}

/** What `@picture:NAME` refers to. */
export function findPicture(folder: string, name: string): ContextAnswer {
  const isName = /^[\w-][\w.-]*$/.test(name);
  const file = path.join(folder, name);
  if (isName && fs.existsSync(file)) return { items: [{ path: file, name }] };
  return { items: [], problem: 'there is no such picture; :AcpPaste takes one from the clipboard' };
}
