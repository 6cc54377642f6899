import type { NeovimClient } from 'neovim';
import { Host as RemotePluginHost } from 'neovim/lib/host';
import { guarded, realClock } from './clock.ts';
import { Host } from './host.ts';
import { FileLog } from './log.ts';
import { NvimEditor } from './nvim/editor.ts';
import { hasLeash } from './processes.ts';

const patienceMs = 100;

/** What a process of our own does besides: it ends when its work has. */
let ownProcess: { readonly hosts: Host[]; exit(): void } | undefined;

/** Puts the program together around a Neovim. `rplugin/node/acp.js` calls this on its first message. */
export function createHost(nvim: NeovimClient): Host {
  const log = new FileLog();
  const host = new Host({ editor: new NvimEditor(nvim, log), clock: guarded(realClock, log), log });
  ownProcess?.hosts.push(host);
  nvim.on('disconnect', () => {
    const ended = host.shutdown();
    if (ownProcess) void leave([ended], ownProcess.exit);
  });
  return host;
}

// Neovim waits for us before it ends. Agents that take their time are left to the leash, which outlives us.
async function leave(ends: readonly Promise<void>[], exit: () => void): Promise<void> {
  const patience = new Promise((resolve) => {
    setTimeout(resolve, patienceMs);
  });
  await (hasLeash ? Promise.race([Promise.all(ends), patience]) : Promise.all(ends));
  exit();
}

/** Serves a Neovim over stdio as `neovim-node-host` does, in a process that is ours alone. */
export function serve(): void {
  const hosts: Host[] = [];
  const exit = () => process.exit(0);
  ownProcess = { hosts, exit };
  const shutDown = () =>
    void leave(
      hosts.map((host) => host.shutdown()),
      exit,
    );
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, shutDown);
  // Neovim closing the pipe while a frame is under way is an ordinary end, which `disconnect` handles.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  process.on('unhandledRejection', (reason) => process.stderr.write(`unhandled: ${String(reason)}\n`));
  // One error must not end every chat. What it was about is broken; all else goes on.
  process.on('uncaughtException', (error) => {
    process.stderr.write(`uncaught: ${error.stack ?? error}\n`);
    for (const host of hosts) host.logError('an error that nobody caught', error);
  });
  void new RemotePluginHost().start({ proc: process });
}
