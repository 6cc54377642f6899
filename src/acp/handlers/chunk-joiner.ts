import type { AgentEvent } from '../../model/session-events.ts';

type Chunk = Extract<AgentEvent, { kind: 'chunk' }>;
type Deliver = (sessionId: string, event: AgentEvent) => void;

/**
 * Joins the chunks of a message that arrive in one read into one event, so that the cost of an event is per read and not
 * per chunk. A chunk is held until the end of the current microtask queue. Requests and responses cannot overtake it,
 * because they take a turn of the event loop.
 */
export class ChunkJoiner {
  private sessionId = '';
  private first: Chunk | undefined;
  private text = '';
  private readonly deliver: Deliver;

  constructor(deliver: Deliver) {
    this.deliver = deliver;
  }

  add(sessionId: string, event: AgentEvent): void {
    if (event.kind === 'chunk' && this.continues(sessionId, event)) {
      this.text += event.text;
      return;
    }
    this.flush();
    if (event.kind === 'chunk') this.begin(sessionId, event);
    else this.deliver(sessionId, event);
  }

  /** Delivers the held chunk. */
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

  private continues(sessionId: string, { role, messageId, isCompleteMessage }: Chunk): boolean {
    const first = this.first;
    if (!first || this.sessionId !== sessionId || first.isCompleteMessage || isCompleteMessage) return false;
    return first.role === role && first.messageId === messageId;
  }
}
