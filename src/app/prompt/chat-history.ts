import { AcpError } from '../../base/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import type { HostOptions } from '../../ports/options.ts';
import type { HistoryFile, StoredPrompt } from '../../prompt/history-file.ts';
import { clearHistoryPicker, historyPicker } from '../../view/pickers/history.ts';

/** What Neovim gets, so that a key need not wait for the host. */
const maxSent = { count: 200, characters: 128 * 1024 };
const maxListed = 300;

interface ChatHistoryPorts {
  readonly editor: Editor;
  readonly clock: Clock;
  /** Its prompts are not remembered. */
  readonly isPrivate?: boolean;
  options(): Pick<HostOptions, 'hasHistory'>;
}

/** The earlier prompts of the folder of a chat: remembered, sent to Neovim, searched and cleared. */
export class ChatHistory {
  private readonly chat: number;
  private readonly file: HistoryFile;
  private readonly ports: ChatHistoryPorts;
  private sentVersion: string | undefined;
  private listed: readonly StoredPrompt[] = [];

  constructor(chat: number, file: HistoryFile, ports: ChatHistoryPorts) {
    this.chat = chat;
    this.file = file;
    this.ports = ports;
  }

  /** The user has sent a prompt. Neovim adds it to its own list. */
  remember(text: string): void {
    const { clock, isPrivate, options } = this.ports;
    if (!options().hasHistory || isPrivate) return;
    const at = clock.now();
    // The agent gets the prompt first.
    clock.after(0, () => this.file.append(text, at));
  }

  /** Sends the newest prompts to Neovim, unless it has them. */
  async load(): Promise<void> {
    if (this.ports.isPrivate) return;
    const version = await this.file.version();
    if (version === this.sentVersion) return;
    const prompts = await this.file.read();
    // A prompt that was remembered meanwhile is in Neovim's list already; this list may be without it.
    if ((await this.file.version()) !== version) return this.load();
    this.sentVersion = version;
    this.send(prompts);
  }

  /** Lets the user choose from the prompts that have all words of the query. */
  async show(query: string): Promise<void> {
    const { editor, clock } = this.ports;
    const all = await this.file.read();
    this.listed = distinct(all.filter(({ text }) => hasWords(text, query))).slice(0, maxListed);
    if (this.listed.length > 0) {
      return editor.send('picker.open', { ...historyPicker(this.chat, this.listed, clock.now()) });
    }
    const message = all.length === 0 ? 'no prompt of this folder is remembered' : `no prompt has "${query}"`;
    editor.notify('warn', message);
  }

  /** Puts one of the listed prompts into the prompt buffer. */
  use(index: number): void {
    const prompt = this.listed[index];
    if (!prompt) throw new AcpError('not_found', 'the list is out of date; :AcpHistory makes a new one');
    this.ports.editor.send('prompt.recall', { chat: this.chat, text: prompt.text });
  }

  async confirmClear(): Promise<void> {
    const { length } = await this.file.read();
    if (length === 0) return this.ports.editor.notify('warn', 'no prompt of this folder is remembered');
    this.ports.editor.send('picker.open', { ...clearHistoryPicker(this.chat, length) });
  }

  async clear(): Promise<void> {
    await this.file.clear();
    this.sentVersion = await this.file.version();
    this.send([]);
    this.ports.editor.notify('info', 'the prompts of this folder were forgotten');
  }

  private send(prompts: readonly StoredPrompt[]): void {
    let room = maxSent.characters;
    const texts = prompts.slice(0, maxSent.count).map(({ text }) => text);
    const count = texts.findIndex((text) => {
      room -= text.length;
      return room < 0;
    });
    this.ports.editor.send('history.set', {
      chat: this.chat,
      prompts: count === -1 ? texts : texts.slice(0, count),
    });
  }
}

function distinct(prompts: readonly StoredPrompt[]): readonly StoredPrompt[] {
  const seen = new Set<string>();
  return prompts.filter(({ text }) => !seen.has(text) && seen.add(text));
}

function hasWords(text: string, query: string): boolean {
  const lower = text.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
