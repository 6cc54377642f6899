import type { WireMessage } from '../support/agents/piped-connection.ts';
import { fieldOf, isAnswer, isRequest, type ProcessRun, type RecordedLine } from './recording.ts';

/** A step of the replay agent. Ids are those of the recording. */
export type Step =
  /** A request or notification of the agent. */
  | { readonly kind: 'say'; readonly line?: number; readonly message: object }
  /** An answer of the agent. */
  | { readonly kind: 'answer'; readonly line: number; readonly message: WireMessage }
  /** Wait until the client has sent a message of this kind. */
  | { readonly kind: 'await'; readonly line: number; readonly message: WireMessage }
  /** Wait until the client has answered every request. */
  | { readonly kind: 'settle' }
  | { readonly kind: 'stderr'; readonly text: string }
  | { readonly kind: 'exit'; readonly code: number }
  /** Sent last, also when an awaited message did not arrive. */
  | { readonly kind: 'end'; readonly message: object };

/** The update that asks the replayed session to send a recorded line of the client. */
export const cueName = '_replay_cue';
export const endCue = 0;

/** Whether our client can take part: the recorded client opened a session, or the handshake failed. */
export function isPlayable(run: ProcessRun): boolean {
  const calls = run.flatMap((line) => (line.dir === 'c2a' ? [line.msg] : []));
  const first = calls.find(({ method }) => method === 'initialize');
  return calls.some(isOpening) || !answerTo(run, first?.id)?.result;
}

const openings = ['session/new', 'session/load', 'session/resume'];

function isOpening({ method }: WireMessage): boolean {
  return method !== undefined && openings.includes(method);
}

function isPromptOrAnswer(message: WireMessage): boolean {
  return isAnswer(message) || message.method === 'session/prompt';
}

export function replaySteps(run: ProcessRun): readonly Step[] {
  return new StepBuilder(run).steps;
}

/** The session of a run, if the agent opened one. */
export function sessionOf(run: ProcessRun): unknown {
  return earlierSessionOf(run) ?? fieldOf(opened(run), 'sessionId');
}

/** The session of an earlier run that this one continues. */
export function earlierSessionOf(run: ProcessRun): unknown {
  const opening = openingOf(run);
  return opening?.method === 'session/new' ? undefined : fieldOf(opening?.params, 'sessionId');
}

/** Whether it continues the session without a replay of its history. */
export function isResumed(run: ProcessRun): boolean {
  return openingOf(run)?.method === 'session/resume';
}

// A refused request opens nothing.
function openingOf(run: ProcessRun): WireMessage | undefined {
  const asked = run.flatMap((line) => (line.dir === 'c2a' && isOpening(line.msg) ? [line.msg] : []));
  return asked.find(({ id }) => answerTo(run, id)?.result !== undefined);
}

function opened(run: ProcessRun): unknown {
  return answerTo(run, openingOf(run)?.id)?.result;
}

/** The list of options that a message carries. */
export function optionsIn(
  { params, result }: WireMessage,
  sessionId: unknown,
): readonly unknown[] | undefined {
  const isElsewhere = params !== undefined && fieldOf(params, 'sessionId') !== sessionId;
  const options = fieldOf(result, 'configOptions') ?? fieldOf(params, 'update', 'configOptions');
  return Array.isArray(options) && !isElsewhere ? options : undefined;
}

function answerTo(run: ProcessRun, id: unknown): WireMessage | undefined {
  const isMeant = (line: RecordedLine) => line.dir === 'a2c' && isAnswer(line.msg) && line.msg.id === id;
  const found = run.find(isMeant);
  return found && 'msg' in found ? found.msg : undefined;
}

/**
 * Turns a recorded run into steps, without the messages that our client never sends and their answers. Our client queues
 * prompts: it sends the second when the first is answered, so that is where the step waits for it.
 */
class StepBuilder {
  readonly steps: Step[] = [];
  private readonly run: ProcessRun;
  private readonly sessionId: unknown;
  private readonly skipped = new Set<unknown>();
  private hasSession = false;
  /** The options known at this point. */
  private options: readonly unknown[] = [];
  /** The running prompt, and the queued ones with their recorded answers. */
  private prompt: unknown;
  private readonly queued: { readonly awaited: Step; readonly id: unknown; answer?: Step }[] = [];
  /** Requests of the client without an answer so far. */
  private readonly open = new Set<unknown>();

