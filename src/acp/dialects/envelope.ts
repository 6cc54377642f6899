import type { Peer } from './peer.ts';
import type { Wire } from './rules.ts';

/** The message with a valid JSON-RPC envelope, or nothing if it cannot be used. */
export function envelopeFrom(message: Wire, peer: Peer): Wire | undefined {
  const versioned = withVersion(message, peer);
  return isAnswer(versioned) ? withRequest(versioned, peer) : versioned;
}

function withVersion(message: Wire, peer: Peer): Wire {
  if (message.jsonrpc !== undefined || !(typeof message.method === 'string' || isAnswer(message)))
    return message;
  peer.note({ name: 'B,E: no jsonrpc' });
  return { jsonrpc: '2.0', ...message };
}

function isAnswer({ method, result, error }: Wire): boolean {
  return method === undefined && (result !== undefined || error !== undefined);
}

function withRequest(answer: Wire, peer: Peer): Wire | undefined {
  if (!isNameless(answer)) {
    peer.hasAnsweredById ||= peer.pending.has(answer.id);
    return answer;
  }
  // An agent that names its requests otherwise means something else: a notification of ours.
  if (peer.pending.size === 1 && !peer.hasAnsweredById) {
    peer.note({ name: 'E: result without id', tells: 'E' });
    return { ...answer, id: peer.pending.keys()[0] };
  }
  if (!peer.hasBeenCancelled || answer.error !== undefined) return answer;
  peer.note({ name: 'A,E: response to session/cancel' });
  return undefined;
}

// An error whose id is null answers something that could not be read.
function isNameless({ id, error }: Wire): boolean {
  return id === undefined || (id === null && error === undefined);
}
