import fs from 'node:fs';
import path from 'node:path';
import { Agent } from '../../src/acp/agent.ts';
import { realClock } from '../../src/clock.ts';
import type { AgentSpec, Opening, SessionSink } from '../../src/ports/agent.ts';
import { Leash } from '../../src/processes.ts';
import type { AgentEvent, SessionEvent } from '../../src/session/events.ts';
import type { Act } from '../../src/session/form-walk.ts';
import type { Entry, Phase, Setting, ToolEntry } from '../../src/session/model.ts';
import { Session, type SessionWatcher } from '../../src/session/session.ts';
import { ChatView } from '../../src/view/chat.ts';
import { questionPrompt } from '../../src/view/entries.ts';
import type { Frame } from '../../src/view/frame.ts';
import { Canvas } from '../support/canvas.ts';
import { choose } from '../support/choose.ts';
import { LogDouble } from '../support/doubles.ts';
import type { WireMessage } from '../support/piped-connection.ts';
import { waitFor } from '../support/wait.ts';
import { fieldOf, isAnswer, type Life, promptText } from './recording.ts';
import { cueName, earlierSessionOf, endOfScore, isResumed, scoreOf, sessionOf } from './score.ts';

const player = path.join(import.meta.dirname, 'player.mjs');

/** What the player noticed, as it writes it down when it leaves. */
export interface Report {
  /** The lines of the recording that were gone through. */
  readonly played: readonly number[];
  /** The line of the client that did not come. */
  readonly stuckAt?: number;
  readonly sent: readonly WireMessage[];
  readonly asked: readonly WireMessage[];
  readonly unanswered: readonly WireMessage[];
  readonly answeredAgain: readonly WireMessage[];
  readonly unexpected: readonly WireMessage[];
}

export interface Manner {
  /** How long the player waits for what the client has to say. */
  readonly patienceMs?: number;
  /** Every message arrives in two pieces. */
  readonly isTorn?: boolean;
}

/** A session of ours with a recorded agent: does what the recorded user did when the player says it is time. */
export class Performance implements SessionWatcher {
  readonly log = new LogDouble();
  readonly session: Session;
  readonly prompts: string[] = [];
  /** What the pickers said. */
  readonly questions: string[] = [];
  /** How things stood when the player had come to the end. */
  phase: Phase | undefined;
  openTools: readonly ToolEntry[] = [];
  private readonly life: Life;
  private readonly view: ChatView;
  private readonly canvas = new Canvas();
  private readonly leash = new Leash();
  private readonly spec: AgentSpec;
  private readonly reportFile: string;
  private agent: Agent | undefined;
  private turns = 0;
  private isOver = false;

  constructor(life: Life, folder: string, { patienceMs = 5_000, isTorn = false }: Manner = {}) {
    this.life = life;
    this.reportFile = path.join(folder, 'report.json');
    const scoreFile = path.join(folder, 'score.json');
    fs.rmSync(this.reportFile, { force: true });
    fs.writeFileSync(scoreFile, JSON.stringify({ steps: scoreOf(life), patienceMs, isTorn }));
    const command = [process.execPath, player, scoreFile, this.reportFile];
    this.spec = { name: 'recorded', command, env: {}, cwd: folder };
    const launcher = { launch: () => this.launch() };
    this.session = new Session(this.spec, { launcher, clock: realClock, log: this.log }, this);
    this.view = new ChatView(this.session.state, { chat: 1, cwd: folder, home: path.join(folder, '.home') });
  }

  /** Runs the whole life and gives what the player has to report. */
  async run(): Promise<Report> {
    this.goOn();
    this.session.start();
    await waitFor(() => this.isDone, { timeout: 20_000, describe: () => this.text });
    this.phase = this.session.state.phase;
    this.openTools = [...this.session.state.tools.values()].filter(({ endedAt }) => endedAt === undefined);
    await this.session.end();
    // A session that lost its agent does not wait for its end.
    await this.agent?.end();
    this.leash.dispose();
    return JSON.parse(fs.readFileSync(this.reportFile, 'utf8')) as Report;
  }

  onChange(event: SessionEvent, changed: readonly Entry[]): void {
    if (event.kind === 'turn_started') this.turns += 1;
    if (event.kind === 'question_asked')
      this.questions.push(questionPrompt(this.session.state.questions.at(-1)!, this.view));
    this.view.touch(changed);
    this.draw(this.canvas, this.view);
  }

  // A queued prompt that comes back is sent again, as a patient user would; one that failed is not.
  onPromptReturned(text: string): void {
    const isQueued = this.turns < this.prompts.length;
    if (isQueued && this.session.state.phase !== 'down') this.session.send(text);
  }

  // Nobody is there who could log in.
  onTerminalLogin(): void {}

  /** The chat as it was drawn, piece by piece. */
  get picture(): unknown {
    return this.canvas.picture;
  }

  get text(): string {
    return this.canvas.lines.join('\n');
  }

  /** The chat as it is drawn at once, with everything closed or open. */
  redraw(isOpen = false): Canvas {
    const canvas = new Canvas();
    const view = new ChatView(this.session.state, { chat: 1, cwd: this.view.cwd, home: this.view.home });
    if (isOpen) for (const { id } of this.session.state.entries) view.toggle(id);
    view.touch(this.session.state.entries);
    this.draw(canvas, view);
    return canvas;
  }

  // Where no session was opened, there are no cues.
  private get isDone(): boolean {
    const { phase } = this.session.state;
    return this.isOver || phase === 'down' || (phase === 'login' && sessionOf(this.life) === undefined);
  }

  private launch(): Agent {
    this.agent = new CuedAgent(this.spec, this.leash, this.log, (line) => this.act(line));
    return this.agent;
  }

