import { randomUUID } from 'node:crypto';
import type { Disposable } from '../base/disposable.ts';
import type { TerminalState, ToolEntry } from '../model/entries.ts';
import type { SessionState } from '../model/session.ts';
import type { SessionEvent, TerminalReport } from '../model/session-events.ts';
import { commandArgumentText, commandsIn } from '../model/tools/tool-arguments.ts';
import type { Clock } from '../ports/clock.ts';

/** Agents put a terminal into a tool call as soon as they have its id. */
const graceMs = 2_000;

interface UnshownCommandsPorts {
  readonly state: SessionState;
  readonly clock: Clock;
  apply(event: SessionEvent): void;
}

/** Puts the commands of the agent into the chat that it does not show itself, so that none runs without a trace. */
export class UnshownCommands {
  private readonly ports: UnshownCommandsPorts;
  /** The commands that may still be shown by the agent, by terminal id. */
  private readonly pending = new Map<string, Disposable>();
  /** The calls of this class, by terminal id. An agent that knew the ids could change the calls. */
  private readonly calls = new Map<string, string>();
  /** The calls of the agent that name a command without its terminal; each stands for one command. */
  private readonly counted = new WeakSet<ToolEntry>();

  constructor(ports: UnshownCommandsPorts) {
    this.ports = ports;
  }

  /** A command was started. */
  add(terminalId: string): void {
    this.pending.set(
      terminalId,
      this.ports.clock.after(graceMs, () => this.show(terminalId)),
    );
  }

  /** The state of a command was reported. */
  follow({ terminalId, exit }: TerminalReport): void {
    const toolCallId = this.calls.get(terminalId);
    if (toolCallId === undefined || !exit) return;
    this.calls.delete(terminalId);
    this.ports.apply({ kind: 'tool', patch: { toolCallId, status: statusOf(exit) } });
  }

  /** The turn ends: what was not shown until now is shown. */
  showAll(): void {
    for (const terminalId of [...this.pending.keys()]) this.show(terminalId);
  }

  dispose(): void {
    for (const timer of this.pending.values()) timer.dispose();
    this.pending.clear();
  }

  private show(terminalId: string): void {
    this.pending.get(terminalId)?.dispose();
    this.pending.delete(terminalId);
    const terminal = this.ports.state.terminals.get(terminalId);
    if (!terminal || this.isShown(terminal)) return;
    const toolCallId = `command ${randomUUID()}`;
    const { command: title, exit } = terminal;
    if (!exit) this.calls.set(terminalId, toolCallId);
    const content = [{ kind: 'terminal', terminalId } as const];
    const status = exit ? statusOf(exit) : 'running';
    this.ports.apply({ kind: 'tool', patch: { toolCallId, title, toolKind: 'execute', status, content } });
  }

  private isShown({ terminalId, command }: TerminalState): boolean {
    const calls = this.ports.state.entries.filter((entry) => entry.kind === 'tool');
    const hasTerminal = ({ content }: ToolEntry) =>
      content.some((item) => item.kind === 'terminal' && item.terminalId === terminalId);
    if (calls.some(hasTerminal)) return true;
    const named = this.callsOfTurn().find((call) => !this.counted.has(call) && namesCommand(call, command));
    if (named) this.counted.add(named);
    return named !== undefined;
  }

  private callsOfTurn(): readonly ToolEntry[] {
    const { entries } = this.ports.state;
    const began = entries.findLastIndex((entry) => entry.kind === 'message' && entry.role === 'user');
    return entries.slice(began + 1).filter((entry) => entry.kind === 'tool');
  }
}

function namesCommand({ title, rawInput, content }: ToolEntry, command: string): boolean {
  if (content.some((item) => item.kind === 'terminal')) return false;
  const texts = [title, ...commandsIn(rawInput).map(commandArgumentText)];
  return texts.includes(command) || title.startsWith(`${command}\n`);
}

function statusOf({ code }: NonNullable<TerminalState['exit']>): 'done' | 'failed' {
  return code === 0 ? 'done' : 'failed';
}
