import { BoundedMap } from '../../base/bounded-map.ts';
import type { JsonObject } from '../../base/record.ts';
import { asString } from '../decode/fields.ts';
import type { RuleInfo, RuleObserver, SourceDocument } from './rules.ts';

const maxRequests = 1_000;
const maxToolCalls = 10_000;

export interface DialectContext {
  /** Called when a rule applies for the first time on this connection. */
  onRuleApplied(name: string): void;
  /** The only or last active session, for messages without a session id. */
  currentSession(): string | undefined;
}

/** A request that we sent and that is not answered yet. */
export interface PendingRequest {
  readonly method: string;
  readonly sessionId: string | undefined;
  /** Whether the agent sent a message in this turn. */
  hasAgentMessage: boolean;
}

/** Rewrites our canonical answer into the shape that the agent expects for its request. */
export type AnswerRewrite = (answer: JsonObject) => JsonObject;

/** State about the agent at the other end of a connection. */
export class Peer implements RuleObserver {
  readonly pending = new BoundedMap<unknown, PendingRequest>(maxRequests);
  readonly answerRewrites = new BoundedMap<unknown, AnswerRewrite>(maxRequests);
  /** Session modes from the result of initialize. */
  announcedModes: readonly JsonObject[] = [];
  /** Whether any of its responses had the id of a request. */
  hasAnsweredById = false;
  /** Whether we sent a session/cancel. */
  hasSentCancel = false;
  private readonly context: DialectContext;
  private readonly turns = new BoundedMap<string, PendingRequest>(maxRequests);
  private readonly toolCalls = new BoundedMap<string, true>(maxToolCalls);
  private readonly counts = new Map<string, number>();
  private readonly followed = new Set<SourceDocument>();
  private lastMessage = 0;

  constructor(context: DialectContext) {
    this.context = context;
  }

  ruleApplied(rule: RuleInfo): void {
    if (rule.implies) this.followed.add(rule.implies);
    const count = this.counts.get(rule.name) ?? 0;
    this.counts.set(rule.name, count + 1);
    if (count === 0) this.context.onRuleApplied(rule.name);
  }

  /** How often each rule was applied. */
  get ruleCounts(): ReadonlyMap<string, number> {
    return this.counts;
  }

  /** Whether the agent sent a shape that only one of these documents explains. */
  follows(...sources: readonly SourceDocument[]): boolean {
    return sources.some((source) => this.followed.has(source));
  }

  /** Adds the current session to params without a session id. */
  withSession(params: JsonObject, rule: RuleInfo): JsonObject {
    if (params.sessionId !== undefined && params.sessionId !== null) return params;
    const sessionId = this.context.currentSession();
    if (sessionId === undefined) return params;
    this.ruleApplied(rule);
    return { ...params, sessionId };
  }

  /** Keeps the method and session of a request for the rules about its answer. */
  rememberRequest(id: unknown, method: string, params: unknown): void {
    const sessionId = asString((params as JsonObject | undefined)?.sessionId);
    const request: PendingRequest = { method, sessionId, hasAgentMessage: false };
    this.pending.set(id, request);
    if (method === 'session/prompt' && sessionId !== undefined) this.turns.set(sessionId, request);
  }

  /** Returns and forgets the request that a response answers. */
  takeRequest(id: unknown): PendingRequest | undefined {
    const request = this.pending.pop(id);
    const sessionId = request?.sessionId;
    if (sessionId !== undefined && this.turns.get(sessionId) === request) this.turns.delete(sessionId);
    return request;
  }

  noteAgentMessage(sessionId: string): void {
    if (this.turns.size === 0) return;
    const turn = this.turns.get(sessionId);
    if (turn) turn.hasAgentMessage = true;
  }

  rememberToolCall(sessionId: string, toolCallId: string): void {
    this.toolCalls.set(toolCallKey(sessionId, toolCallId), true);
  }

  hasToolCall(sessionId: string, toolCallId: string): boolean {
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
