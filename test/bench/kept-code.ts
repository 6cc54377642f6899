import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchChat, startBenchNvim } from './bench-chat.ts';

/**
 * Starts a host in an environment with XDG_CACHE_HOME, and waits until it has kept its compiled code there. Every start
 * of a user but the first one after an update has such code.
 */
export async function keepCode(
  env: Record<string, string> & { readonly XDG_CACHE_HOME: string },
  use: (chat: BenchChat) => Promise<unknown>,
): Promise<void> {
  const chat = await startBenchNvim('plugin', { env });
  try {
    await chat.open();
    await use(chat);
    const code = path.join(env.XDG_CACHE_HOME, 'nvim', 'acp', 'code');
    const isSaved = () => fs.existsSync(code) && fs.readdirSync(code).some((name) => name.endsWith('.code'));
    while (!isSaved()) await delay(100);
  } finally {
    await chat.end();
  }
}
