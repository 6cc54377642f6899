import { randomUUID } from 'node:crypto';
import type { Disposable } from '../base.ts';
import { AcpError, messageOf } from '../errors.ts';
import type { Clock } from '../ports/host.ts';
import type {
  CommandRun,
  ExitStatus,
  PtyLauncher,
  TerminalOutput,
  TerminalService,
  TerminalSize,
} from '../ports/terminals.ts';
import type { WorkPlace } from '../ports/workspace.ts';
import { Emulator } from './emulator.ts';
import {
  addedVariables,
  environmentOf,
  lineOf,
  type Program,
  programOf,
  throughShell,
  wholeLineOf,
} from './program.ts';
import { Roots } from './roots.ts';
import { Terminal } from './terminal.ts';

const size: TerminalSize = { columns: 120, rows: 30 };
const reportMs = 100;
/** What is shown while it goes on is written down so often, in case we are killed. */
const keepMs = 10_000;
/** So many commands that are over an agent may still ask about; some agents never release one. */
const maxOver = 50;

export interface TerminalPorts {
  readonly ptys: PtyLauncher;
  readonly clock: Clock;
  /** The shell of the user, for what is a whole line. */
  shell(): string;
  /** A terminal is there to be shown. */
  onOpen(terminal: Terminal): void;
}

/** The commands of one session: the agent's by its ids, and those of its user. */
export class Terminals implements TerminalService, Disposable {
  private readonly place: WorkPlace;
  private readonly ports: TerminalPorts;
  private readonly known = new Map<string, Terminal>();
  private readonly roots: Roots;
  private readonly running = new Set<Terminal>();
  /** The user allowed every command of this session. */
  private areAllAllowed = false;
  private isDisposed = false;

  constructor(place: WorkPlace, ports: TerminalPorts) {
    this.place = place;
    this.roots = new Roots([place.cwd, ...place.directories]);
    this.ports = ports;
  }

  async create(run: CommandRun, withdrawn?: AbortSignal): Promise<string> {
    const cwd = run.cwd ?? this.place.cwd;
    await this.needConsent(run, cwd, withdrawn);
    const env = environmentOf(process.env, run);
    const program = programOf(run, { cwd, env, shell: this.ports.shell() });
    const terminal = await this.start(program, { line: lineOf(run), cwd, env, byteLimit: run.byteLimit });
    this.known.set(terminal.facts.id, terminal);
    this.forgetOldest();
    return terminal.facts.id;
  }

  /** Runs a line for the user, in the folder of the session. */
  async runLine(line: string): Promise<Terminal> {
    const env = environmentOf(process.env, {
      command: line,
      args: [],
      env: {},
      cwd: undefined,
      byteLimit: undefined,
    });
    const program = throughShell(line, this.ports.shell());
    return this.start(program, { line, cwd: this.place.cwd, env, byteLimit: undefined });
  }

  output(terminalId: string): TerminalOutput {
    return this.find(terminalId).output();
  }

  async waitForExit(terminalId: string, withdrawn: AbortSignal): Promise<ExitStatus> {
    const { ended } = this.find(terminalId);
    if (withdrawn.aborted) throw takenBack();
    let stop = () => {};
    const cancelled = new Promise<never>((_, reject) => {
      stop = () => reject(takenBack());
      withdrawn.addEventListener('abort', stop, { once: true });
    });
    return Promise.race([ended, cancelled]).finally(() => withdrawn.removeEventListener('abort', stop));
  }

  async kill(terminalId: string): Promise<void> {
    const terminal = this.find(terminalId);
    await terminal.end();
    await terminal.ended;
  }

  async release(terminalId: string): Promise<void> {
    const terminal = this.find(terminalId);
    this.known.delete(terminalId);
    await terminal.end();
  }

  /** Ends what the agent started; it can't ask for it any more. */
  abandon(): void {
    for (const terminal of this.known.values()) void terminal.end();
    this.known.clear();
  }

  /** Settles when nothing runs any more. */
  async end(): Promise<void> {
    this.isDisposed = true;
    await Promise.all([...this.running].map((terminal) => terminal.end()));
  }

