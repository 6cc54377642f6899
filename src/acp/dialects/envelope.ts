import type { JsonObject } from '../../base/record.ts';
import type { Peer } from './peer.ts';
import { documents } from './rules.ts';

/** Adds missing JSON-RPC fields; undefined if the message must be dropped. */
export function canonicalEnvelope(message: JsonObject, peer: Peer): JsonObject | undefined {
  const versioned = withVersion(message, peer);
  return isResponse(versioned) ? withRequestId(versioned, peer) : versioned;
}

function withVersion(message: JsonObject, peer: Peer): JsonObject {
  if (message.jsonrpc !== undefined || !(typeof message.method === 'string' || isResponse(message)))
    return message;
  peer.ruleApplied({ name: 'B,E: no jsonrpc' });
  return { jsonrpc: '2.0', ...message };
}

function isResponse({ method, result, error }: JsonObject): boolean {
  return method === undefined && (result !== undefined || error !== undefined);
}

function withRequestId(answer: JsonObject, peer: Peer): JsonObject | undefined {
  if (!hasNoId(answer)) {
    peer.hasAnsweredById ||= peer.pending.has(answer.id);
    return answer;
  }
  // If the agent uses ids otherwise, a response without an id answers one of our notifications.
  if (peer.pending.size === 1 && !peer.hasAnsweredById) {
    peer.ruleApplied({ name: 'E: result without id', implies: documents.overview });
    return { ...answer, id: peer.pending.keys()[0] };
  }
  if (!peer.hasSentCancel || answer.error !== undefined) return answer;
  peer.ruleApplied({ name: 'A,E: response to session/cancel' });
  return undefined;
}

// JSON-RPC: an error with id null answers a message that could not be parsed.
function hasNoId({ id, error }: JsonObject): boolean {
  return id === undefined || (id === null && error === undefined);
}
