import fs from 'node:fs';
import path from 'node:path';
import { realClock } from '../../src/clock.ts';
import type { SessionEvent } from '../../src/session/events.ts';
import type { Entry, Phase } from '../../src/session/model.ts';
import { Session } from '../../src/session/session.ts';
import { ChatView } from '../../src/view/chat.ts';
import { winbarOf } from '../../src/view/status.ts';
import type { Workshop } from './agent-it.ts';
import { Canvas } from './canvas.ts';
import { choose } from './choose.ts';
import type { WireMessage } from './piped-connection.ts';
import { waitFor } from './wait.ts';

type Wire = Readonly<Record<string, unknown>>;

/** One step of a scripted agent, as test/fixtures/agents/scripted.mjs plays it. */
export interface Step {
  /** The method it waits for, or `answer` for the answer to a request of its own. */
  readonly expect?: string;
  readonly stderr?: string;
  /** What it sends before it answers. */
  readonly say?: readonly WireMessage[];
  readonly reply?: unknown;
  /** The method whose last request is answered, if not the one that was waited for. */
  readonly to?: string;
  readonly fail?: unknown;
  /** What it sends after it answered. */
  readonly after?: readonly WireMessage[];
  readonly exit?: number;
}

export const update = (sessionUpdate: string, fields: Wire = {}, sessionId = 's1'): WireMessage => ({
  method: 'session/update',
  params: { sessionId, update: { sessionUpdate, ...fields } },
});
export const speech = (text: string, fields: Wire = {}) =>
  update('agent_message_chunk', { content: { type: 'text', text }, ...fields });
export const call = (toolCallId: string, fields: Wire = {}) => update('tool_call', { toolCallId, ...fields });
export const callUpdate = (toolCallId: string, fields: Wire = {}) =>
  update('tool_call_update', { toolCallId, ...fields });
export const yesOrNo = [
  { optionId: 'y', name: 'Yes', kind: 'allow_once' },
  { optionId: 'n', name: 'No', kind: 'reject_once' },
];
export const permission = (id: unknown, toolCall: Wire, options: unknown = yesOrNo): WireMessage => ({
  id,
  method: 'session/request_permission',
  params: { sessionId: 's1', toolCall, options },
});
export const done = { stopReason: 'end_turn' };

/** The steps of one turn. */
export const turn = (...say: readonly WireMessage[]): Step => ({
  expect: 'session/prompt',
  say,
  reply: done,
});

/** A session of ours with an agent that plays a script, and the chat that shows it. */
export class Stage {
  readonly session: Session;
  readonly returned: string[] = [];
  readonly events: SessionEvent[] = [];
  private readonly workshop: Workshop;
  private readonly view: ChatView;

  constructor(workshop: Workshop, steps: readonly Step[]) {
    const script = path.join(workshop.folder, 'script.json');
    fs.writeFileSync(script, JSON.stringify(steps));
    const spec = workshop.spec('scripted.mjs', script);
    this.workshop = workshop;
    this.session = new Session(
      spec,
      { launcher: { launch: () => workshop.launch(spec) }, clock: realClock, log: workshop.log },
      {
        onChange: (event) => void this.events.push(event),
        onPromptReturned: (text) => void this.returned.push(text),
        onTerminalLogin: () => undefined,
      },
    );
    this.view = new ChatView(this.session.state, { chat: 1, cwd: workshop.folder, home: '/nowhere' });
  }

  /** Sends a prompt and waits for the end of its turn, while `user` may do what a user does meanwhile. */
  async prompt(text = 'go', user: () => Promise<void> = async () => undefined): Promise<void> {
    this.session.send(text);
    await this.until(() => this.events.some(({ kind }) => kind === 'turn_started'), 'a turn');
    await user();
    await this.phase('idle');
  }

  /** Waits for a question and takes the option of that id. */
  async answer(optionId: string): Promise<void> {
    const [entry] = await this.question();
    choose(this.session, entry!.question.id, optionId);
  }

  question() {
    return this.until(
      () => this.session.state.questions.length > 0 && [...this.session.state.questions],
      'a question',
    );
  }

  phase(phase: Phase): Promise<unknown> {
    return this.until(() => this.session.state.phase === phase, phase);
  }

  until<T>(condition: () => T, what: string) {
    const describe = () =>
      `no ${what} in:\n${this.lines().join('\n')}\n${this.workshop.log.lines.join('\n')}`;
    return waitFor(condition, { describe });
  }

  /** Waits until the chat says so. */
  shows(text: string): Promise<unknown> {
    return this.until(() => this.lines().some((line) => line.includes(text)), text);
  }

  /** The chat as it stands, with everything in it open or closed. */
  lines({ isOpen = false } = {}): readonly string[] {
    return linesOf(this.session.state, this.view, isOpen);
  }

  get winbar(): string {
    const { left, right } = winbarOf(this.session.state, 0);
    return [...left, ...right].map(([text]) => text).join('');
  }

  tool(toolCallId: string) {
    const tool = this.session.state.tools.get(toolCallId);
    if (!tool) throw new Error(`there is no call ${toolCallId}`);
    return tool;
  }

  get tools(): readonly (Entry & { kind: 'tool' })[] {
    return this.session.state.entries.filter((entry) => entry.kind === 'tool');
  }

  /** What the client answered to the agent's requests, in order. */
  get answers(): readonly WireMessage[] {
    return this.workshop.sent.filter(({ method }) => method === undefined);
  }

  get methods(): readonly string[] {
    return this.workshop.sent.flatMap(({ method }) => method ?? []);
  }
}

interface Surroundings {
  readonly cwd: string;
  readonly home: string;
}

export function linesOf(state: Session['state'], place: Surroundings, isOpen: boolean): readonly string[] {
  return drawnChat(state, place, isOpen).lines;
}

/** A chat as it would be drawn at once, with everything in it open or closed. */
export function drawnChat(state: Session['state'], { cwd, home }: Surroundings, isOpen: boolean): Canvas {
  const view = new ChatView(state, { chat: 1, cwd, home });
  if (isOpen) for (const { id } of state.entries) view.toggle(id);
  view.touch(state.entries);
  const canvas = new Canvas();
  do canvas.draw(view.frame(0));
  while (view.isDirty);
  return canvas;
}

/** `it` has the workshop; this is a session in it that has started. */
export function stage(workshop: Workshop, ...steps: readonly Step[]): Stage {
  const made = new Stage(workshop, steps);
  made.session.start();
  return made;
}
