import { setTimeout as pause } from 'node:timers/promises';
import type { NeovimClient } from 'neovim';
import { Host as RemotePluginHost } from 'neovim/lib/host';
import { guarded, realClock } from './clock.ts';
import { Host } from './host.ts';
import { FileLog } from './log.ts';
import { NvimEditor } from './nvim/editor.ts';
import { hasLeash } from './processes.ts';

const patienceMs = 100;
/** More errors than these that nobody handles mean that something is broken for good: a new process is better. */
const mostErrors = { count: 20, withinMs: 10_000 };
// Neovim kills us after two seconds.
const writeMs = 1_500;

/** What a process of our own does besides: it ends when its work has. */
let ownProcess: { readonly hosts: Host[]; exit(): void } | undefined;

/** Puts the program together around a Neovim. `rplugin/node/acp.js` calls this on its first message. */
export function createHost(nvim: NeovimClient): Host {
  const log = new FileLog();
  const host = new Host({ editor: new NvimEditor(nvim, log), clock: guarded(realClock, log), log });
  ownProcess?.hosts.push(host);
  nvim.on('disconnect', () => {
    if (ownProcess) void leave([host], ownProcess.exit);
    else host.dispose();
  });
  return host;
}

// Neovim waits for us before it ends. Agents that take their time are left to the leash, which outlives us.
async function leave(hosts: readonly Host[], exit: () => void): Promise<void> {
  const ended = Promise.allSettled(hosts.map((host) => host.shutdown()));
  const written = Promise.allSettled(hosts.map((host) => host.written()));
  const isEnough = Promise.all([pause(patienceMs), Promise.race([written, pause(writeMs)])]);
  await (hasLeash ? Promise.race([ended, isEnough]) : ended);
  exit();
}

/** Serves a Neovim over stdio as `neovim-node-host` does, in a process that is ours alone. */
export function serve(): void {
  const hosts: Host[] = [];
  const exit = () => process.exit(0);
  ownProcess = { hosts, exit };
  const shutDown = () => void leave(hosts, exit);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, shutDown);
  // Neovim closing the pipe while a frame is under way is an ordinary end, which `disconnect` handles.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  outliveErrors(hosts);
  void new RemotePluginHost().start({ proc: process });
}

/** An error that nobody handles belongs to one message, timer or chat: it is told, and everything else goes on. */
function outliveErrors(hosts: readonly Host[]): void {
  let recent: readonly number[] = [];
  const isTooMuch = () => {
    const now = performance.now();
    recent = [...recent, now].filter((at) => now - at < mostErrors.withinMs);
    return recent.length > mostErrors.count;
  };
  const report = (error: unknown) => {
    process.stderr.write(`unhandled: ${String(error)}\n`);
    for (const host of hosts) host.reportBug(error);
    if (isTooMuch()) process.exit(1);
  };
  process.on('unhandledRejection', report);
  process.on('uncaughtException', report);
}
