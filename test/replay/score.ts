import type { WireMessage } from '../support/piped-connection.ts';
import { fieldOf, isAnswer, isRequest, type Life, type RecordedLine } from './recording.ts';

/** What the player does, one after the other. Ids are those of the recording. */
export type Step =
  /** A request or notification of the agent. */
  | { readonly kind: 'say'; readonly line?: number; readonly message: object }
  /** An answer of the agent. */
  | { readonly kind: 'answer'; readonly line: number; readonly message: WireMessage }
  /** The client has to have sent a message of this kind before anything goes on. */
  | { readonly kind: 'await'; readonly line: number; readonly message: WireMessage }
  /** The client has to have answered whatever it was asked. */
  | { readonly kind: 'settle' }
  | { readonly kind: 'stderr'; readonly text: string }
  | { readonly kind: 'exit'; readonly code: number }
  /** What is said last, also when the client has left its part. */
  | { readonly kind: 'end'; readonly message: object };

/** The update that tells the performer which recorded line of the client it is time for. */
export const cueName = '_replay_cue';
export const endOfScore = 0;

/** In a life without a session our client has no part, unless it did not come to that. */
export function isPlayable(life: Life): boolean {
  const calls = life.flatMap((line) => (line.dir === 'c2a' ? [line.msg] : []));
  const first = calls.find(({ method }) => method === 'initialize');
  return calls.some(isOpening) || !answerTo(life, first?.id)?.result;
}

const openings = ['session/new', 'session/load', 'session/resume'];

function isOpening({ method }: WireMessage): boolean {
  return method !== undefined && openings.includes(method);
}

function isPromptOrAnswer(message: WireMessage): boolean {
  return isAnswer(message) || message.method === 'session/prompt';
}

export function scoreOf(life: Life): readonly Step[] {
  return new Score(life).steps;
}

/** The session that a life is about, if the agent opened one. */
export function sessionOf(life: Life): unknown {
  return earlierSessionOf(life) ?? fieldOf(opened(life), 'sessionId');
}

/** The session of another life that this one goes on with. */
export function earlierSessionOf(life: Life): unknown {
  const opening = openingOf(life);
  return opening?.method === 'session/new' ? undefined : fieldOf(opening?.params, 'sessionId');
}

/** Whether it does so without being told what was said. */
export function isResumed(life: Life): boolean {
  return openingOf(life)?.method === 'session/resume';
}

// What the agent refuses is not opened.
function openingOf(life: Life): WireMessage | undefined {
  const asked = life.flatMap((line) => (line.dir === 'c2a' && isOpening(line.msg) ? [line.msg] : []));
  return asked.find(({ id }) => answerTo(life, id)?.result !== undefined);
}

function opened(life: Life): unknown {
  return answerTo(life, openingOf(life)?.id)?.result;
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

function answerTo(life: Life, id: unknown): WireMessage | undefined {
  const isMeant = (line: RecordedLine) => line.dir === 'a2c' && isAnswer(line.msg) && line.msg.id === id;
  const found = life.find(isMeant);
  return found && 'msg' in found ? found.msg : undefined;
}

/**
 * Turns a recorded life into steps. What our client can't be made to say is left out with its answer. A client that queues its prompts sends the second when the first is answered, so
 * that is where the player waits for it, whenever the recorded client sent it.
 */
class Score {
  readonly steps: Step[] = [];
  private readonly life: Life;
  private readonly sessionId: unknown;
  private readonly skipped = new Set<unknown>();
  private hasSession = false;
  /** What can be set at this point. */
  private options: readonly unknown[] = [];
  /** The prompt under way, and those that wait for its end with what was answered to them meanwhile. */
  private prompt: unknown;
  private readonly queued: { readonly awaited: Step; readonly id: unknown; answer?: Step }[] = [];
  /** What the client asked and was not answered yet. */
  private readonly open = new Set<unknown>();

  constructor(life: Life) {
    this.life = life;
    this.sessionId = sessionOf(life);
    for (const line of life) this.take(line);
    this.steps.push({ kind: 'settle' });
    this.steps.push({ kind: 'end', message: this.cueFor(endOfScore) });
  }

  private take(line: RecordedLine): void {
    if (line.dir === 'c2a') this.takeClient(line.line, line.msg);
    else if (line.dir === 'a2c') this.takeAgent(line.line, line.msg);
    else if (line.dir === 'stderr') this.steps.push({ kind: 'stderr', text: line.text });
    // An agent that left a request unanswered has gone by itself; all others go when they are told to.
    else if (line.dir === 'exit' && this.open.size > 0)
      this.steps.push({ kind: 'exit', code: line.code ?? 1 });
  }

  private takeClient(line: number, message: WireMessage): void {
    const { id, method } = message;
    const awaited: Step = { kind: 'await', line, message };
    if (isAnswer(message)) return this.takeReaction(awaited, message);
    if (!this.isOurs(line, message)) return void this.skipped.add(id);
    if (isOpening(message)) this.hasSession = answerTo(this.life, id)?.result !== undefined;
    if (method !== 'initialize' && !isOpening(message)) this.cue(line);
    if (method === 'session/prompt' && this.prompt !== undefined)
      return void this.queued.push({ awaited, id });
    if (method === 'session/prompt') this.prompt = id;
    if (isRequest(message)) this.open.add(id);
    this.steps.push(awaited);
  }

  private takeReaction(awaited: Step, message: WireMessage): void {
    const isDecided =
      fieldOf(message, 'result', 'outcome', 'outcome') === 'selected' ||
      fieldOf(message, 'result', 'action') !== undefined;
    if (isDecided && awaited.kind === 'await') this.cue(awaited.line);
    this.steps.push(awaited);
  }

  private takeAgent(line: number, message: WireMessage): void {
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
        return answerTo(this.life, id) !== undefined || this.isLast(line);
      case 'session/cancel':
        return this.prompt !== undefined;
      case 'session/set_config_option':
        return this.options.some((option) => fieldOf(option, 'id') === fieldOf(params, 'configId'));
      // Where there are options, our client leaves the older ways alone.
      case 'session/set_mode':
        return this.options.length === 0 && fieldOf(opened(this.life), 'modes') !== undefined;
      case 'session/set_model':
        return this.options.length === 0 && fieldOf(opened(this.life), 'models') !== undefined;
      // Nothing of a session that was closed reaches us, so what follows has to come with it.
      case 'session/close':
        return !this.life.some(
          (later) => later.line > line && later.dir === 'c2a' && isPromptOrAnswer(later.msg),
        );
      case 'session/delete':
        return true;
      default:
        return false;
    }
  }

  // A prompt that is never answered kept only the recorded client waiting, unless it was the end of the agent.
  private isLast(line: number): boolean {
    return !this.life.some((later) => later.line > line && later.dir === 'c2a' && isRequest(later.msg));
  }

  private cue(line: number): void {
    if (this.sessionId !== undefined) this.steps.push({ kind: 'say', message: this.cueFor(line) });
  }

  private cueFor(line: number): object {
    const update = { sessionUpdate: cueName, line };
    return { jsonrpc: '2.0', method: 'session/update', params: { sessionId: this.sessionId, update } };
  }
}
