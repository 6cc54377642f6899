import { isRecord, lookUp } from '../../base.ts';
import { messageOf } from '../../errors.ts';
import { answersFrom } from './answers.ts';
import { authCompleteFrom } from './auth.ts';
import { envelopeFrom } from './envelope.ts';
import { type DialectHost, Peer } from './peer.ts';
import { permissionFrom } from './permissions.ts';
import { turnEndFrom } from './prompts.ts';
import type { Wire } from './rules.ts';
import { serviceFrom } from './services.ts';
import { plainChunk, updateMessagesFrom } from './updates.ts';

const notifications: Readonly<Record<string, (message: Wire, peer: Peer) => readonly Wire[]>> = {
  'session/update': updateMessagesFrom,
  'session/end_turn': (message, peer) => [turnEndFrom(message, peer)],
  auth_complete: (message, peer) => [authCompleteFrom(message, peer)],
  'auth/complete': (message, peer) => [authCompleteFrom(message, peer)],
  authComplete: (message, peer) => [authCompleteFrom(message, peer)],
};

/** Stands between an agent and JSON-RPC: the agent's way of speaking on one side, ACP v1 on the other. */
export class Dialects {
  private readonly peer: Peer;
  private readonly isStrict: boolean;

  constructor(host: DialectHost, options: { readonly isStrict?: boolean } = {}) {
    this.peer = new Peer(host);
    this.isStrict = options.isStrict ?? false;
  }

  /** What the agent sent, as canonical v1 messages: usually the very same object, sometimes several. */
  inbound(message: unknown): readonly unknown[] {
    if (this.isStrict || this.isPlain(message)) return [message];
    if (Array.isArray(message)) return this.inboundBatch(message);
    try {
      return isRecord(message) ? this.read(message) : [message];
    } catch (error) {
      // A fault of ours; the decoders behind this take anything.
      this.peer.note({ name: `failed: ${messageOf(error)}` });
      return [message];
    }
  }

  /** What we send, in the dialect of the request it answers: usually the very same object. */
  outbound(message: unknown): unknown {
    if (this.isStrict || !isRecord(message)) return message;
    const { id, method, params } = message;
    if (typeof method !== 'string') return this.peer.replies.take(id)?.(message) ?? message;
    if (id !== undefined) this.peer.sent(id, method, params);
    else if (method === 'session/cancel') this.peer.hasBeenCancelled = true;
    return message;
  }

  // Most messages are chunks of text, and no rule is about those.
  private isPlain(message: unknown): boolean {
    const chunk = plainChunk(message);
    if (chunk?.update.sessionUpdate === 'agent_message_chunk') this.peer.heardFrom(chunk.sessionId);
    return chunk !== undefined;
  }

  private inboundBatch(batch: readonly unknown[]): readonly unknown[] {
    this.peer.note({ name: 'any: batch' });
    return batch.flatMap((message) => (Array.isArray(message) ? [message] : this.inbound(message)));
  }

  private read(received: Wire): readonly Wire[] {
    const message = envelopeFrom(received, this.peer);
    if (!message) return [];
    if (typeof message.method !== 'string') return answersFrom(message, this.peer);
    if (message.id !== undefined) return [this.readRequest(message)];
    return lookUp(notifications, message.method)?.(message, this.peer) ?? [message];
  }

  private readRequest(request: Wire): Wire {
    // Nobody can answer under another sort of id.
    if (request.id !== null && !['string', 'number'].includes(typeof request.id)) return request;
    // An agent may use an id again that it never got an answer for.
    this.peer.replies.delete(request.id);
    if (request.method === 'session/request_permission') return permissionFrom(request, this.peer);
    return serviceFrom(request, this.peer);
  }
}
