import { isRecord } from '../../base.ts';
import { AcpError, type ErrorCode, messageOf } from '../../errors.ts';

/** Who and where an agent elsewhere is, as the user may read it. */
export interface Place {
  readonly name: string;
  readonly address: string;
}

/** An answer that was given instead of what was asked for. */
export class BadAnswer extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|^ERR_TLS|^ERR_SSL|^EPROTO$/;

/** Tells why an agent elsewhere could not be reached, in one line and with the next step. */
export function unreachable(place: Place, error: unknown, code: ErrorCode = 'agent_missing'): AcpError {
  if (error instanceof AcpError) return error;
  const { reason, hint } = explain(place, error);
  return new AcpError(code, `${place.name} could not be reached: ${reason}.`, {
    cause: error,
    hint: `${hint}, then :AcpRestart.`,
  });
}

/** Tells why requests to an agent elsewhere came to nothing, after it was heard of or before. */
export function endOf(place: Place, error: unknown, hasHeard: boolean): AcpError {
  const status = statusOf(error);
  if (!hasHeard) return unreachable(place, error);
  if (status === 401 || status === 403) return unreachable(place, error, 'agent_exited');
  const { code, message } = rootOf(error);
  return disconnected(place, status === undefined ? code || message : `it answered ${status}`);
}

/** Tells that the connection to an agent elsewhere has ended, and why as far as that is known. */
export function disconnected({ name, address }: Place, reason = ''): AcpError {
  return new AcpError('agent_exited', `${name} closed the connection.`, {
    detail: reason === '' ? [] : [`${address}: ${reason}`],
    hint: ':AcpRestart connects again.',
  });
}

function explain({ name, address }: Place, error: unknown): { reason: string; hint: string } {
  const check = `Check agents.${name}.url`;
  const status = statusOf(error);
  if (status === 401 || status === 403) {
    const hint = `Set the credentials in agents.${name}.headers`;
    return { reason: `${address} refused the credentials (${status})`, hint };
  }
  if (status !== undefined)
    return { reason: `${address} answered ${status}${meaningOf(status)}`, hint: check };
  if (error instanceof BadAnswer) return { reason: `${address} ${error.message}`, hint: check };
  const { code, message } = rootOf(error);
  if (code === 'ECONNREFUSED') {
    return { reason: `nobody listens at ${address}`, hint: `Start the server or correct agents.${name}.url` };
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return { reason: `the host of ${address} is not known`, hint: `${check} and the network` };
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

function meaningOf(status: number): string {
  if (status === 404) return ' (not found)';
  return status >= 300 && status < 400 ? ' (moved)' : '';
}

/** The status of an answer that an error tells of; zero means that the status was not what was wrong. */
export function statusOf(error: unknown): number | undefined {
  const status =
    isRecord(error) || error instanceof Error ? (error as { status?: unknown }).status : undefined;
  return typeof status === 'number' && status > 0 ? status : undefined;
}

/** What is at the bottom of an error: fetch wraps it, and a host with several addresses has several. */
export function rootOf(error: unknown): { readonly code: string; readonly message: string } {
  let root = error;
  for (let depth = 0; depth < 5; depth += 1) {
    const inner = root instanceof AggregateError ? root.errors[0] : (root as Error | undefined)?.cause;
    if (inner === undefined) break;
    root = inner;
  }
  const code = (root as NodeJS.ErrnoException | undefined)?.code;
  return { code: typeof code === 'string' ? code : '', message: messageOf(root) };
}
