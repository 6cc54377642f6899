import { ConnectionError, ErrorCodes, ResponseError } from 'vscode-jsonrpc';
import { AcpError, messageOf } from '../../base/errors.ts';
import { isRecord } from '../../base/record.ts';
import { rpcCodes } from '../../base/rpc-codes.ts';
import { shorten } from '../../base/text.ts';
import type { Log } from '../../ports/log.ts';
import { classifyError, type ErrorClass } from '../dialects/errors.ts';

const maxErrorText = 10_000;

/** An error response with the method of its request, on which its meaning depends. */
export class RequestError extends ResponseError<unknown> {
  readonly method: string;

  constructor(method: string, { code, message, data }: ResponseError<unknown>) {
    super(code, message, data);
    // The constructor of ResponseError sets its own prototype.
    Object.setPrototypeOf(this, RequestError.prototype);
    this.method = method;
  }
}

/** True when a request was rejected because the connection was closed. */
export function isConnectionEnd(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ResponseError && error.code === ErrorCodes.PendingResponseRejected;
}

export function isNotFound(error: unknown): boolean {
  return error instanceof AcpError && hasRpcCode(error.cause, rpcCodes.notFound);
}

function hasRpcCode(error: unknown, code: number): boolean {
  return error instanceof ResponseError && error.code === code;
}

/** The reason why a request was rejected, as an error that names the agent. */
export function toAcpError(agent: string, error: unknown): AcpError {
  if (error instanceof AcpError) return error;
  if (!(error instanceof ResponseError)) {
    return new AcpError('bug', messageOf(error), { cause: error });
  }
  const text = shorten(errorText(error), maxErrorText).replace(/^Internal error:\s*(?=\S)/, '');
  const report = `${agent} reports an error: ${text}`;
  switch (classify(error)) {
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

function classify(error: ResponseError<unknown>): ErrorClass {
  // vscode-jsonrpc uses this code for an error without a code.
  if (error.code === ErrorCodes.UnknownErrorCode && error.message === '') return 'other';
  return classifyError(error instanceof RequestError ? error.method : '', {
    ...error,
    message: error.message,
  });
}

// Agents put the useful text in `message`, `data`, `data.message` or `data.details`, or JSON into `message`.
function errorText(error: ResponseError<unknown>): string {
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

const codesOfErrors: Partial<Record<AcpError['code'], number>> = {
  bad_params: rpcCodes.badParams,
  not_found: rpcCodes.notFound,
  cancelled: rpcCodes.cancelled,
  denied: rpcCodes.badParams,
  file_error: rpcCodes.internal,
  extension_error: rpcCodes.internal,
};

/** The error that answers a request of the agent. */
export function toResponseError(error: unknown, log: Log): unknown {
  if (error instanceof ResponseError) return error;
  if (!(error instanceof AcpError)) {
    log.error('a request of the agent failed', error);
    return error;
  }
  const code = codesOfErrors[error.code];
  return code === undefined ? error : new ResponseError(code, error.message, error.data);
}
