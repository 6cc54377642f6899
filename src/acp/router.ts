import type { SessionSink } from '../ports/agent.ts';
import type { AgentEvent } from '../session/events.ts';
import { ChildSink } from './child.ts';

const maxHeld = 10_000;

/**
 * Brings reports to the session they are about. Those that come while a session is being opened may be about that one,
 * so they wait until its id is known; any other session we did not open belongs to one that we did.
 */
export class Router {
  private readonly sinks = new Map<string, SessionSink>();
  private readonly children = new Map<string, ChildSink>();
  private readonly held = new Map<string, AgentEvent[]>();
  private heldCount = 0;
  private readonly opening: SessionSink[] = [];
  /** Sessions that were closed here; what an agent still says of them is nobody's. */
  private readonly left = new Set<string>();
  /** Who was the last to have to do with this agent. */
  private latest: SessionSink | undefined;

  /** The session that was used last. */
  get current(): string | undefined {
    return [...this.sinks.keys()].at(-1);
  }

  /** A session is being opened for this sink; `settleOpening` follows. */
  beginOpening(sink: SessionSink): void {
    this.opening.push(sink);
    this.latest = sink;
  }

  settleOpening(sink: SessionSink): void {
    this.opening.splice(this.opening.indexOf(sink), 1);
    if (this.opening.length > 0 || this.sinks.size === 0) return;
    for (const [childId, events] of [...this.held]) {
      const child = this.adopt(childId);
      this.forgetHeld(childId);
      for (const event of events) child?.report(event);
    }
  }

  attach(sessionId: string, sink: SessionSink): void {
    this.sinks.set(sessionId, sink);
    this.left.delete(sessionId);
    this.latest = sink;
    for (const event of this.forgetHeld(sessionId)) sink.report(event);
  }

  detach(sessionId: string): void {
    const sink = this.sinks.get(sessionId);
    this.sinks.delete(sessionId);
    this.left.add(sessionId);
    if (this.latest === sink) this.latest = undefined;
    for (const [childId, child] of this.children) {
      if (child.parent !== sink) continue;
      this.children.delete(childId);
      this.left.add(childId);
    }
  }

  /** The user turned to this session. */
  favour(sessionId: string): void {
    const sink = this.sinks.get(sessionId);
    if (!sink) return;
    this.sinks.delete(sessionId);
    this.sinks.set(sessionId, sink);
    this.latest = sink;
  }

  hasLeft(sessionId: string): boolean {
    return this.left.has(sessionId);
  }

  route(sessionId: string, event: AgentEvent): void {
    if (this.left.has(sessionId)) return;
    const sink = this.sinks.get(sessionId) ?? this.children.get(sessionId);
    if (sink) sink.report(event);
    else if (this.opening.length > 0 || this.sinks.size === 0) this.hold(sessionId, event);
    else this.adopt(sessionId)?.report(event);
  }

  /** Who is to be asked about a session, a name we do not know included. */
  sinkOf(sessionId: string | undefined): SessionSink | undefined {
    if (sessionId === undefined) return this.latest;
    if (this.left.has(sessionId)) return undefined;
    const known = this.sinks.get(sessionId) ?? this.children.get(sessionId);
    // An agent may ask for a session before it has told its id.
    return known ?? this.opening.at(-1) ?? this.adopt(sessionId) ?? this.latest;
  }

  /** The session of ours that one belongs to: itself, or that of which it is a child. */
  ownerOf(sessionId: string | undefined): SessionSink | undefined {
    const id = sessionId ?? '';
    const sink = this.sinks.get(id) ?? this.children.get(id) ?? this.latest;
    return sink instanceof ChildSink ? sink.parent : sink;
  }

  /** Makes a session the child of one of ours, of the one used last unless the parent is named. */
  adopt(childId: string, parentId = this.current): ChildSink | undefined {
    const known = this.children.get(childId);
    const parent = parentId === undefined ? undefined : this.sinks.get(parentId);
    if (known || !parent) return known;
    const child = new ChildSink(childId, parent);
    this.children.set(childId, child);
    return child;
  }

  private hold(sessionId: string, event: AgentEvent): void {
    if (this.heldCount >= maxHeld) return;
    const events = this.held.get(sessionId) ?? [];
    this.held.set(sessionId, events);
    events.push(event);
    this.heldCount += 1;
  }

  private forgetHeld(sessionId: string): readonly AgentEvent[] {
    const events = this.held.get(sessionId) ?? [];
    this.held.delete(sessionId);
    this.heldCount -= events.length;
    return events;
  }
}
