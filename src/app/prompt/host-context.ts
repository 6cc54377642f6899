import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../ports/log.ts';
import type { ContextAnswer, ContextRequest } from '../../ports/prompt-sources.ts';
import { describeExit } from '../../view/pickers/terminals.ts';
import { readDiff } from '../../workspace/user-diff.ts';
import type { TerminalWindows } from '../terminals.ts';
import {
  findConversation,
  keptConversations,
  mentionableLabels,
  type OpenConversation,
  openConversations,
} from './conversations.ts';
import { findPicture } from './pasted-pictures.ts';

/** The end of the output of a command. */
const maxOutput = 64 * 1024;

interface HostContextPorts {
  readonly terminals: Pick<TerminalWindows, 'last'>;
  readonly chats: { readonly all: readonly OpenConversation[] };
  readonly log: Log;
}

/** The chat that mentions something. */
interface Asking {
  readonly chat: number;
  readonly cwd: string;
  /** Its folder of attachments, which is beside its journal. */
  readonly attachments: string;
  /** The folder of the pictures that were pasted. */
  readonly pictures: string;
}

/** Answers mentions of what the host knows: a diff, the last command, another conversation, a picture. */
export class HostContext {
  private readonly ports: HostContextPorts;

  constructor(ports: HostContextPorts) {
    this.ports = ports;
  }

  /** It never rejects. */
  async read({ name, argument }: ContextRequest, asking: Asking): Promise<ContextAnswer> {
    try {
      if (name === 'url') return { items: [{ url: argument }] };
      if (name === 'diff') return await diffAnswer(asking.cwd, argument);
      if (name === 'terminal') return this.terminalAnswer();
      if (name === 'chat') return await this.chatAnswer(argument ?? '', asking);
      if (name === 'picture') return findPicture(asking.pictures, argument ?? '');
      return { items: [], problem: 'not available' };
    } catch (error) {
      return { items: [], problem: messageOf(error) };
    }
  }

  /** What `@chat:` accepts. It never rejects. */
  async conversationNames({
    chat,
    attachments,
  }: Pick<Asking, 'chat' | 'attachments'>): Promise<readonly string[]> {
    const { chats, log } = this.ports;
    const kept = await keptConversations(attachments, log);
    return mentionableLabels(openConversations(chats.all, chat), kept);
  }

  private terminalAnswer(): ContextAnswer {
    const last = this.ports.terminals.last();
    if (!last) return { items: [], problem: 'no command has run yet' };
    const { line, text, exit } = last;
    const end = text.slice(-maxOutput);
    const cut = end.length < text.length ? '… the beginning is not shown\n' : '';
    const state = exit ? describeExit(exit) : 'still running';
    const output = `$ ${line}\n${cut}${end.replace(/\n*$/, '\n')}(${state})\n`;
    return { items: [{ name: `output of ${line}`, text: output }] };
  }

  private async chatAnswer(words: string, { chat, attachments }: Asking): Promise<ContextAnswer> {
    const { chats, log } = this.ports;
    const found =
      findConversation(words, openConversations(chats.all, chat)) ??
      findConversation(words, await keptConversations(attachments, log));
    if (!found) return { items: [], problem: 'there is no other conversation with this title or agent' };
    const { title, text } = found.read();
    return { items: [{ name: `conversation "${title}"`, text, mimeType: 'text/markdown' }] };
  }
}

async function diffAnswer(cwd: string, argument: string | undefined): Promise<ContextAnswer> {
  const { text, base } = await readDiff(cwd, argument);
  if (text === '') return { items: [], problem: `there are no ${base}` };
  return { items: [{ name: base, text, mimeType: 'text/x-diff' }] };
}
