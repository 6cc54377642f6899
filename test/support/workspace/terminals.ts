import { onTestFinished } from 'vitest';
import type { TerminalReport } from '../../../src/model/session-events.ts';
import type { CommandRequest } from '../../../src/ports/terminals.ts';
import type { ConsentRequest, WorkspaceOptions } from '../../../src/ports/workspace.ts';
import { realClock } from '../../../src/system/clock.ts';
import { OrphanGuard } from '../../../src/system/orphan-guard.ts';
import { NodePtyLauncher } from '../../../src/system/pty.ts';
import type { Terminal } from '../../../src/workspace/terminals/terminal.ts';
import { Terminals } from '../../../src/workspace/terminals/terminals.ts';
import { aFolder } from '../system/temp.ts';

export function aRun(command: string, ...args: readonly string[]): CommandRequest {
  return { command, args, env: {}, cwd: undefined, byteLimit: undefined };
}

/** A shell command line, as most agents send it. */
export function aScript(script: string, fields: Partial<CommandRequest> = {}): CommandRequest {
  return { ...aRun('sh', '-c', script), ...fields };
}

/** The terminals of a session, with real commands. */
export function someTerminals({
  isConsented = true,
  shell = '/bin/sh',
  isRemote = false,
  /** The commands that the user has allowed. */
  allowed = [] as readonly string[],
} = {}) {
  const orphanGuard = new OrphanGuard();
  const reports: TerminalReport[] = [];
  const wishes: ConsentRequest[] = [];
  const opened: Terminal[] = [];
  const cwd = aFolder();
  const place = {
    chat: 1,
    cwd,
    directories: [],
    isRemote,
    usePermission: (run: Parameters<NonNullable<WorkspaceOptions['usePermission']>>[0]) =>
      allowed.includes([run.command, ...run.args].join(' ')),
    consent: (wish: ConsentRequest) => {
      wishes.push(wish);
      return Promise.resolve(isConsented);
    },
    report: (patch: TerminalReport) => void reports.push(patch),
  };
  const terminals = new Terminals(place, {
    ptys: new NodePtyLauncher(orphanGuard),
    clock: realClock,
    shell: () => shell,
    onOpen: (terminal) => opened.push(terminal),
  });
  onTestFinished(async () => {
    await terminals.end();
    orphanGuard.dispose();
  });
  /** Runs a command to its end. */
  const run = async (command: CommandRequest) => {
    const id = await terminals.create(command);
    const exit = await terminals.waitForExit(id, new AbortController().signal);
    return { id, ...terminals.output(id), exit };
  };
  return { terminals, reports, wishes, opened, cwd, run, orphanGuard };
}
