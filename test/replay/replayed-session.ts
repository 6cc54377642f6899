import fs from 'node:fs';
import path from 'node:path';
import { Agent } from '../../src/acp/agent.ts';
import { openTransport } from '../../src/acp/transports/open.ts';
import type { Setting } from '../../src/model/agent.ts';
import type { Entry, ToolEntry } from '../../src/model/entries.ts';
import type { FormAction } from '../../src/model/form-progress.ts';
import { textPrompt } from '../../src/model/prompt.ts';
import type { Phase } from '../../src/model/session.ts';
import type { AgentEvent, SessionEvent } from '../../src/model/session-events.ts';
import type { AgentSpec, OpenSessionOptions, SessionSink } from '../../src/ports/agent.ts';
import type { Frame } from '../../src/ports/frame.ts';
import { Session, type SessionWatcher } from '../../src/session/session.ts';
import { realClock } from '../../src/system/clock.ts';
import { OrphanGuard } from '../../src/system/orphan-guard.ts';
import { questionPrompt } from '../../src/view/transcript/question.ts';
import { TranscriptView } from '../../src/view/transcript/transcript.ts';
import type { WireMessage } from '../support/agents/piped-connection.ts';
import { Canvas } from '../support/doubles/canvas.ts';
import { LogDouble } from '../support/doubles/log.ts';
import { choose } from '../support/nvim/choose.ts';
import { waitFor } from '../support/wait.ts';
import { fieldOf, isAnswer, type ProcessRun, promptText } from './recording.ts';
import { cueName, earlierSessionOf, endCue, isResumed, replaySteps, sessionOf } from './replay-steps.ts';

const replayAgent = path.join(import.meta.dirname, 'replay-agent.mjs');

/** The report of the replay agent, written when it exits. */
export interface Report {
  /** The lines of the recording that were replayed. */
  readonly played: readonly number[];
  /** The line of the client that was awaited in vain. */
  readonly stuckAt?: number;
  readonly sent: readonly WireMessage[];
  readonly asked: readonly WireMessage[];
  readonly unanswered: readonly WireMessage[];
  readonly answeredAgain: readonly WireMessage[];
  readonly unexpected: readonly WireMessage[];
}

export interface ReplayOptions {
  /** How long the replay agent waits for a message of the client. */
  readonly timeoutMs?: number;
  /** Every message arrives in two pieces. */
  readonly isSplit?: boolean;
}

/** A session with a recorded agent: does what the recorded user did when the replay agent sends the cue. */
export class ReplayedSession implements SessionWatcher {
  readonly log = new LogDouble();
  readonly session: Session;
  readonly prompts: string[] = [];
  /** The prompts of the pickers. */
  readonly questions: string[] = [];
  /** The phase at the end of the recording. */
  phase: Phase | undefined;
  openTools: readonly ToolEntry[] = [];
  private readonly recorded: ProcessRun;
  private readonly view: TranscriptView;
  private readonly canvas = new Canvas();
  private readonly orphanGuard = new OrphanGuard();
  private readonly spec: AgentSpec;
  private readonly reportFile: string;
  private agent: Agent | undefined;
  private turns = 0;
  private isOver = false;

  constructor(run: ProcessRun, folder: string, { timeoutMs = 5_000, isSplit = false }: ReplayOptions = {}) {
    this.recorded = run;
    this.reportFile = path.join(folder, 'report.json');
    const stepsFile = path.join(folder, 'steps.json');
    fs.rmSync(this.reportFile, { force: true });
    fs.writeFileSync(stepsFile, JSON.stringify({ steps: replaySteps(run), timeoutMs, isSplit }));
    const command = [process.execPath, replayAgent, stepsFile, this.reportFile];
    this.spec = { name: 'recorded', command, env: {}, cwd: folder };
    const launcher = { launch: () => this.launch() };
    this.session = new Session(this.spec, { launcher, clock: realClock, log: this.log }, this);
    this.view = new TranscriptView(this.session.state, {
      chat: 1,
      cwd: folder,
      home: path.join(folder, '.home'),
    });
  }

  /** Replays the whole run and returns the report of the replay agent. */
  async replay(): Promise<Report> {
    this.continueEarlierSession();
    this.session.start();
    await waitFor(() => this.isDone, { describe: () => this.text });
    this.phase = this.session.state.phase;
    this.openTools = [...this.session.state.tools.values()].filter(({ endedAt }) => endedAt === undefined);
    await this.session.end();
    // A session that lost its agent does not wait for its end.
    await this.agent?.end();
    this.orphanGuard.dispose();
    return JSON.parse(fs.readFileSync(this.reportFile, 'utf8')) as Report;
  }

  onChange(event: SessionEvent, changed: readonly Entry[]): void {
    if (event.kind === 'turn_started') this.turns += 1;
    if (event.kind === 'question_asked')
      this.questions.push(questionPrompt(this.session.state.questions.at(-1)!, this.view));
    // A turn that fails pauses the queue.
    if (event.kind === 'turn_ended') queueMicrotask(() => this.session.resumeQueue());
    this.view.markChanged(changed);
    this.draw(this.canvas, this.view);
  }

