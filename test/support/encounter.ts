import { expect } from 'vitest';
import { realClock } from '../../src/clock.ts';
import type { AgentLauncher, AgentSpec } from '../../src/ports/agent.ts';
import type { Workspace } from '../../src/ports/workspace.ts';
import type { SessionEvent } from '../../src/session/events.ts';
import { type AuthMethod, type Entry, isBusy, type Phase } from '../../src/session/model.ts';
import { Session } from '../../src/session/session.ts';
import { winbarOf } from '../../src/view/status.ts';
import type { Workshop } from './agent-it.ts';
import type { Canvas } from './canvas.ts';
import { choose } from './choose.ts';
import type { WireMessage } from './piped-connection.ts';
import { type Answers, type Heard, Puppet } from './puppet.ts';
import { done, drawnChat, update, yesOrNo } from './stage.ts';
import { waitFor } from './wait.ts';

type Wire = Readonly<Record<string, unknown>>;

export interface EncounterOptions {
  readonly answers?: Answers;
  /** What the agent says it can do. */
  readonly capabilities?: unknown;
  readonly spec?: Partial<AgentSpec>;
  readonly workspace?: Workspace;
  /** Where it is met, if it is not the only one. */
  readonly folder?: string;
  /** Instead of a program of its own for the session. */
  readonly launcher?: AgentLauncher;
}

/** An agent that says what the test says, to whoever starts it. */
export async function aPuppet(workshop: Workshop, { answers = {}, ...options }: EncounterOptions = {}) {
  const hello = {
    protocolVersion: 1,
    agentInfo: { name: 'puppet', title: 'Puppet', version: '1' },
    ...(options.capabilities !== undefined && { agentCapabilities: options.capabilities }),
  };
  const agent = new Puppet(options.folder ?? workshop.folder, { initialize: hello, ...answers });
  await agent.listen();
  workshop.leftovers.push(agent);
  if (options.workspace) workshop.offers = options.workspace.offers;
  const spec = { ...workshop.spec('puppet.mjs', agent.socketPath), ...options.spec };
  return { agent, spec };
}

/** A session of ours and an agent that says what the test says. */
export async function meet(workshop: Workshop, options: EncounterOptions = {}): Promise<Encounter> {
  const { agent, spec } = await aPuppet(workshop, options);
  return new Encounter(workshop, agent, spec, options);
}

export class Encounter {
  readonly agent: Puppet;
  readonly session: Session;
  readonly spec: AgentSpec;
  readonly events: SessionEvent[] = [];
  /** Prompts that came back. */
  readonly returned: string[] = [];
  /** Logins that are to be done in a terminal. */
  readonly logins: (AuthMethod & { kind: 'terminal' })[] = [];

  /** The variables with the keys that the user was asked for. */
  readonly keysWanted: string[] = [];
  /** How the agent was started, each time. */
  readonly launched: AgentSpec[] = [];

  constructor(workshop: Workshop, agent: Puppet, spec: AgentSpec, options: EncounterOptions = {}) {
    this.agent = agent;
    this.spec = spec;
    const launch = (started: AgentSpec) => {
      this.launched.push(started);
      return workshop.launch(started);
    };
    const launcher = options.launcher ?? { launch };
    const { workspace } = options;
    this.session = new Session(
      spec,
      { launcher, clock: realClock, log: workshop.log, ...(workspace && { workspace }) },
      {
        onChange: (event) => void this.events.push(event),
        onPromptReturned: (text) => void this.returned.push(text),
        onTerminalLogin: (_, method) => void this.logins.push(method),
        onKeyWanted: (_, variable) => void this.keysWanted.push(variable),
      },
    );
    workshop.leftovers.push(this.session);
  }

  get state() {
    return this.session.state;
  }

  /** Starts the agent and waits until it is ready for a prompt. */
  async begin(): Promise<void> {
    this.session.start();
    await this.phase('idle');
  }

  /** Sends a prompt and waits until the agent has it. */
  prompt(text = 'go'): Promise<Heard> {
    this.session.send(text);
    return this.agent.hears('session/prompt');
  }

  /** A whole turn in which the agent says these things. */
  async turn(...messages: readonly WireMessage[]): Promise<void> {
    const prompt = await this.prompt();
    this.agent.say(...messages, { id: prompt.id, result: done });
    await this.phase('idle');
  }

  question() {
    return this.until(() => this.state.questions[0], 'question');
  }

  /** Takes an option of the question that waits, and resolves with the chat that showed it. */
  async choose(optionId: string): Promise<string> {
    const { question } = await this.question();
    const shown = this.chat.join('\n');
    expect(question.options.map(({ id }) => id)).toContain(optionId);
    choose(this.session, question.id, optionId);
    return shown;
  }

  async phase(phase: Phase): Promise<void> {
    await this.until(() => this.state.phase === phase, phase);
  }

  until<T>(condition: () => T, what: string) {
    const describe = () => `no ${what} in ${this.state.phase}:\n${this.chat.join('\n')}`;
    return waitFor(condition, { describe });
  }

  /** The chat as it would be drawn. */
  get chat(): readonly string[] {
    return this.draw(false).lines;
  }

  /** The same with everything in it opened. */
  get openChat(): readonly string[] {
    return this.draw(true).lines;
  }

  /** The chat with its colours, to look for words in. */
  get picture(): string {
    return JSON.stringify(this.draw(false).picture);
  }

  get winbar(): string {
    const { left, right } = winbarOf(this.state, 0);
    return [...left, ...right].map(([text]) => text).join('');
  }

  /** What stands in the chat, in a word or two each. */
  get outline(): readonly string[] {
    return this.state.entries.map(outlineOf);
  }

  get isBusy(): boolean {
    return isBusy(this.state);
  }

  private draw(isOpen: boolean): Canvas {
    return drawnChat(this.state, { cwd: this.spec.cwd, home: '/nowhere' }, isOpen);
  }
}

function outlineOf(entry: Entry): string {
  switch (entry.kind) {
    case 'message':
      return `${entry.role}: ${entry.text}`;
    case 'tool':
      return `${entry.title}: ${entry.status}`;
    case 'notice':
      return `${entry.severity}: ${entry.title}`;
    case 'question':
      return `asked: ${entry.answer ?? '?'}`;
    default:
      return entry.kind;
  }
}

export function speech(text: string, fields: Wire = {}, sessionId = 's1'): WireMessage {
  return update('agent_message_chunk', { content: { type: 'text', text }, ...fields }, sessionId);
}

export function call(toolCallId: string, fields: Wire = {}): WireMessage {
  return update('tool_call', { toolCallId, title: toolCallId, ...fields });
}

export function permission(id: unknown, about: object = {}): WireMessage {
  const { toolCallId = 'c1', options = yesOrNo, sessionId = 's1', ...fields } = about as Wire;
  const toolCall = { toolCallId, title: 'Do it', ...fields };
  return { id, method: 'session/request_permission', params: { sessionId, toolCall, options } };
}

export const chosen = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });
export const cancelled = { outcome: { outcome: 'cancelled' } };
