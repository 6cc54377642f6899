import { ConnectionError, ErrorCodes, ResponseError } from 'vscode-jsonrpc';
import { isRecord } from '../base.ts';
import { AcpError, messageOf } from '../errors.ts';

/** ACP's own codes beside those of JSON-RPC. */
export const rpcCodes = {
  authRequired: -32000,
  notFound: -32002,
  cancelled: -32800,
  badParams: ErrorCodes.InvalidParams,
  internal: ErrorCodes.InternalError,
} as const;

/** True when a request was rejected because the connection is closed, whoever closed it. */
export function isConnectionEnd(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ResponseError && error.code === ErrorCodes.PendingResponseRejected;
}

/** True when the agent does not know what was asked for. */
export function isNotFound(error: unknown): boolean {
  return error instanceof AcpError && isRpc(error.cause, rpcCodes.notFound);
}

function isRpc(error: unknown, code: number): boolean {
  return error instanceof ResponseError && error.code === code;
}

/** Turns what a request was rejected with into an error of ours that names the agent. */
export function toAcpError(agent: string, error: unknown): AcpError {
  if (error instanceof AcpError) return error;
  if (!(error instanceof ResponseError)) {
    return new AcpError('bug', messageOf(error), { cause: error });
  }
  const text = explain(error).replace(/^Internal error:\s*(?=\S)/, '');
  if (error.code === rpcCodes.cancelled) return new AcpError('cancelled', text, { cause: error });
  if (error.code === rpcCodes.authRequired) {
    return new AcpError('auth_required', `${agent} wants you to log in: ${text}`, {
      cause: error,
      hint: ':AcpLogin shows the ways to log in; :AcpRestart tries again.',
    });
  }
  return new AcpError('agent_error', `${agent} reports an error: ${text}`, { cause: error });
}

// Agents put the useful text in the message, in data, in data.message or data.details, or wrap JSON into the message.
function explain(error: ResponseError<unknown>): string {
  const { data } = error;
  if (typeof data === 'string' && data !== '') return data;
  if (isRecord(data)) {
    for (const key of ['details', 'message', 'error']) {
      const text = data[key];
      if (typeof text === 'string' && text !== '') return text;
    }
  }
  return unwrapJson(error.message) || `code ${error.code}`;
}

function unwrapJson(message: string): string {
  try {
    const value: unknown = JSON.parse(message);
    const inner = isRecord(value) && isRecord(value.error) ? value.error.message : undefined;
    return typeof inner === 'string' ? inner : message;
  } catch {
    return message;
  }
}
