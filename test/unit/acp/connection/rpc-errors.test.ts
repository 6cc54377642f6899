import { describe, expect, it } from 'vitest';
import { ResponseError } from 'vscode-jsonrpc';
import { RequestError, toAcpError } from '../../../../src/acp/connection/rpc-errors.ts';
import { AcpError } from '../../../../src/base/errors.ts';

const translate = (code: number, message: string, data?: unknown) =>
  toAcpError('tester', new ResponseError(code, message, data));

const wrapped = JSON.stringify({
  type: 'error',
  error: { type: 'api_error', message: 'bad request', code: 400 },
});

describe('the text of an error response', () => {
  it.each<[string, number, string, unknown, string]>([
    ['is taken from message', -32603, 'Internal error: bad request', { errorKind: 'x' }, 'bad request'],
    [
      'is taken from data.details',
      -32603,
      'Internal error',
      { details: 'no such session' },
      'no such session',
    ],
    [
      'is taken from data.message',
      -32603,
      'Internal error',
      { message: 'quota is used up' },
      'quota is used up',
    ],
    ['is taken from data', -32603, 'Internal error', 'quota is used up', 'quota is used up'],
    ['is taken from JSON in message', 400, wrapped, undefined, 'bad request'],
    ['is message if that is a number in JSON', 400, '5', undefined, '5'],
    ['is message if data is empty', -32603, 'Internal error', {}, 'Internal error'],
    ['is message if data is an empty string', -32603, 'Internal error', '', 'Internal error'],
    ['is message if data is null', -32603, 'Internal error', null, 'Internal error'],
    [
      'is message if data.details is not a string',
      -32603,
      'Internal error',
      { details: { a: 1 } },
      'Internal error',
    ],
    ['is the code if there is no message', -32603, '', undefined, 'code -32603'],
  ])('%s', (_, code, message, data, expected) => {
    expect(translate(code, message, data)).toMatchObject({
      code: 'agent_error',
      message: `tester reports an error: ${expected}`,
    });
  });
});

describe('an error response', () => {
  it.each([
    [-32000, 'auth_required', 'tester wants you to log in: x'],
    [-32800, 'cancelled', 'x'],
    [-32602, 'agent_error', 'tester reports an error: x'],
    [-32002, 'not_found', 'tester reports an error: x'],
    [1234, 'agent_error', 'tester reports an error: x'],
  ])('with code %i means %s', (code, expected, message) => {
    expect(translate(code, 'x')).toMatchObject({ code: expected, message });
  });

  it.each<[string, number, string, string]>([
    ['session/new', -32603, 'Please sign in', 'auth_required'],
    ['logout', -32603, 'Please sign in', 'agent_error'],
    ['authenticate', -32002, 'no such method', 'auth_required'],
    ['session/load', -32002, 'no such session', 'not_found'],
    ['session/prompt', -32005, 'no such session', 'not_found'],
    ['session/prompt', -32001, 'bad key', 'auth_required'],
    ['session/prompt', -32001, '', 'agent_error'],
  ])('to %s with %i "%s" means %s', (method, code, message, expected) => {
    const error = new RequestError(method, new ResponseError(code, message));
    expect(toAcpError('tester', error).code).toBe(expected);
  });

  it('gets a hint when a login is needed', () => {
    expect(translate(-32000, 'x').hint).toContain(':AcpRestart');
  });
});

it('toAcpError returns an AcpError unchanged', () => {
  const error = new AcpError('agent_exited', 'tester exited with code 1.');
  expect(toAcpError('tester', error)).toBe(error);
});

it.each([
  [new TypeError('oops'), 'oops'],
  ['oops', 'oops'],
  [undefined, 'undefined'],
])('toAcpError reports anything else as a bug: %s', (error, message) =>
  expect(toAcpError('tester', error)).toMatchObject({ code: 'bug', message, cause: error }),
);
