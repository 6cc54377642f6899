import type { ContentBlock, PlanEntryStatus, SessionUpdate } from '@agentclientprotocol/sdk';
import type { ClientCapabilities } from './client-capabilities.ts';
import type { TourClient } from './client-connection.ts';
import type { TourPrompt } from './prompt.ts';
import type { TourSession } from './session.ts';
import { splitIntoChunks, wait } from './timing.ts';
import { ToolCall, type ToolStart } from './tool-call.ts';

interface TurnParts {
  readonly client: TourClient;
  readonly pace: number;
  readonly session: TourSession;
  readonly prompt: TourPrompt;
  readonly capabilities: ClientCapabilities;
  /** Fires when the turn is cancelled. Every method throws after that, which ends the command. */
  readonly signal: AbortSignal;
}

type ChunkKind = 'agent_message_chunk' | 'agent_thought_chunk';

const burstSize = 100;
const slowChunkMs = 20;

/** One turn of the tour: sends updates and requests to the client. */
export class TourTurn {
  readonly session: TourSession;
  readonly prompt: TourPrompt;
  readonly capabilities: ClientCapabilities;
  readonly signal: AbortSignal;
  private readonly client: TourClient;
  private readonly pace: number;

  constructor({ client, pace, session, prompt, capabilities, signal }: TurnParts) {
    this.client = client;
    this.pace = pace;
    this.session = session;
    this.prompt = prompt;
    this.capabilities = capabilities;
    this.signal = signal;
  }

  /** Sends markdown, a few words at a time. */
  sendMessage(markdown: string): Promise<void> {
    return this.stream('agent_message_chunk', markdown);
  }

  /** Like `sendMessage`, but skipped in brief mode. */
  async sendExplanation(markdown: string): Promise<void> {
    if (this.session.mode !== 'brief') await this.sendMessage(markdown);
  }

  sendThought(text: string): Promise<void> {
    return this.stream('agent_thought_chunk', text);
  }

  /** Sends a content block as a separate message. */
  sendContent(content: ContentBlock): Promise<void> {
    return this.sendUpdate({
      sessionUpdate: 'agent_message_chunk',
      messageId: this.nextMessageId(),
      content,
    });
  }

  /** Sends one message in `count` chunks, as fast as the client accepts them. */
  async sendFast(count: number, chunkAt: (index: number) => string): Promise<void> {
    const messageId = this.nextMessageId();
    for (let start = 0; start < count; start += burstSize) {
      const size = Math.min(burstSize, count - start);
      const burst = Array.from({ length: size }, (_, offset) => chunkAt(start + offset));
      await Promise.all(burst.map((text) => this.sendUpdate(chunk('agent_message_chunk', messageId, text))));
      await wait(0, this.signal);
    }
  }

  /** Sends one message in `count` chunks, with a pause that does not depend on the pace. */
  async sendSlowly(count: number, chunkAt: (index: number) => string): Promise<void> {
    const messageId = this.nextMessageId();
    for (let index = 0; index < count; index += 1) {
      await wait(slowChunkMs, this.signal);
      await this.sendUpdate(chunk('agent_message_chunk', messageId, chunkAt(index)));
    }
  }

  /** Sends the plan with the first `done` steps completed. */
  sendPlan(steps: readonly string[], done: number): Promise<void> {
    const entries = steps.map((content, index) => ({
      content,
      priority: 'medium' as const,
      status: stepStatus(index, done),
    }));
    return this.sendUpdate({ sessionUpdate: 'plan', entries });
  }

  async startToolCall(start: ToolStart): Promise<ToolCall> {
    this.session.toolCount += 1;
    const tool = new ToolCall(this, `${this.session.id}-call-${this.session.toolCount}`);
    await this.sendUpdate({ sessionUpdate: 'tool_call', toolCallId: tool.id, status: 'pending', ...start });
    return tool;
  }

  /** Waits as long as sending this number of chunks takes. */
  pause(chunks: number): Promise<void> {
    return wait(chunks * this.pace, this.signal);
  }

  async sendUpdate(update: SessionUpdate): Promise<void> {
    this.signal.throwIfAborted();
    await this.client.notify('session/update', { sessionId: this.session.id, update });
  }

  /** Sends a notification without a session id. */
  async notify(method: string, params: object): Promise<void> {
    this.signal.throwIfAborted();
    await this.client.notify(method, params);
  }

  /** Sends a request that rejects immediately when the turn is cancelled. */
  async request(method: string, params: object): Promise<unknown> {
    return this.client.request(method, { sessionId: this.session.id, ...params }, this.signal);
  }

  /** Sends a request that is not cancelled with the turn. */
  requestUncancelled(method: string, params: object): Promise<unknown> {
    const never = new AbortController().signal;
    return this.client.request(method, { sessionId: this.session.id, ...params }, never);
  }

  /** Resolves with the next prompt that is sent into the turn. */
  async nextInjected(): Promise<string> {
    const { session, signal } = this;
    while (session.injected.length === 0) {
      await new Promise<void>((resolve, reject) => {
        session.onInjected = resolve;
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    }
    return session.injected.shift()!;
  }

  /** Answers the prompts that were sent into the turn and that its command did not answer. */
  async answerInjected(): Promise<void> {
    for (const text of this.session.injected.splice(0)) {
      await this.sendMessage(`While I worked, you also sent: ${text}`);
    }
  }

  /** Resolves when the turn is cancelled. */
  untilCancelled(): Promise<void> {
    return new Promise((resolve) => {
      if (this.signal.aborted) resolve();
      else this.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  private async stream(kind: ChunkKind, text: string): Promise<void> {
    const messageId = this.nextMessageId();
    for (const part of splitIntoChunks(text)) {
      await this.sendUpdate(chunk(kind, messageId, part));
      await this.pause(1);
    }
  }

  private nextMessageId(): string {
    this.session.messageCount += 1;
    return `${this.session.id}-message-${this.session.messageCount}`;
  }
}

function chunk(kind: ChunkKind, messageId: string, text: string): SessionUpdate {
  return { sessionUpdate: kind, messageId, content: { type: 'text', text } };
}

function stepStatus(index: number, done: number): PlanEntryStatus {
  if (index === done) return 'in_progress';
  return index < done ? 'completed' : 'pending';
}
