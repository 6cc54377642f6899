import type { SessionSink } from '../ports.ts';
import type { AgentEvent } from '../session/events.ts';

const maxHeld = 10_000;

/** Brings reports to the session they are about, and keeps those that come before their session is known. */
export class Router {
  private readonly sinks = new Map<string, SessionSink>();
  private readonly held = new Map<string, AgentEvent[]>();
  private heldCount = 0;

  /** The session that was opened last. */
  get current(): string | undefined {
    return [...this.sinks.keys()].at(-1);
  }

  attach(sessionId: string, sink: SessionSink): void {
    this.sinks.set(sessionId, sink);
    const early = this.held.get(sessionId) ?? [];
    this.held.delete(sessionId);
    this.heldCount -= early.length;
    for (const event of early) sink.report(event);
  }

  route(sessionId: string, event: AgentEvent): void {
    const sink = this.sinks.get(sessionId);
    if (sink) sink.report(event);
    else this.hold(sessionId, event);
  }

  sinkOf(sessionId: string): SessionSink | undefined {
    return this.sinks.get(sessionId);
  }

  private hold(sessionId: string, event: AgentEvent): void {
    if (this.heldCount >= maxHeld) return;
    const events = this.held.get(sessionId) ?? [];
    this.held.set(sessionId, events);
    events.push(event);
    this.heldCount += 1;
  }
}
