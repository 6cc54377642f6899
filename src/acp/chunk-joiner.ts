import type { AgentEvent } from '../session/events.ts';

type Chunk = Extract<AgentEvent, { kind: 'chunk' }>;
type Deliver = (sessionId: string, event: AgentEvent) => void;

/**
 * Makes one event of the chunks of a message that arrive in one read, so that what follows costs per read and not per
 * chunk. They wait no longer than that read is handled; requests and responses take a turn of the event loop, so they
 * never overtake.
 */
export class ChunkJoiner {
  private sessionId = '';
  private first: Chunk | undefined;
  private text = '';
  private readonly deliver: Deliver;

  constructor(deliver: Deliver) {
    this.deliver = deliver;
  }

  take(sessionId: string, event: AgentEvent): void {
    if (event.kind === 'chunk' && this.continues(sessionId, event)) {
      this.text += event.text;
      return;
    }
    this.flush();
    if (event.kind === 'chunk') this.begin(sessionId, event);
    else this.deliver(sessionId, event);
  }

  /** Delivers what is held. */
  flush(): void {
    const first = this.first;
    if (!first) return;
    this.first = undefined;
    this.deliver(this.sessionId, { ...first, text: this.text });
  }

  private begin(sessionId: string, chunk: Chunk): void {
    this.sessionId = sessionId;
    this.first = chunk;
    this.text = chunk.text;
    queueMicrotask(() => this.flush());
  }

  private continues(sessionId: string, { role, messageId, isWhole }: Chunk): boolean {
    const first = this.first;
    if (!first || this.sessionId !== sessionId || first.isWhole || isWhole) return false;
    return first.role === role && first.messageId === messageId;
  }
}
