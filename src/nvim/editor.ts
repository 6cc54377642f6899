import type { NeovimClient } from 'neovim';
import { AcpError } from '../base/errors.ts';
import { isRecord } from '../base/record.ts';
import type { Editor, NotificationLevel } from '../ports/editor.ts';
import type { EditorOperation, EditorOperations } from '../ports/editor-operations.ts';
import type { Log } from '../ports/log.ts';

import { answers } from './operation-answers.ts';

const longText = 256;
const receiveOperation = "return require('acp.operations').receive(...)";

/** Runs operations in Neovim through one Lua function. */
export class NvimEditor implements Editor {
  private readonly nvim: NeovimClient;
  private readonly log: Log;
  /** Rejects the calls that wait for an answer when Neovim disconnects. */
  private readonly waiting = new Set<(reason: Error) => void>();
  private isDisconnected = false;

  constructor(nvim: NeovimClient, log: Log) {
    this.nvim = nvim;
    this.log = log;
    nvim.on('disconnect', () => {
      this.isDisconnected = true;
      for (const reject of this.waiting) reject(disconnected());
    });
  }

  async call<Op extends EditorOperation>(
    op: Op,
    payload: EditorOperations[Op]['payload'],
  ): Promise<EditorOperations[Op]['answer']> {
    if (this.isDisconnected) throw disconnected();
    const answer = await this.untilDisconnected(
      this.nvim.executeLua(receiveOperation, [op, withoutUndefined(payload) as never]),
    );
    if (isRecord(answer) && answer.ok === true) return answers[op](answer.value, `the answer to ${op}`);
    const reason = isRecord(answer) ? String(answer.error) : 'no answer';
    throw new AcpError('bug', `${op} failed in Neovim: ${reason}`);
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

  send<Op extends EditorOperation>(op: Op, payload: EditorOperations[Op]['payload']): void {
    // Sent as a request, because errors in an RPC notification are lost.
    this.call(op, payload).catch((error: unknown) => {
      if (!this.isDisconnected) this.log.error(`${op} failed`, error);
    });
  }

  notify(level: NotificationLevel, message: string): void {
    this.send('user.notify', { message, level });
  }
}

function disconnected(): AcpError {
  return new AcpError('cancelled', 'Neovim has disconnected');
}

/**
 * Removes fields that are undefined: they would arrive as `vim.NIL`, which is truthy in Lua. Lists of strings and
 * numbers are not copied. A long text becomes bytes, which are a string for Neovim too: the encoder counts the bytes
 * of a string in JavaScript.
 */
function withoutUndefined(value: unknown): unknown {
  if (typeof value === 'string') return value.length > longText ? Buffer.from(value) : value;
  if (Array.isArray(value)) return isRecord(value[0]) ? value.map(withoutUndefined) : value;
  if (!isRecord(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries.map(([key, field]) => [key, withoutUndefined(field)]));
}
