import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Disposable } from '../../base/disposable.ts';
import { AcpError, messageOf } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import { addedVariables, commandLine, fullCommandLine, isReadableShell } from '../../base/shell.ts';
import { isQuietVariable } from '../../model/tools/quiet-variables.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Verdict } from '../../ports/permissions.ts';
import type {
  CommandRequest,
  ExitStatus,
  PtyLauncher,
  TerminalOutput,
  TerminalService,
  TerminalSize,
} from '../../ports/terminals.ts';
import type { WorkspaceOptions } from '../../ports/workspace.ts';
import { Roots } from '../files/roots.ts';
import {
  commandEnvironment,
  type ResolvedProgram,
  requestedCommand,
  resolveProgram,
  shellProgram,
} from './command.ts';
import { Emulator } from './emulator.ts';
import { Terminal } from './terminal.ts';

const size: TerminalSize = { columns: 120, rows: 30 };
const reportMs = 100;
/** How often the output of a running command is written to the journal, in case the host is killed. */
const journalMs = 10_000;
/** How many ended commands an agent can still query: some agents never release a terminal. */
const maxEnded = 50;

interface TerminalPorts {
  readonly ptys: PtyLauncher;
  readonly clock: Clock;
  /** The user's shell, which runs whole command lines. */
  shell(): string;
  /** Called for each new terminal. */
  onOpen(terminal: Terminal): void;
}

/** The commands of one session: those of the agent by terminal id, and those of the user. */
export class Terminals implements TerminalService {
  private readonly options: WorkspaceOptions;
  private readonly ports: TerminalPorts;
  private readonly byId = new Map<string, Terminal>();
  private readonly roots: Roots;
  private readonly running = new Set<Terminal>();
  /** One promise per terminal that has not reported its exit yet. */
  private readonly unreported = new Set<Promise<void>>();
  /** The user allowed every command of this session. */
  private areAllAllowed = false;
  private hasEnded = false;

  constructor(options: WorkspaceOptions, ports: TerminalPorts) {
    this.options = options;
    this.roots = new Roots([options.cwd, ...options.directories]);
    this.ports = ports;
  }

  async create(run: CommandRequest, withdrawn?: AbortSignal): Promise<string> {
    const cwd = run.cwd ?? this.options.cwd;
    await this.requireConsent(run, cwd, withdrawn);
    const env = commandEnvironment(process.env, run);
    const program = resolveProgram(run, { cwd, env, shell: this.ports.shell() });
    const terminal = await this.start(program, {
      line: commandLine(run),
      cwd,
      env,
      byteLimit: run.byteLimit,
    });
    this.byId.set(terminal.facts.id, terminal);
    this.options.onCommand?.(terminal.facts.id);
    this.forgetOldestEnded();
    return terminal.facts.id;
  }

  /** Runs a command line for the user, in the folder of the session. */
  async runLine(line: string): Promise<Terminal> {
    const env = commandEnvironment(process.env, { env: {} });
    const program = shellProgram(line, this.ports.shell());
    return this.start(program, { line, cwd: this.options.cwd, env, byteLimit: undefined });
  }

  output(terminalId: string): TerminalOutput {
    return this.find(terminalId).output();
  }

  async waitForExit(terminalId: string, withdrawn: AbortSignal): Promise<ExitStatus> {
    const { ended } = this.find(terminalId);
    if (withdrawn.aborted) throw cancelledError();
    let stop = () => {};
    const cancelled = new Promise<never>((_, reject) => {
      stop = () => reject(cancelledError());
      withdrawn.addEventListener('abort', stop, { once: true });
    });
    return Promise.race([ended, cancelled]).finally(() => withdrawn.removeEventListener('abort', stop));
  }

  async kill(terminalId: string): Promise<void> {
    const terminal = this.find(terminalId);
    await terminal.end();
  }

  async release(terminalId: string): Promise<void> {
    const terminal = this.find(terminalId);
    this.byId.delete(terminalId);
    await terminal.end();
  }

  /** Ends the commands of an agent that is gone. Their ids are unknown from now on. */
  abandon(): void {
    // `end()` waits for them; until then nothing depends on them.
    for (const terminal of this.byId.values()) void terminal.end();
    this.byId.clear();
  }

  /** Settles when no command runs and every exit was reported. After it no command is started. */
  readonly end = once(async () => {
    this.hasEnded = true;
    await Promise.all([...this.running].map((terminal) => terminal.end()));
    await Promise.allSettled(this.unreported);
  });

  // The transcript keeps the last lines of their output.
  private forgetOldestEnded(): void {
    const ended = [...this.byId].filter(([, terminal]) => terminal.exit && !this.running.has(terminal));
    for (const [id] of ended.slice(0, -maxEnded)) this.byId.delete(id);
  }

  private find(terminalId: string): Terminal {
    const terminal = this.byId.get(terminalId);
    if (!terminal) throw new AcpError('not_found', `unknown terminal ${terminalId}`);
    return terminal;
  }

