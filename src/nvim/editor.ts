import type { NeovimClient } from 'neovim';
import { AcpError } from '../base/errors.ts';
import { replaceInvisible, visibleSubstitute } from '../base/invisible-characters.ts';
import { isRecord } from '../base/record.ts';
import type { Editor, NotificationLevel } from '../ports/editor.ts';
import type { EditorOperation, EditorOperations } from '../ports/editor-operations.ts';
import type { Log } from '../ports/log.ts';
import { encodeMessage } from './encode-message.ts';
import { answers } from './operation-answers.ts';

const receiveOperation = "return require('acp.operations').receive(...)";
const receiveOperations = "return require('acp.operations').receive_all(...)";
/** They replace what Neovim knows of a chat. */
const states: readonly EditorOperation[] = ['prompt.state', 'chat.status'];

type Sent = readonly [op: EditorOperation, payload: object];

/** Runs operations in Neovim. */
export class NvimEditor implements Editor {
  private readonly nvim: NeovimClient;
  private readonly log: Log;
  /** Rejects the calls that wait for an answer when Neovim disconnects. */
  private readonly waiting = new Set<(reason: Error) => void>();
  private isDisconnected = false;
  /** What was sent in this turn of the event loop. */
  private unsent: Sent[] = [];

  constructor(nvim: NeovimClient, log: Log) {
    this.nvim = nvim;
    this.log = log;
    encodeOperations(nvim);
    nvim.on('disconnect', () => {
      this.isDisconnected = true;
      for (const reject of this.waiting) reject(disconnected());
    });
  }

  async call<Op extends EditorOperation>(
    op: Op,
    payload: EditorOperations[Op]['payload'],
  ): Promise<EditorOperations[Op]['answer']> {
    this.sendWaiting();
    return readAnswer(op, await this.request(receiveOperation, [op, payload]));
  }

  private async request(code: string, values: readonly unknown[]): Promise<unknown> {
    if (this.isDisconnected) throw disconnected();
    return this.untilDisconnected(this.nvim.executeLua(code, values as never[]));
  }

  private async untilDisconnected(answer: Promise<unknown>): Promise<unknown> {
    let give = (_: Error): void => undefined;
    const loss = new Promise<never>((_, reject) => {
      give = reject;
    });
    this.waiting.add(give);
    try {
      return await Promise.race([answer, loss]);
    } finally {
      this.waiting.delete(give);
    }
  }

  /**
   * What is sent at the same time is one message, because Neovim takes longer for a message than for most operations. It
   * has only the last of several states. The agent gets a prompt before Neovim hears of it.
   */
  send<Op extends EditorOperation>(op: Op, payload: EditorOperations[Op]['payload']): void {
    if (this.unsent.length === 0) setImmediate(() => this.sendWaiting());
    if (states.includes(op)) this.unsent = this.unsent.filter((sent) => !isSameChat(sent, [op, payload]));
    this.unsent.push([op, payload]);
  }

  // Sent as a request, because errors in an RPC notification are lost.
  private sendWaiting(): void {
    const sent = this.unsent;
    if (sent.length === 0) return;
    this.unsent = [];
    this.request(receiveOperations, [sent]).then(
      (given) => {
        for (const [index, [op]] of sent.entries())
          this.logFailure(op, Array.isArray(given) ? given[index] : given);
      },
      (error: unknown) => {
        if (!this.isDisconnected) this.log.error(`${sent.map(([op]) => op).join(', ')} failed`, error);
      },
    );
  }

  private logFailure(op: EditorOperation, answer: unknown): void {
    try {
      readAnswer(op, answer);
    } catch (error) {
      this.log.error(`${op} failed`, error);
    }
  }

  // Messages name files, sessions, settings and errors as others wrote them.
  notify(level: NotificationLevel, message: string): void {
    const shown = replaceInvisible(message.toWellFormed().replaceAll('\r\n', '\n'), visibleSubstitute);
    this.send('user.notify', { message: shown.replaceAll('\r', visibleSubstitute('\r')), level });
  }
}

/** Whether two operations are the same one for the same chat. */
function isSameChat([op, payload]: Sent, [otherOp, other]: Sent): boolean {
  return op === otherOp && 'chat' in payload && 'chat' in other && payload.chat === other.chat;
}

function readAnswer<Op extends EditorOperation>(op: Op, answer: unknown): EditorOperations[Op]['answer'] {
  if (isRecord(answer) && answer.ok === true) return answers[op](answer.value, `the answer to ${op}`);
  const reason = isRecord(answer) ? String(answer.error) : 'no answer';
  throw new AcpError('bug', `${op} failed in Neovim: ${reason}`);
}

function disconnected(): AcpError {
  return new AcpError('cancelled', 'Neovim has disconnected');
}

interface Transport {
  encodeToBuffer(message: unknown): Buffer;
}

// Other plugins may use the same client.
function encodeOperations(nvim: NeovimClient): void {
  const { transport } = nvim as unknown as { readonly transport: Transport };
  const encodeOther = transport.encodeToBuffer.bind(transport);
  transport.encodeToBuffer = (message) =>
    isOperation(message) ? encodeMessage(message) : encodeOther(message);
}

function isOperation(message: unknown): boolean {
  const [, , , values] = message as readonly unknown[];
  const code = Array.isArray(values) ? values[0] : undefined;
  return code === receiveOperation || code === receiveOperations;
}
