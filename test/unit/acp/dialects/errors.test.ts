import { describe, expect, it } from 'vitest';
import { classifyError, type ErrorClass } from '../../../../src/acp/dialects/errors.ts';

describe('classifyError', () => {
  it.each<[what: string, method: string, error: unknown, meaning: ErrorClass]>([
    ['official: authentication required', 'session/new', { code: -32000, message: 'no' }, 'auth'],
    ['B: authentication failed', 'authenticate', { code: -32001, message: 'bad key' }, 'auth'],
    ['B: authentication failed', 'session/prompt', { code: -32001, message: 'no' }, 'auth'],
    ['B: invalid authentication method', 'authenticate', { code: -32002, message: 'no' }, 'auth'],
    ['official: not found', 'session/load', { code: -32002, message: 'no' }, 'not_found'],
    ['B: session not found', 'session/prompt', { code: -32005, message: 'no' }, 'session_gone'],
    ['official: cancelled', 'session/prompt', { code: -32800, message: 'no' }, 'cancelled'],
    ['a message', 'session/new', { code: -32603, message: 'Please login first' }, 'auth'],
    ['a message', 'session/prompt', { code: 401, message: 'Unauthorized' }, 'auth'],
    ['a message', 'session/new', { code: 1, message: 'You must sign in' }, 'auth'],
    ['a message about something else', 'session/new', { code: -32603, message: 'Disk full' }, 'other'],
    ['a message for another method', 'logout', { code: -32603, message: 'Please login first' }, 'other'],
    ['B: permission denied', 'session/prompt', { code: -32004, message: 'denied' }, 'other'],
    [
      'C: a reason',
      'session/prompt',
      { code: -32001, message: 'slow down', data: { reason: 'rate_limited' } },
      'other',
    ],
    [
      'C: a reason',
      'session/prompt',
      { code: -32005, message: 'no', data: { reason: 'permission_denied' } },
      'other',
    ],
    ['C: a reason', 'session/new', { code: 1, message: 'no', data: { reason: 'auth_required' } }, 'auth'],
    ['no code', 'session/new', { message: 'no' }, 'other'],
    ['no error', 'session/new', null, 'other'],
    ['a code that is no number', 'session/new', { code: 'constructor', message: 5 }, 'other'],
  ])('%s: %s %j', (_, method, error, meaning) => expect(classifyError(method, error)).toBe(meaning));
});
