import type { NeovimClient } from 'neovim';
import { isRecord } from '../base.ts';
import { AcpError } from '../errors.ts';
import type { Editor, Log } from '../ports/host.ts';

const door = "return require('acp.bridge').receive(...)";

/** Neovim as the host sees it: one Lua function that takes every operation. */
export class NvimEditor implements Editor {
  private readonly nvim: NeovimClient;
  private readonly log: Log;
  /** Those who wait for an answer: none comes from a Neovim that is gone. */
  private readonly waiting = new Set<(reason: Error) => void>();
  private isGone = false;

  constructor(nvim: NeovimClient, log: Log) {
    this.nvim = nvim;
    this.log = log;
    nvim.on('disconnect', () => {
      this.isGone = true;
      for (const reject of this.waiting) reject(gone());
    });
  }

  async call(op: string, payload: object): Promise<unknown> {
    if (this.isGone) throw gone();
    const answer = await this.unlessGone(this.nvim.executeLua(door, [op, withoutGaps(payload) as never]));
    if (isRecord(answer) && answer.ok === true) return answer.value;
    const reason = isRecord(answer) ? String(answer.error) : 'no answer';
    throw new AcpError('bug', `${op} failed in Neovim: ${reason}`);
  }

  private async unlessGone(answer: Promise<unknown>): Promise<unknown> {
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

  tell(op: string, payload: object): void {
    // A request all the same: an error inside a notified Lua call would reach nobody.
    this.call(op, payload).catch((error: unknown) => {
      if (!this.isGone) this.log.error(`${op} was not done`, error);
    });
  }
}

function gone(): AcpError {
  return new AcpError('cancelled', 'Neovim is gone');
}

/**
 * Leaves out what is undefined: it would arrive as `vim.NIL`, which is true in Lua. Lists of texts and numbers, which
 * are what there is most of, are taken as they are.
 */
export function withoutGaps(value: unknown): unknown {
  if (Array.isArray(value)) return isRecord(value[0]) ? value.map(withoutGaps) : value;
  if (!isRecord(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(entries.map(([key, field]) => [key, withoutGaps(field)]));
}
