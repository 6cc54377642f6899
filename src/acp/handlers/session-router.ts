import type { AgentEvent } from '../../model/session-events.ts';
import type { SessionSink } from '../../ports/agent.ts';
import { HeldEvents } from './held-events.ts';
import { SubagentSink } from './subagent.ts';

/** Further sessions that nobody opened are not shown. */
const maxSubagents = 1_000;

/**
 * Delivers events to the session they belong to. Events with an unknown session id are held while a session is being
 * opened, because they may belong to it; otherwise they belong to a subagent of an open session.
 */
export class SessionRouter {
  /** The open sessions, the last used one last. */
  private readonly sinks = new Map<string, SessionSink>();
  private readonly subagents = new Map<string, SubagentSink>();
  private readonly held = new HeldEvents();
  private readonly opening: SessionSink[] = [];
  /** Sessions that were closed here; later events of theirs are dropped. */
  private readonly closed = new Set<string>();
  /** The sink that last opened or used a session. */
  private lastUsed: SessionSink | undefined;

  /** The id of the session that was used last. */
  get currentSession(): string | undefined {
    return [...this.sinks.keys()].at(-1);
  }

  /** A session is being opened for this sink; `endOpening` follows. */
  beginOpening(sink: SessionSink): void {
    this.opening.push(sink);
    this.lastUsed = sink;
  }

  endOpening(sink: SessionSink): void {
    this.opening.splice(this.opening.indexOf(sink), 1);
    if (this.opening.length > 0 || this.sinks.size === 0) return;
    for (const sessionId of this.held.sessionIds) {
      const subagent = this.addSubagent(sessionId);
      for (const event of this.held.remove(sessionId)) subagent?.report(event);
    }
  }

  attach(sessionId: string, sink: SessionSink): void {
    this.sinks.set(sessionId, sink);
    this.closed.delete(sessionId);
    this.lastUsed = sink;
    for (const event of this.held.remove(sessionId)) sink.report(event);
    const notice = this.held.takeNotice();
    if (notice) sink.report(notice);
  }

  detach(sessionId: string): void {
    const sink = this.sinks.get(sessionId);
    this.sinks.delete(sessionId);
    this.closed.add(sessionId);
    if (this.lastUsed === sink) this.lastUsed = undefined;
    for (const [subagentId, subagent] of this.subagents) {
      if (subagent.parent !== sink) continue;
      this.subagents.delete(subagentId);
      this.closed.add(subagentId);
    }
  }

  /** Makes a session the current one. */
  markUsed(sessionId: string): void {
    const sink = this.sinks.get(sessionId);
    if (!sink) return;
    this.sinks.delete(sessionId);
    this.sinks.set(sessionId, sink);
    this.lastUsed = sink;
  }

  isClosed(sessionId: string): boolean {
    return this.closed.has(sessionId);
  }

  route(sessionId: string, event: AgentEvent): void {
    if (this.closed.has(sessionId)) return;
    const sink = this.sinks.get(sessionId) ?? this.subagents.get(sessionId);
    if (sink) sink.report(event);
    else if (this.opening.length > 0 || this.sinks.size === 0) this.held.add(sessionId, event);
    else this.addSubagent(sessionId)?.report(event);
  }

  /** The sink that answers requests of a session, including sessions with an unknown id. */
  sinkOf(sessionId: string | undefined): SessionSink | undefined {
    if (sessionId === undefined) return this.lastUsed;
    if (this.closed.has(sessionId)) return undefined;
    const known = this.sinks.get(sessionId) ?? this.subagents.get(sessionId);
    // An agent may send a request for a session before its answer to session/new.
    return known ?? this.opening.at(-1) ?? this.addSubagent(sessionId) ?? this.lastUsed;
  }

  /** The session that was opened here: the given one, or the parent of the given subagent. */
  ownerOf(sessionId: string | undefined): SessionSink | undefined {
    const id = sessionId ?? '';
    const sink = this.sinks.get(id) ?? this.subagents.get(id) ?? this.lastUsed;
    return sink instanceof SubagentSink ? sink.parent : sink;
  }

  /** Adds a session as a subagent of an open one, by default of the current one. */
  addSubagent(subagentId: string, parentId = this.currentSession): SubagentSink | undefined {
    const known = this.subagents.get(subagentId);
    const parent = parentId === undefined ? undefined : this.sinks.get(parentId);
    if (known || !parent || this.subagents.size >= maxSubagents) return known;
    const subagent = new SubagentSink(subagentId, parent);
    this.subagents.set(subagentId, subagent);
    return subagent;
  }
}