  private async requireConsent(
    run: CommandRequest,
    cwd: string,
    withdrawn: AbortSignal | undefined,
  ): Promise<void> {
    const requested = requestedCommand(run);
    const isUnreadable = typeof requested === 'string' && !isReadableShell(this.ports.shell());
    const unclear = isUnreadable ? ["the rules can not read the lines of the shell in 'shell'"] : [];
    const command = { commands: [requested], cwd, unclear };
    const rule = this.options.ruleAbout?.({ kind: 'execute', ...command });
    if (rule === 'deny')
      throw new AcpError('denied', `a rule of the user denies running ${fullCommandLine(run)}`);
    if (this.areAllAllowed && rule !== 'ask') return;
    const since = this.options.cancelCount?.();
    const variables = this.variablesThatCount(run);
    const reason = await this.reasonToAsk(cwd, variables);
    if (reason === undefined && this.options.usePermission?.({ ...run, cwd })) return;
    const subject = fullCommandLine(run);
    const isAllowed = await this.options.consent({
      kind: 'execute',
      subject,
      details: [...this.otherFolder(cwd), ...variables.map((variable) => `with ${variable}`)],
      // The reasons to ask even if the command was allowed are also reasons to ask in spite of a rule.
      action: reason === undefined ? command : { ...command, unclear: [...unclear, reason] },
      reason: reason ?? this.reasonOfRules(rule),
      always: {
        name: 'Allow all commands for this session',
        remember: () => {
          this.areAllAllowed = true;
        },
      },
      withdrawn,
      since,
    });
    if (!isAllowed) throw new AcpError('denied', `the user denied running ${subject}`);
  }

  private reasonOfRules(rule: Verdict | undefined): string | undefined {
    if (rule === 'ask') return 'Your rules do not allow it without a question.';
    return this.options.hasPermissions?.() ? 'You have not approved this command in this turn.' : undefined;
  }

  private otherFolder(cwd: string): readonly string[] {
    return path.resolve(cwd) === path.resolve(this.options.cwd) ? [] : [`in ${cwd}`];
  }

  /** The variables that may change what a command does. */
  private variablesThatCount(run: CommandRequest): readonly string[] {
    const usual = commandEnvironment(process.env, { env: {} });
    const [shell] = this.ports.shell().split(/\s+/);
    return addedVariables(
      process.env,
      run,
      (name, value) =>
        usual[name] === value || (name === 'SHELL' && value === shell) || isQuietVariable(name, value),
    );
  }

  // Reasons to ask even if the user has approved the same command in this turn.
  private async reasonToAsk(cwd: string, variables: readonly string[]): Promise<string | undefined> {
    if (this.options.isRemote) return 'The agent is on another machine; this command would run on yours.';
    if (!(await this.roots.resolve(cwd)).isInside)
      return 'The working directory is outside the folders of this session.';
    return variables.length > 0 ? 'The agent sets environment variables for this command.' : undefined;
  }

  private async start(
    program: ResolvedProgram,
    {
      line,
      cwd,
      env,
      byteLimit,
    }: { line: string; cwd: string; env: Record<string, string>; byteLimit: number | undefined },
  ): Promise<Terminal> {
    const facts = {
      id: `term_${randomUUID().slice(0, 8)}`,
      line,
      cwd,
      startedAt: this.ports.clock.now(),
      byteLimit,
    };
    const emulator = await Emulator.open(size, (text) => terminal.writeReply(text));
    const terminal: Terminal = new Terminal(facts, emulator, this.ports.clock);
    if (this.hasEnded) throw new AcpError('cancelled', 'the session is closed');
    this.trackExit(this.reportOutput(terminal));
    if ('failure' in program) this.fail(terminal, program);
    else this.launch(terminal, program, env);
    this.ports.onOpen(terminal);
    return terminal;
  }

  private launch(
    terminal: Terminal,
    { file, args }: { file: string; args: readonly string[] },
    env: Record<string, string>,
  ): void {
    const onOutput = (bytes: Buffer) => terminal.receiveOutput(bytes);
    try {
      const pty = this.ports.ptys.open({ ...size, file, args, env, cwd: terminal.facts.cwd, onOutput });
      this.running.add(terminal);
      // `terminal.ended` settles with it.
      void terminal.attach(pty);
      // Never rejects; `terminal.end()` waits for it too.
      void pty.allExited.then(() => this.running.delete(terminal));
    } catch (error) {
      this.fail(terminal, { failure: `${terminal.facts.line}: ${messageOf(error)}`, code: 126 });
    }
  }

  private fail(terminal: Terminal, { failure, code }: { failure: string; code: number }): void {
    // `terminal.ended` settles with it.
    void terminal.fail(failure, code);
  }

  private trackExit(reported: Promise<void>): void {
    const tracked = reported.finally(() => this.unreported.delete(tracked));
    this.unreported.add(tracked);
  }

  /** Reports the last lines of the output, at most once in `reportMs`, and the exit. */
  private async reportOutput(terminal: Terminal): Promise<void> {
    const { clock } = this.ports;
    const { id: terminalId, line: command, cwd } = terminal.facts;
    let waiting: Disposable | undefined;
    let journalledAt = clock.elapsed();
    this.options.report({ terminalId, command, cwd });
    const report = () => {
      waiting = undefined;
      const isJournalled = clock.elapsed() - journalledAt >= journalMs;
      if (isJournalled) journalledAt = clock.elapsed();
      this.options.report({
        terminalId,
        text: terminal.tail(),
        ...(!isJournalled && { isNotJournaled: true }),
      });
    };
    const watching = terminal.onChange(() => {
      waiting ??= clock.after(reportMs, report);
    });
    const exit = await terminal.ended;
    waiting?.dispose();
    watching.dispose();
    this.options.report({ terminalId, text: terminal.tail(), exit });
  }
}

function cancelledError(): AcpError {
  return new AcpError('cancelled', 'the request was cancelled');
}