  constructor(run: ProcessRun) {
    this.run = run;
    this.sessionId = sessionOf(run);
    for (const line of run) this.add(line);
    this.steps.push({ kind: 'settle' });
    this.steps.push({ kind: 'end', message: this.cueFor(endCue) });
  }

  private add(line: RecordedLine): void {
    if (line.dir === 'c2a') this.addClientMessage(line.line, line.msg);
    else if (line.dir === 'a2c') this.addAgentMessage(line.line, line.msg);
    else if (line.dir === 'stderr') this.steps.push({ kind: 'stderr', text: line.text });
    // An agent with an unanswered request exited by itself; all others are ended by the client.
    else if (line.dir === 'exit' && this.open.size > 0)
      this.steps.push({ kind: 'exit', code: line.code ?? 1 });
  }

  private addClientMessage(line: number, message: WireMessage): void {
    const { id, method } = message;
    const awaited: Step = { kind: 'await', line, message };
    if (isAnswer(message)) return this.addClientAnswer(awaited, message);
    if (!this.isOurs(line, message)) return void this.skipped.add(id);
    if (isOpening(message)) this.hasSession = answerTo(this.run, id)?.result !== undefined;
    if (method !== 'initialize' && !isOpening(message)) this.cue(line);
    if (method === 'session/prompt' && this.prompt !== undefined)
      return void this.queued.push({ awaited, id });
    if (method === 'session/prompt') this.prompt = id;
    if (isRequest(message)) this.open.add(id);
    this.steps.push(awaited);
  }

  private addClientAnswer(awaited: Step, message: WireMessage): void {
    const isDecided =
      fieldOf(message, 'result', 'outcome', 'outcome') === 'selected' ||
      fieldOf(message, 'result', 'action') !== undefined;
    if (isDecided && awaited.kind === 'await') this.cue(awaited.line);
    this.steps.push(awaited);
  }

  private addAgentMessage(line: number, message: WireMessage): void {
    if (isAnswer(message) && this.skipped.has(message.id)) return;
    this.options = optionsIn(message, this.sessionId) ?? this.options;
    if (!isAnswer(message)) return void this.steps.push({ kind: 'say', line, message });
    const answer: Step = { kind: 'answer', line, message };
    const early = this.queued.find(({ id }) => id === message.id);
    if (early) early.answer = answer;
    else this.answer(answer, message.id);
  }

  private answer(answer: Step, id: unknown): void {
    this.steps.push(answer);
    this.open.delete(id);
    if (this.prompt !== id) return;
    this.prompt = undefined;
    const next = this.queued.shift();
    if (!next) return;
    this.prompt = next.id;
    this.steps.push(next.awaited);
    if (next.answer) this.answer(next.answer, next.id);
  }

  private isOurs(line: number, { id, method, params }: WireMessage): boolean {
    if (method === 'initialize') return true;
    if (isOpening({ method })) return !this.hasSession;
    if (method === 'session/list') return this.hasSession;
    if (fieldOf(params, 'sessionId') !== this.sessionId) return false;
    switch (method) {
      case 'session/prompt':
        return answerTo(this.run, id) !== undefined || this.isLast(line);
      case 'session/cancel':
        return this.prompt !== undefined;
      case 'session/set_config_option':
        return this.options.some((option) => fieldOf(option, 'id') === fieldOf(params, 'configId'));
      // Our client uses config options instead of modes and models where there are any.
      case 'session/set_mode':
        return this.options.length === 0 && fieldOf(opened(this.run), 'modes') !== undefined;
      case 'session/set_model':
        return this.options.length === 0 && fieldOf(opened(this.run), 'models') !== undefined;
      // No cue arrives after the session is closed, so nothing of the client may follow.
      case 'session/close':
        return !this.run.some(
          (later) => later.line > line && later.dir === 'c2a' && isPromptOrAnswer(later.msg),
        );
      case 'session/delete':
        return true;
      default:
        return false;
    }
  }

  // An unanswered prompt is replayed only if it was the last request: then the agent exited in it.
  private isLast(line: number): boolean {
    return !this.run.some((later) => later.line > line && later.dir === 'c2a' && isRequest(later.msg));
  }

  private cue(line: number): void {
    if (this.sessionId !== undefined) this.steps.push({ kind: 'say', message: this.cueFor(line) });
  }

  private cueFor(line: number): object {
    const update = { sessionUpdate: cueName, line };
    return { jsonrpc: '2.0', method: 'session/update', params: { sessionId: this.sessionId, update } };
  }
}