  // Nobody sends a prompt again that failed.
  onPromptReturned(): void {}

  // Nobody can log in here.
  onTerminalLogin(): void {}

  /** The chat as the frames drew it. */
  get picture(): unknown {
    return this.canvas.picture;
  }

  get text(): string {
    return this.canvas.lines.join('\n');
  }

  /** The chat drawn in one go, with all entries closed or open. */
  redraw(isOpen = false): Canvas {
    const canvas = new Canvas();
    const view = new TranscriptView(this.session.state, {
      chat: 1,
      cwd: this.view.cwd,
      home: this.view.home,
    });
    if (isOpen) for (const { id } of this.session.state.entries) view.toggle(id);
    view.markChanged(this.session.state.entries);
    this.draw(canvas, view);
    return canvas;
  }

  // Without a session there are no cues.
  private get isDone(): boolean {
    const { phase } = this.session.state;
    return this.isOver || phase === 'down' || (phase === 'login' && sessionOf(this.recorded) === undefined);
  }

  private launch(): Agent {
    this.agent = new CuedAgent(this.spec, this.orphanGuard, this.log, (line) => this.act(line));
    return this.agent;
  }

  private draw(canvas: Canvas, view: TranscriptView): void {
    let frame: Frame | undefined;
    do {
      frame = view.frame(realClock.now());
      canvas.draw(frame);
    } while (view.isDirty);
  }

  private act(line: number): void {
    if (line === endCue) {
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

  // A resumed session is not replayed by the agent, so its history is restored.
  private continueEarlierSession(): void {
    const sessionId = earlierSessionOf(this.recorded);
    if (typeof sessionId !== 'string') return;
    const { name, cwd } = this.spec;
    const event: SessionEvent = { kind: 'session_opened', sessionId, agent: name, cwd };
    if (isResumed(this.recorded)) this.session.replayJournal([{ at: 0, event }]);
    else this.session.continueSession(sessionId);
  }

  // After the session is closed, no cue arrives any more.
  private async leave(): Promise<void> {
    const sessionId = String(sessionOf(this.recorded));
    await this.agent?.closeSession(sessionId);
    const isDeleted = this.recorded.some(
      (line) => line.dir === 'c2a' && line.msg.method === 'session/delete',
    );
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
    // A failure becomes a notice.
    void this.session.changeSetting(setting.id, value as string | boolean);
  }

  private send(text: string): void {
    this.prompts.push(text);
    this.session.send(textPrompt(text));
  }

  private answer({ id, result }: WireMessage): void {
    const asked = this.recorded.find((line) => line.dir === 'a2c' && line.msg.method && line.msg.id === id);
    if (fieldOf(asked, 'msg', 'method') === 'elicitation/create') return this.fill(asked, result);
    const toolCallId = fieldOf(asked, 'msg', 'params', 'toolCall', 'toolCallId');
    const entry = this.session.state.questions.find(({ question }) => question.toolCallId === toolCallId);
    // Questions during a cancel, or of another session, may be settled without the user.
    const isOurs = fieldOf(asked, 'msg', 'params', 'sessionId') === sessionOf(this.recorded);
    if (!entry && isOurs && this.session.state.phase !== 'cancelling')
      throw new Error(`the user was not asked about ${String(toolCallId)}`);
    if (!entry) return;
    choose(this.session, entry.question.id, String(fieldOf(result, 'outcome', 'optionId')));
  }

  // Opens the overview of the form, and from there each field that was answered.
  private fill(asked: unknown, result: unknown): void {
    const message = fieldOf(asked, 'msg', 'params', 'message');
    const entry = this.session.state.questions.find(
      ({ question }) => question.elicitation?.message === message,
    );
    const action = fieldOf(result, 'action');
    // A withdrawn or cancelled form needs no answer of the user.
    if (!entry && action === 'cancel') return;
    if (entry?.question.elicitation?.kind !== 'form') throw new Error(`nobody was asked ${String(message)}`);
    const { fields } = entry.question.elicitation.form;
    const act = (step: FormAction) =>
      this.session.questions.applyFormAction(entry.question.id, entry.formProgress?.revision ?? 0, step);
    if (action === 'decline' || action === 'cancel') return act({ kind: action });
    act({ kind: 'close' });
    const isTyped = (name: string) => fields.some((field) => field.name === name && field.kind === 'text');
    // Choosing may send the form, so text fields come first.
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
    const found = this.recorded.find((candidate) => candidate.line === line);
    if (!found || !('msg' in found)) throw new Error(`there is no message in line ${line}`);
    return found.msg;
  }
}

/** An agent whose cues go to `onCue` instead of the session, in order with all other updates. */
class CuedAgent extends Agent {
  private readonly onCue: (line: number) => void;

  constructor(spec: AgentSpec, orphanGuard: OrphanGuard, log: LogDouble, onCue: (line: number) => void) {
    super(spec, { transport: openTransport(spec, orphanGuard, log), log });
    this.onCue = onCue;
  }

  override openSession(
    opening: OpenSessionOptions,
    sink: SessionSink,
    signal?: AbortSignal,
  ): Promise<string> {
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
