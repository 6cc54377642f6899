import type { ContentBlock, PlanEntryStatus, SessionUpdate } from '@agentclientprotocol/sdk';
import type { Abilities } from './abilities.ts';
import { chunksOf, wait } from './pace.ts';
import type { Prompt } from './prompt.ts';
import type { TourSession } from './session.ts';
import { ToolCall, type ToolStart } from './tool-call.ts';
import type { Client } from './wire.ts';

export interface StageParts {
  readonly client: Client;
  readonly pace: number;
  readonly session: TourSession;
  readonly prompt: Prompt;
  readonly can: Abilities;
  /** Fires when the turn is cancelled. From then on everything a scene tries throws, which ends it. */
  readonly signal: AbortSignal;
}

type Voice = 'agent_message_chunk' | 'agent_thought_chunk';

const burstSize = 100;
const dripMs = 20;

/** What a scene can do. */
export class Stage {
  readonly session: TourSession;
  readonly prompt: Prompt;
  readonly can: Abilities;
  private readonly client: Client;
  private readonly pace: number;
  private readonly signal: AbortSignal;

  constructor({ client, pace, session, prompt, can, signal }: StageParts) {
    this.client = client;
    this.pace = pace;
    this.session = session;
    this.prompt = prompt;
    this.can = can;
    this.signal = signal;
  }

  /** Speaks markdown, a few words at a time. */
  say(markdown: string): Promise<void> {
    return this.stream('agent_message_chunk', markdown);
  }

  /** Like `say`, for what a reader in a hurry does without. */
  async explain(markdown: string): Promise<void> {
    if (this.session.mode !== 'brief') await this.say(markdown);
  }

  think(text: string): Promise<void> {
    return this.stream('agent_thought_chunk', text);
  }

  /** Shows a block of content as a message of its own. */
  show(content: ContentBlock): Promise<void> {
    return this.report({ sessionUpdate: 'agent_message_chunk', messageId: this.nextMessageId(), content });
  }

  /** Sends one message of so many pieces, as fast as the client takes them. */
  async pour(count: number, pieceAt: (index: number) => string): Promise<void> {
    const messageId = this.nextMessageId();
    for (let start = 0; start < count; start += burstSize) {
      const size = Math.min(burstSize, count - start);
      const burst = Array.from({ length: size }, (_, offset) => pieceAt(start + offset));
      await Promise.all(burst.map((text) => this.report(chunk('agent_message_chunk', messageId, text))));
      await wait(0, this.signal);
    }
  }

  /** Sends one message of so many pieces, each after a rest that does not depend on the pace. */
  async drip(count: number, pieceAt: (index: number) => string): Promise<void> {
    const messageId = this.nextMessageId();
    for (let index = 0; index < count; index += 1) {
      await wait(dripMs, this.signal);
      await this.report(chunk('agent_message_chunk', messageId, pieceAt(index)));
    }
  }

  /** Shows the plan, as far as it is done. */
  plan(steps: readonly string[], done: number): Promise<void> {
    const entries = steps.map((content, index) => ({
      content,
      priority: 'medium' as const,
      status: stepStatus(index, done),
    }));
    return this.report({ sessionUpdate: 'plan', entries });
  }

  async startTool(start: ToolStart): Promise<ToolCall> {
    this.session.toolCount += 1;
    const tool = new ToolCall(this, `${this.session.id}-call-${this.session.toolCount}`);
    await this.report({ sessionUpdate: 'tool_call', toolCallId: tool.id, status: 'pending', ...start });
    return tool;
  }

  /** Rests as long as it takes to say so many chunks. */
  pause(chunks: number): Promise<void> {
    return wait(chunks * this.pace, this.signal);
  }

  async report(update: SessionUpdate): Promise<void> {
    this.signal.throwIfAborted();
    await this.client.notify('session/update', { sessionId: this.session.id, update });
  }

  /** Tells the client something that is not about a session. */
  async tell(method: string, params: object): Promise<void> {
    this.signal.throwIfAborted();
    await this.client.notify(method, params);
  }

  /** A request that rejects at once when the turn is cancelled. */
  async request(method: string, params: object): Promise<unknown> {
    return this.client.request(method, { sessionId: this.session.id, ...params }, this.signal);
  }

  /** A request that a cancel does not take back, for what has to be opened or closed as a whole. */
  insist(method: string, params: object): Promise<unknown> {
    const never = new AbortController().signal;
    return this.client.request(method, { sessionId: this.session.id, ...params }, never);
  }

  /** Settles only when the turn is cancelled. */
  untilCancelled(): Promise<void> {
    return new Promise((resolve) => {
      if (this.signal.aborted) resolve();
      else this.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  private async stream(voice: Voice, text: string): Promise<void> {
    const messageId = this.nextMessageId();
    for (const piece of chunksOf(text)) {
      await this.report(chunk(voice, messageId, piece));
      await this.pause(1);
    }
  }

  private nextMessageId(): string {
    this.session.messageCount += 1;
    return `${this.session.id}-message-${this.session.messageCount}`;
  }
}

function chunk(voice: Voice, messageId: string, text: string): SessionUpdate {
  return { sessionUpdate: voice, messageId, content: { type: 'text', text } };
}

function stepStatus(index: number, done: number): PlanEntryStatus {
  if (index === done) return 'in_progress';
  return index < done ? 'completed' : 'pending';
}
