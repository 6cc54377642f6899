import { estimateSize } from '../../base/json.ts';
import type { AgentEvent } from '../../model/session-events.ts';

const maxCount = 10_000;
const maxBytes = 32 * 1024 * 1024;

interface HeldSession {
  readonly events: AgentEvent[];
  bytes: number;
}

/** Events of sessions that are not open yet, in limits of number and size. */
export class HeldEvents {
  private readonly sessions = new Map<string, HeldSession>();
  private count = 0;
  private bytes = 0;
  /** The number of events that were dropped and not reported yet. */
  private dropped = 0;

  get sessionIds(): readonly string[] {
    return [...this.sessions.keys()];
  }

  add(sessionId: string, event: AgentEvent): void {
    const size = sessionId.length + estimateSize(event);
    if (this.count >= maxCount || this.bytes + size > maxBytes) {
      this.dropped += 1;
      return;
    }
    const held = this.sessions.get(sessionId) ?? { events: [], bytes: 0 };
    this.sessions.set(sessionId, held);
    held.events.push(event);
    held.bytes += size;
    this.count += 1;
    this.bytes += size;
  }

  remove(sessionId: string): readonly AgentEvent[] {
    const held = this.sessions.get(sessionId);
    if (!held) return [];
    this.sessions.delete(sessionId);
    this.count -= held.events.length;
    this.bytes -= held.bytes;
    return held.events;
  }

  /** A notice about dropped events, once. Which session they belonged to is not known. */
  takeNotice(): AgentEvent | undefined {
    const { dropped } = this;
    this.dropped = 0;
    if (dropped === 0) return undefined;
    const title = `${dropped} updates that the agent sent before its session was open were dropped`;
    const detail = [
      `At most ${maxCount} updates and ${maxBytes / 1024 / 1024} MB are held for a session that is being opened.`,
    ];
    return { kind: 'notice', severity: 'warning', title, detail };
  }
}
