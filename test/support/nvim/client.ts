import type { ChildProcess } from 'node:child_process';
import { attach, type NeovimClient } from 'neovim';
import { getLogger } from 'neovim/lib/utils/logger';
import { once } from '../../../src/base/once.ts';

const silent = { info: ignore, warn: ignore, error: ignore, debug: ignore, level: 'error' } as never;

/** Connects to Neovim without logging. */
export function connect(child: ChildProcess): NeovimClient {
  keepConsole();
  return attach({ proc: child, options: { logger: silent } });
}

// Decoding the first window makes the client create its own logger, which replaces `console`.
const keepConsole = once(() => {
  const ours = { ...console };
  getLogger();
  Object.assign(console, ours);
});

function ignore(): void {}