  dispose(): void {
    void this.end();
  }

  // The chat keeps the end of what they wrote.
  private forgetOldest(): void {
    const over = [...this.known].filter(([, terminal]) => terminal.exit && !this.running.has(terminal));
    for (const [id] of over.slice(0, -maxOver)) this.known.delete(id);
  }

  private find(terminalId: string): Terminal {
    const terminal = this.known.get(terminalId);
    if (!terminal) throw new AcpError('not_found', `there is no terminal ${terminalId}`);
    return terminal;
  }

  private async needConsent(run: CommandRun, cwd: string, withdrawn: AbortSignal | undefined): Promise<void> {
    if (this.areAllAllowed) return;
    const since = this.place.cancels?.();
    const variables = addedVariables(process.env, run);
    const reason = await this.suspicionOf(cwd, variables);
    if (reason === undefined && this.place.takeAllowed?.({ ...run, cwd })) return;
    const subject = wholeLineOf(run);
    const isAllowed = await this.place.consent({
      kind: 'execute',
      subject,
      details: [`in ${cwd}`, ...variables.map((variable) => `with ${variable}`)],
      reason: reason ?? 'No question that you answered in this turn showed this command.',
      always: {
        name: 'Allow all commands for this session',
        remember: () => {
          this.areAllAllowed = true;
        },
      },
      withdrawn,
      since,
    });
    if (!isAllowed) throw new AcpError('denied', `the user did not allow to run ${subject}`);
  }

  // What has to be asked even if the agent asked for the same command before.
  private async suspicionOf(cwd: string, variables: readonly string[]): Promise<string | undefined> {
    if (this.place.isElsewhere) return 'The agent is on another machine; this command would run on yours.';
    if (!(await this.roots.find(cwd)).isInside)
      return 'The folder is outside of the folders of this session.';
    return variables.length > 0 ? 'The agent sets environment variables for it.' : undefined;
  }

  private async start(
    program: Program,
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
    const emulator = await Emulator.open(size, (text) => terminal.answer(text));
    const terminal: Terminal = new Terminal(facts, emulator, this.ports.clock);
    if (this.isDisposed) throw new AcpError('cancelled', 'the session is closed');
    this.track(terminal);
    if ('failure' in program) void terminal.fail(program.failure, program.code);
    else this.launch(terminal, program, env);
    this.ports.onOpen(terminal);
    return terminal;
  }

  private launch(
    terminal: Terminal,
    { file, args }: { file: string; args: readonly string[] },
    env: Record<string, string>,
  ): void {
    const onOutput = (bytes: Buffer) => terminal.receive(bytes);
    try {
      const pty = this.ports.ptys.open({ ...size, file, args, env, cwd: terminal.facts.cwd, onOutput });
      this.running.add(terminal);
      void terminal.follow(pty);
      void pty.over.then(() => this.running.delete(terminal));
    } catch (error) {
      void terminal.fail(`${terminal.facts.line}: ${messageOf(error)}`, 126);
    }
  }

  // The chat shows the end of what is written, some times a second at most.
  private track(terminal: Terminal): void {
    const { clock } = this.ports;
    const { id: terminalId, line: command, cwd } = terminal.facts;
    let waiting: Disposable | undefined;
    let keptAt = clock.now();
    this.place.report({ terminalId, command, cwd });
    const report = () => {
      waiting = undefined;
      const isKept = clock.now() - keptAt >= keepMs;
      if (isKept) keptAt = clock.now();
      this.place.report({ terminalId, text: terminal.tail(), ...(!isKept && { isPassing: true }) });
    };
    const changed = () => {
      waiting ??= clock.after(reportMs, report);
    };
    const watching = terminal.onChange(changed);
    void terminal.ended.then((exit) => {
      waiting?.dispose();
      watching.dispose();
      this.place.report({ terminalId, text: terminal.tail(), exit });
    });
  }
}

function takenBack(): AcpError {
  return new AcpError('cancelled', 'taken back');
}
