import { expect } from 'vitest';
import type { AuthMethod } from '../../../src/model/agent.ts';
import type { Entry } from '../../../src/model/entries.ts';
import { textPrompt } from '../../../src/model/prompt.ts';
import { isBusy, type Phase } from '../../../src/model/session.ts';
import type { SessionEvent } from '../../../src/model/session-events.ts';
import type { AgentLauncher, AgentSpec } from '../../../src/ports/agent.ts';
import type { PermissionPolicy } from '../../../src/ports/permissions.ts';
import type { Workspace } from '../../../src/ports/workspace.ts';
import { Session } from '../../../src/session/session.ts';
import { realClock } from '../../../src/system/clock.ts';
import { makeWinbar } from '../../../src/view/status.ts';
import type { Canvas } from '../doubles/canvas.ts';
import { choose } from '../nvim/choose.ts';
import { drawTranscript } from '../transcript.ts';
import { waitFor } from '../wait.ts';
import type { AgentHarness } from './agent-harness.ts';
import { done } from './messages.ts';
import type { WireMessage } from './piped-connection.ts';
import { type Answers, agentInfo, type ReceivedMessage, ScriptedAgent, type Step } from './scripted-agent.ts';

export interface ScenarioOptions {
  readonly answers?: Answers;
  readonly capabilities?: unknown;
  readonly spec?: Partial<AgentSpec>;
  readonly workspace?: Workspace;
  /** The rules of the user. */
  readonly permissions?: PermissionPolicy;
  /** The folder of the agent, if there are several. */
  readonly folder?: string;
  /** Used instead of starting a process for the session. */
  readonly launcher?: AgentLauncher;
  readonly steps?: readonly Step[];
}

/** A scripted agent and how to start it. */
export function aScriptedAgent(harness: AgentHarness, options: ScenarioOptions = {}) {
  const { answers, capabilities, folder = harness.folder, steps } = options;
  const initialize = { protocolVersion: 1, agentInfo, agentCapabilities: capabilities };
  const agent = new ScriptedAgent(folder, { initialize, ...answers }, steps);
  harness.disposables.push(agent);
  if (options.workspace) harness.offers = options.workspace.offers;
  const spec = { ...harness.spec('scripted.mjs', agent.socketPath), ...options.spec };
  return { agent, spec };
}

/** A session with a scripted agent; `begin` starts it. */
export function aScenario(harness: AgentHarness, options: ScenarioOptions = {}): SessionScenario {
  const { agent, spec } = aScriptedAgent(harness, options);
  return new SessionScenario(harness, agent, spec, options);
}

/** A session that is starting with an agent that plays these steps. */
export function playSteps(harness: AgentHarness, ...steps: readonly Step[]): SessionScenario {
  const scenario = aScenario(harness, { steps });
  scenario.session.start();
  return scenario;
}

/** The step of one turn in which the agent sends these messages. */
export const turn = (...say: readonly WireMessage[]): Step => ({
  expect: 'session/prompt',
  say,
  reply: done,
});

export class SessionScenario {
  readonly agent: ScriptedAgent;
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
  private readonly harness: AgentHarness;

  constructor(harness: AgentHarness, agent: ScriptedAgent, spec: AgentSpec, options: ScenarioOptions = {}) {
    this.harness = harness;
    this.agent = agent;
    this.spec = spec;
    const launch = (started: AgentSpec) => {
      this.launched.push(started);
      return harness.launch(started);
    };
    const launcher = options.launcher ?? { launch };
    const { workspace, permissions } = options;
    this.session = new Session(
      spec,
      {
        launcher,
        clock: realClock,
        log: harness.log,
        ...(workspace && { workspace }),
        ...(permissions && { permissions }),
      },
      {
        onChange: (event) => void this.events.push(event),
        onPromptReturned: ({ text }) => void this.returned.push(text),
        onTerminalLogin: (_, method) => void this.logins.push(method),
        onKeyWanted: (_, variable) => void this.keysWanted.push(variable),
      },
    );
    harness.disposables.push(this.session);
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
  prompt(text = 'go'): Promise<ReceivedMessage> {
    this.session.send(textPrompt(text));
    return this.agent.receive('session/prompt');
  }

  /** A whole turn in which the agent says these things. */
  async turn(...messages: readonly WireMessage[]): Promise<void> {
    const prompt = await this.prompt();
    this.agent.send(...messages, { id: prompt.id, result: done });
    await this.phase('idle');
  }

  /** Sends a prompt and waits for the end of its turn; `user` acts during the turn. */
  async promptAndWait(text = 'go', user: () => Promise<unknown> = async () => undefined): Promise<void> {
    this.session.send(textPrompt(text));
    await this.until(() => this.events.some(({ kind }) => kind === 'turn_started'), 'turn');
    await user();
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
    const describe = () =>
      `no ${what} in ${this.state.phase}:\n${this.chat.join('\n')}\n${this.harness.log.lines.join('\n')}`;
    return waitFor(condition, { describe });
  }

  /** Waits until the chat contains the text. */
  shows(text: string): Promise<unknown> {
    return this.until(() => this.chat.some((line) => line.includes(text)), text);
  }

  tool(toolCallId: string) {
    const tool = this.state.tools.get(toolCallId);
    if (!tool) throw new Error(`there is no tool call ${toolCallId}`);
    return tool;
  }

  get tools(): readonly (Entry & { kind: 'tool' })[] {
    return this.state.entries.filter((entry) => entry.kind === 'tool');
  }

  /** The answers of the client to requests of the agent, in order. */
  get answers(): readonly WireMessage[] {
    return this.agent.received.filter(({ method }) => method === undefined);
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
    const { left, right } = makeWinbar(this.state, 0);
    const texts = (pieces: typeof left) => pieces.map(([text]) => text);
    return `${texts(left).join('')}  ${texts(right).join('  ')}`;
  }

  /** What stands in the chat, in a word or two each. */
  get outline(): readonly string[] {
    return this.state.entries.map(outlineOf);
  }

  get isBusy(): boolean {
    return isBusy(this.state);
  }

  private draw(isOpen: boolean): Canvas {
    return drawTranscript(this.state, { cwd: this.spec.cwd, home: '/nowhere' }, isOpen);
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
