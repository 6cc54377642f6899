import { isRecord } from '../../base/record.ts';
import { asString } from '../decode/fields.ts';

/** What the client does next depends on this. */
export type ErrorClass = 'auth' | 'not_found' | 'session_gone' | 'cancelled' | 'other';

const classes: Readonly<Record<number, ErrorClass>> = {
  [-32000]: 'auth',
  [-32001]: 'auth',
  [-32002]: 'not_found',
  [-32005]: 'session_gone',
  [-32800]: 'cancelled',
};

// Document C uses the same codes for other errors and names them in `data.reason`.
const otherReasons = new Set<unknown>(['rate_limited', 'permission_denied']);

/** Classifies an error by its code and by the request it answers. */
export function classifyError(method: string, error: unknown): ErrorClass {
  if (!isRecord(error)) return 'other';
  const reason = isRecord(error.data) ? error.data.reason : undefined;
  if (reason === 'auth_required') return 'auth';
  if (otherReasons.has(reason)) return 'other';
  const { code } = error;
  // Document B: "invalid authentication method".
  if (code === -32002 && method === 'authenticate') return 'auth';
  const known = typeof code === 'number' ? classes[code] : undefined;
  return known ?? (asksForLogin(method, error.message) ? 'auth' : 'other');
}

function asksForLogin(method: string, message: unknown): boolean {
  return method.startsWith('session/') && /auth|login|sign in|unauthor/i.test(asString(message) ?? '');
}
