import { ConnectionError, ErrorCodes, ResponseError } from 'vscode-jsonrpc';
import { isRecord } from '../base.ts';
import { AcpError, messageOf } from '../errors.ts';
import { classifyError, type ErrorClass } from './dialects/errors.ts';

/** ACP's own codes beside those of JSON-RPC. */
export const rpcCodes = {
  authRequired: -32000,
  notFound: -32002,
  cancelled: -32800,
  badParams: ErrorCodes.InvalidParams,
  internal: ErrorCodes.InternalError,
} as const;

/** An error answer with the request it is for: neither means enough without the other. */
export class RequestError extends ResponseError<unknown> {
  readonly method: string;

  constructor(method: string, { code, message, data }: ResponseError<unknown>) {
    super(code, message, data);
    // The class above makes everything one of its own.
    Object.setPrototypeOf(this, RequestError.prototype);
    this.method = method;
  }
}

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
  const report = `${agent} reports an error: ${text}`;
  switch (meaningOf(error)) {
    case 'cancelled':
      return new AcpError('cancelled', text, { cause: error });
    case 'auth':
      return new AcpError('auth_required', `${agent} wants you to log in: ${text}`, {
        cause: error,
        hint: ':AcpLogin shows the ways to log in; :AcpRestart tries again.',
      });
    case 'not_found':
    case 'session_gone':
      return new AcpError('not_found', report, { cause: error });
    case 'other':
      return new AcpError('agent_error', report, { cause: error });
  }
}

function meaningOf(error: ResponseError<unknown>): ErrorClass {
  // vscode-jsonrpc gives this code to an error that has none.
  if (error.code === ErrorCodes.UnknownErrorCode && error.message === '') return 'other';
  return classifyError(error instanceof RequestError ? error.method : '', {
    ...error,
    message: error.message,
  });
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
