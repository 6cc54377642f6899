import { AcpError, type ErrorCode, messageOf } from '../../../base/errors.ts';
import { isRecord } from '../../../base/record.ts';
import type { AgentLabel } from '../transport.ts';

/** A remote agent in messages, without secrets. */
export interface RemoteLabel extends AgentLabel {
  /** The key in the configuration. */
  readonly name: string;
  readonly address: string;
}

/** A response that is not what the transport needs. Status 0: the status is not the problem. */
export class UnexpectedResponse extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|^ERR_TLS|^ERR_SSL|^EPROTO$/;

/** The error for a remote agent that could not be reached, with the next step as its hint. */
export function unreachableError(
  remote: RemoteLabel,
  error: unknown,
  code: ErrorCode = 'agent_missing',
): AcpError {
  if (error instanceof AcpError) return error;
  const { reason, hint } = explainFailure(remote, error);
  return new AcpError(code, `${remote.title} could not be reached: ${reason}.`, {
    cause: error,
    hint: `${hint}, then :AcpRestart.`,
  });
}

/** The error for a failed request. `hasReceived`: the agent had answered before, so the connection has ended. */
export function connectionEndError(remote: RemoteLabel, error: unknown, hasReceived: boolean): AcpError {
  const status = httpStatusOf(error);
  if (!hasReceived) return unreachableError(remote, error);
  if (status === 401 || status === 403) return unreachableError(remote, error, 'agent_exited');
  const { code, message } = rootCause(error);
  return disconnectedError(remote, status === undefined ? code || message : `it answered ${status}`);
}

/** The error for a connection that has ended, with the reason if there is one. */
export function disconnectedError({ title, address }: RemoteLabel, reason = ''): AcpError {
  return new AcpError('agent_exited', `${title} closed the connection.`, {
    detail: reason === '' ? [] : [`${address}: ${reason}`],
    hint: ':AcpRestart connects again.',
  });
}

function explainFailure({ name, address }: RemoteLabel, error: unknown): { reason: string; hint: string } {
  const check = `Check agents.${name}.url`;
  const status = httpStatusOf(error);
  if (status === 401 || status === 403) {
    const hint = `Set the credentials in agents.${name}.headers`;
    return { reason: `${address} refused the credentials (${status})`, hint };
  }
  if (status !== undefined)
    return { reason: `${address} answered ${status}${statusNote(status)}`, hint: check };
  if (error instanceof UnexpectedResponse) return { reason: `${address} ${error.message}`, hint: check };
  const { code, message } = rootCause(error);
  if (code === 'ECONNREFUSED') {
    return {
      reason: `nothing listens at ${address}`,
      hint: `Start the server or correct agents.${name}.url`,
    };
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return { reason: `the host of ${address} was not found`, hint: `${check} and the network` };
  }
  if (certificateCodes.test(code)) {
    const hint = `${check} and the certificate (NODE_EXTRA_CA_CERTS names one of your own)`;
    return { reason: `no secure connection to ${address}: ${code}`, hint };
  }
  if (/TIMEOUT|ETIMEDOUT/.test(code) || /timed out/i.test(message)) {
    return { reason: `${address} did not answer in time`, hint: `${check} and the network` };
  }
  return { reason: `${address}: ${code || message}`, hint: check };
}

function statusNote(status: number): string {
  if (status === 404) return ' (not found)';
  return status >= 300 && status < 400 ? ' (moved)' : '';
}

/** The HTTP status that an error carries, if the status is the problem. */
function httpStatusOf(error: unknown): number | undefined {
  const status =
    isRecord(error) || error instanceof Error ? (error as { status?: unknown }).status : undefined;
  return typeof status === 'number' && status > 0 ? status : undefined;
}

/** The innermost cause: fetch wraps it, and a host with several addresses fails with an AggregateError. */
export function rootCause(error: unknown): { readonly code: string; readonly message: string } {
  let root = error;
  for (let depth = 0; depth < 5; depth += 1) {
    const inner = root instanceof AggregateError ? root.errors[0] : (root as Error | undefined)?.cause;
    if (inner === undefined) break;
    root = inner;
  }
  const code = (root as NodeJS.ErrnoException | undefined)?.code;
  return { code: typeof code === 'string' ? code : '', message: messageOf(root) };
}