  private draw(canvas: Canvas, view: ChatView): void {
    let frame: Frame | undefined;
    do {
      frame = view.frame(realClock.now());
      canvas.draw(frame);
    } while (view.isDirty);
  }

  private act(line: number): void {
    if (line === endOfScore) {
      this.isOver = true;
      return;
    }
    const message = this.messageAt(line);
    if (isAnswer(message)) this.answer(message);
    else if (message.method === 'session/cancel') this.session.cancel();
    else if (message.method === 'session/prompt') this.send(promptText(message));
    else if (message.method === 'session/list') void this.agent?.listSessions(undefined);
    else if (message.method === 'session/close') void this.leave();
    else this.change(message);
  }

  // A client goes on in silence where it shows what was said.
  private goOn(): void {
    const sessionId = earlierSessionOf(this.life);
    if (typeof sessionId !== 'string') return;
    const { name, cwd } = this.spec;
    const event: SessionEvent = { kind: 'session_opened', sessionId, agent: name, cwd };
    if (isResumed(this.life)) this.session.restore([{ at: 0, event }]);
    else this.session.goOnWith(sessionId);
  }

  // The last that is recorded of a session; nothing of it comes here any more.
  private async leave(): Promise<void> {
    const sessionId = String(sessionOf(this.life));
    await this.agent?.closeSession(sessionId);
    const isDeleted = this.life.some((line) => line.dir === 'c2a' && line.msg.method === 'session/delete');
    if (isDeleted) await this.agent?.deleteSession(sessionId);
    this.isOver = true;
  }

  private change({ method, params }: WireMessage): void {
    const value = fieldOf(params, 'value') ?? fieldOf(params, 'modeId') ?? fieldOf(params, 'modelId');
    const category = method === 'session/set_mode' ? 'mode' : 'model';
    const configId = fieldOf(params, 'configId');
    const isMeant = (setting: Setting) =>
      configId ? setting.id === configId : setting.category === category;
    const setting = this.session.state.settings.find(isMeant);
    if (!setting) throw new Error(`there is nothing to set as ${JSON.stringify(params)}`);
    // What goes wrong becomes a notice.
    void this.session.change(setting.id, value as string | boolean);
  }

  private send(text: string): void {
    this.prompts.push(text);
    this.session.send(text);
  }

  private answer({ id, result }: WireMessage): void {
    const asked = this.life.find((line) => line.dir === 'a2c' && line.msg.method && line.msg.id === id);
    if (fieldOf(asked, 'msg', 'method') === 'elicitation/create') return this.fill(asked, result);
    const toolCallId = fieldOf(asked, 'msg', 'params', 'toolCall', 'toolCallId');
    const entry = this.session.state.questions.find(({ question }) => question.toolCallId === toolCallId);
    // What is asked during a cancel, or by another session, may have been settled without the user.
    const isOurs = fieldOf(asked, 'msg', 'params', 'sessionId') === sessionOf(this.life);
    if (!entry && isOurs && this.session.state.phase !== 'cancelling')
      throw new Error(`the user was not asked about ${String(toolCallId)}`);
    if (!entry) return;
    choose(this.session, entry.question.id, String(fieldOf(result, 'outcome', 'optionId')));
  }

  // Goes to the review at once and from there to each field that was answered.
  private fill(asked: unknown, result: unknown): void {
    const message = fieldOf(asked, 'msg', 'params', 'message');
    const entry = this.session.state.questions.find(
      ({ question }) => question.elicitation?.message === message,
    );
    const action = fieldOf(result, 'action');
    // What was taken back or cancelled needs no answer of the user.
    if (!entry && action === 'cancel') return;
    if (entry?.question.elicitation?.kind !== 'form') throw new Error(`nobody was asked ${String(message)}`);
    const { fields } = entry.question.elicitation.form;
    const act = (step: Act) => this.session.asking.fill(entry.question.id, entry.walk?.turn ?? 0, step);
    if (action === 'decline' || action === 'cancel') return act({ kind: action });
    act({ kind: 'close' });
    const isTyped = (name: string) => fields.some((field) => field.name === name && field.kind === 'text');
    // What is chosen may be sent at once, so what is typed comes first.
    const given = Object.entries(fieldOf(result, 'content') ?? {});
    for (const [name, value] of given.sort(
      ([one], [other]) => Number(isTyped(other)) - Number(isTyped(one)),
    )) {
      act({ kind: 'edit', name });
      act(isTyped(name) ? { kind: 'type', text: String(value) } : { kind: 'choose', value });
    }
    act({ kind: 'send' });
  }

  private messageAt(line: number): WireMessage {
    const found = this.life.find((candidate) => candidate.line === line);
    if (!found || !('msg' in found)) throw new Error(`there is no message in line ${line}`);
    return found.msg;
  }
}

/** An agent whose cues go to the performer, in their place among all it reports, and not to the session. */
class CuedAgent extends Agent {
  private readonly onCue: (line: number) => void;

  constructor(spec: AgentSpec, leash: Leash, log: LogDouble, onCue: (line: number) => void) {
    super(spec, leash, log);
    this.onCue = onCue;
  }

  override openSession(opening: Opening, sink: SessionSink, signal?: AbortSignal): Promise<string> {
    const report = (event: AgentEvent) => {
      if (event.kind === 'unknown' && event.name === cueName) this.onCue(Number(fieldOf(event.raw, 'line')));
      else sink.report(event);
    };
    const cued: SessionSink = {
      report,
      ask: (request) => sink.ask(request),
      elicit: (request) => sink.elicit(request),
    };
    return super.openSession(opening, cued, signal);
  }
}
