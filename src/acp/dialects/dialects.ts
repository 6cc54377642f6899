import { messageOf } from '../../base/errors.ts';
import type { JsonObject } from '../../base/record.ts';
import { isRecord, lookUp } from '../../base/record.ts';
import { canonicalAnswers } from './answers.ts';
import { canonicalAuthComplete } from './auth.ts';
import { canonicalClientRequest } from './client-requests.ts';
import { canonicalEnvelope } from './envelope.ts';
import { type DialectContext, Peer } from './peer.ts';
import { canonicalTurnEnd, promptInDialect } from './prompts.ts';
import { canonicalPermission } from './updates/permissions.ts';
import { canonicalUpdateMessages, textChunkParams } from './updates/updates.ts';

const notificationRewrites: Readonly<
  Record<string, (message: JsonObject, peer: Peer) => readonly JsonObject[]>
> = {
  'session/update': canonicalUpdateMessages,
  'session/end_turn': (message, peer) => [canonicalTurnEnd(message, peer)],
  auth_complete: (message, peer) => [canonicalAuthComplete(message, peer)],
  'auth/complete': (message, peer) => [canonicalAuthComplete(message, peer)],
  authComplete: (message, peer) => [canonicalAuthComplete(message, peer)],
};

/** Translates between the dialect of an agent and ACP version 1; see doc/dialects.md. */
export class Dialects {
  private readonly peer: Peer;
  private readonly isStrict: boolean;

  constructor(context: DialectContext, options: { readonly isStrict?: boolean } = {}) {
    this.peer = new Peer(context);
    this.isStrict = options.isStrict ?? false;
  }

  /** Translates a received message into canonical messages. Usually returns the same object. */
  inbound(message: unknown): readonly unknown[] {
    if (this.isStrict || this.isPlain(message)) return [message];
    if (Array.isArray(message)) return this.inboundBatch(message);
    try {
      return isRecord(message) ? this.read(message) : [message];
    } catch (error) {
      // A bug in a rule. The decoders accept any message, so pass it on unchanged.
      this.peer.ruleApplied({ name: `failed: ${messageOf(error)}` });
      return [message];
    }
  }

  /** Rewrites our answer into the dialect of the request. Usually returns the same object. */
  outbound(message: unknown): unknown {
    if (this.isStrict || !isRecord(message)) return message;
    const { id, method, params } = message;
    if (typeof method !== 'string') return this.peer.answerRewrites.pop(id)?.(message) ?? message;
    if (id !== undefined) this.peer.rememberRequest(id, method, params);
    else if (method === 'session/cancel') this.peer.hasSentCancel = true;
    return method === 'session/prompt' ? promptInDialect(message, this.peer) : message;
  }

  /** How often each rule was applied. */
  get ruleCounts(): ReadonlyMap<string, number> {
    return this.peer.ruleCounts;
  }

  // Most messages are text chunks, and no rule applies to those.
  private isPlain(message: unknown): boolean {
    const chunk = textChunkParams(message);
    if (chunk?.update.sessionUpdate === 'agent_message_chunk') this.peer.noteAgentMessage(chunk.sessionId);
    return chunk !== undefined;
  }

  private inboundBatch(batch: readonly unknown[]): readonly unknown[] {
    this.peer.ruleApplied({ name: 'any: batch' });
    return batch.flatMap((message) => (Array.isArray(message) ? [message] : this.inbound(message)));
  }

  private read(received: JsonObject): readonly JsonObject[] {
    const message = canonicalEnvelope(received, this.peer);
    if (!message) return [];
    if (typeof message.method !== 'string') return canonicalAnswers(message, this.peer);
    if (message.id !== undefined) return [this.readRequest(message)];
    return lookUp(notificationRewrites, message.method)?.(message, this.peer) ?? [message];
  }

  private readRequest(request: JsonObject): JsonObject {
    // A request whose id has another type cannot be answered.
    if (request.id !== null && !['string', 'number'].includes(typeof request.id)) return request;
    // The agent may reuse the id of a request that was never answered.
    this.peer.answerRewrites.delete(request.id);
    if (request.method === 'session/request_permission') return canonicalPermission(request, this.peer);
    return canonicalClientRequest(request, this.peer);
  }
}
