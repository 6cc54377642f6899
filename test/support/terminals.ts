import { onTestFinished } from 'vitest';
import { realClock } from '../../src/clock.ts';
import { NodePtyLauncher } from '../../src/nvim/pty.ts';
import type { CommandRun } from '../../src/ports/terminals.ts';
import type { Wish, WorkPlace } from '../../src/ports/workspace.ts';
import { Leash } from '../../src/processes.ts';
import type { TerminalReport } from '../../src/session/events.ts';
import type { Terminal } from '../../src/workspace/terminal.ts';
import { Terminals } from '../../src/workspace/terminals.ts';
import { aFolder } from './temp.ts';

export function aRun(command: string, ...args: readonly string[]): CommandRun {
  return { command, args, env: {}, cwd: undefined, byteLimit: undefined };
}

/** A line for a shell, as most agents send it. */
export function aScript(script: string, fields: Partial<CommandRun> = {}): CommandRun {
  return { ...aRun('sh', '-c', script), ...fields };
}

/** The terminals of a session, with real commands in them. */
export function someTerminals({
  isConsented = true,
  shell = '/bin/sh',
  isElsewhere = false,
  /** What a question of the agent showed, and the user allowed. */
  allowed = [] as readonly string[],
} = {}) {
  const leash = new Leash();
  const reports: TerminalReport[] = [];
  const wishes: Wish[] = [];
  const opened: Terminal[] = [];
  const cwd = aFolder();
  const place = {
    chat: 1,
    cwd,
    directories: [],
    isElsewhere,
    takeAllowed: (run: Parameters<NonNullable<WorkPlace['takeAllowed']>>[0]) =>
      allowed.includes([run.command, ...run.args].join(' ')),
    consent: (wish: Wish) => {
      wishes.push(wish);
      return Promise.resolve(isConsented);
    },
    report: (patch: TerminalReport) => void reports.push(patch),
  };
  const terminals = new Terminals(place, {
    ptys: new NodePtyLauncher(leash),
    clock: realClock,
    shell: () => shell,
    onOpen: (terminal) => opened.push(terminal),
  });
  onTestFinished(async () => {
    await terminals.end();
    leash.dispose();
  });
  /** Runs a command to its end. */
  const run = async (command: CommandRun) => {
    const id = await terminals.create(command);
    const exit = await terminals.waitForExit(id, new AbortController().signal);
    return { id, ...terminals.output(id), exit };
  };
  return { terminals, reports, wishes, opened, cwd, run, leash };
}
