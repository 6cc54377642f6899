import type { MessageConnection } from 'vscode-jsonrpc';
import { isRecord } from '../../base/record.ts';
import { rpcCodes } from '../../base/rpc-codes.ts';
import { shorten } from '../../base/text.ts';
import type { Log } from '../../ports/log.ts';
import type { MessageFilter } from './message-filters.ts';

const maxLogged = 500;

/** Stands for the id null, which JSON-RPC allows in a request. */
const nullId = '\0null';

/** Rewrites incoming messages that are valid in ACP but that vscode-jsonrpc does not handle. */
export const jsonRpcFilter: MessageFilter = {
  inbound: (message) => {
    if (!isRecord(message)) return [message];
    if (message.method === undefined) return [completeError(message)];
    if (message.id === null) return [withoutNullId(message)];
    return isCancellation(message) ? translateCancellation(message) : [message];
  },
  outbound: (message) => (isRecord(message) && message.id === nullId ? { ...message, id: null } : message),
};

// Nobody waits for an answer to an update.
function withoutNullId(message: Record<string, unknown>): unknown {
  const { id: _, ...notification } = message;
  return message.method === 'session/update' ? notification : { ...message, id: nullId };
}

function isCancellation({ method, id }: Record<string, unknown>): boolean {
  return id === undefined && (method === '$/cancel_request' || method === '$/cancelRequest');
}

// ACP and vscode-jsonrpc name the method and its parameter differently. vscode-jsonrpc throws if the id is neither a
// string nor a number.
function translateCancellation(message: Record<string, unknown>): readonly unknown[] {
  const { params } = message;
  const id = isRecord(params) ? (params.requestId ?? params.id) : undefined;
  if (typeof id !== 'string' && typeof id !== 'number') return [];
  return [{ ...message, method: '$/cancelRequest', params: { id } }];
}

// vscode-jsonrpc throws at an error whose message is not a string, so the request would never settle. It gives an
// error without a code one that has a meaning in ACP.
function completeError(message: Record<string, unknown>): unknown {
  const { error } = message;
  if (!isRecord(error)) return message;
  const text = typeof error.message === 'string' ? error.message : '';
  const code = typeof error.code === 'number' ? error.code : rpcCodes.internal;
  if (text === error.message && code === error.code) return message;
  return { ...message, error: { ...error, message: text, code } };
}

/** Cancels requests with ACP's notification. */
export const cancellationSender = {
  sendCancellation: async (rpc: MessageConnection, id: string | number) =>
    rpc.sendNotification('$/cancel_request', { requestId: id }),
  cleanup: () => undefined,
};

/** The logger of vscode-jsonrpc, which logs unexpected messages whole. */
export function rpcLogger(log: Log) {
  const warn = (message: string) => log.warn(`json-rpc: ${shorten(message, maxLogged)}`);
  const debug = (message: string) => log.debug(`json-rpc: ${shorten(message, maxLogged)}`);
  return { error: warn, warn, info: debug, log: debug };
}
