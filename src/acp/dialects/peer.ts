import { textOf } from '../wire.ts';
import { BoundedMap } from './bounded-map.ts';
import type { Named, Source, Wire, Witness } from './rules.ts';

const maxRequests = 1_000;
const maxToolCalls = 10_000;

export interface DialectHost {
  /** Called once per kind of rewrite, for the log. */
  onRewrite(kind: string): void;
  /** The only or last active session, for messages that name none. */
  currentSession(): string | undefined;
}

/** A request of ours that waits for its answer. */
export interface Pending {
  readonly method: string;
  readonly sessionId: string | undefined;
  /** Whether the agent said something in this turn. */
  hasSpoken: boolean;
}

/** Gives our canonical answer the shape of the request it is for. */
export type Reply = (answer: Wire) => Wire;

/** What is remembered of the agent at the other end of a connection. */
export class Peer implements Witness {
  readonly pending = new BoundedMap<unknown, Pending>(maxRequests);
  readonly replies = new BoundedMap<unknown, Reply>(maxRequests);
  /** Session modes that were announced with initialize instead of with a session. */
  modes: readonly Wire[] = [];
  /** Whether it ever named the request it answered. */
  hasAnsweredById = false;
  /** Whether we ever sent it a session/cancel. */
  hasBeenCancelled = false;
  private readonly host: DialectHost;
  private readonly turns = new BoundedMap<string, Pending>(maxRequests);
  private readonly toolCalls = new BoundedMap<string, true>(maxToolCalls);
  private readonly noted = new Set<string>();
  private readonly sources = new Set<Source>();
  private lastMessage = 0;

  constructor(host: DialectHost) {
    this.host = host;
  }

  note(rule: Named): void {
    if (rule.tells) this.sources.add(rule.tells);
    if (this.noted.has(rule.name)) return;
    this.noted.add(rule.name);
    this.host.onRewrite(rule.name);
  }

  /** True when the agent was seen to speak the language of one of these sources. */
  speaks(...sources: readonly Source[]): boolean {
    return sources.some((source) => this.sources.has(source));
  }

  /** The same params with the session they can only mean, when they name none. */
  withSession(params: Wire, rule: Named): Wire {
    if (params.sessionId !== undefined && params.sessionId !== null) return params;
    const sessionId = this.host.currentSession();
    if (sessionId === undefined) return params;
    this.note(rule);
    return { ...params, sessionId };
  }

  /** Remembers a request of ours, so that its answer can be understood. */
  sent(id: unknown, method: string, params: unknown): void {
    const sessionId = textOf((params as Wire | undefined)?.sessionId);
    const request: Pending = { method, sessionId, hasSpoken: false };
    this.pending.set(id, request);
    if (method === 'session/prompt' && sessionId !== undefined) this.turns.set(sessionId, request);
  }

  /** The request that is answered now. */
  answered(id: unknown): Pending | undefined {
    const request = this.pending.take(id);
    const sessionId = request?.sessionId;
    if (sessionId !== undefined && this.turns.get(sessionId) === request) this.turns.delete(sessionId);
    return request;
  }

  heardFrom(sessionId: string): void {
    if (this.turns.size === 0) return;
    const turn = this.turns.get(sessionId);
    if (turn) turn.hasSpoken = true;
  }

  sawToolCall(sessionId: string, toolCallId: string): void {
    this.toolCalls.set(toolCallKey(sessionId, toolCallId), true);
  }

  knowsToolCall(sessionId: string, toolCallId: string): boolean {
    return this.toolCalls.has(toolCallKey(sessionId, toolCallId));
  }

  newMessageId(): string {
    this.lastMessage += 1;
    return `acp.nvim/message-${this.lastMessage}`;
  }
}

function toolCallKey(sessionId: string, toolCallId: string): string {
  return `${sessionId}\n${toolCallId}`;
}
