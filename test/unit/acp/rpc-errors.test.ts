import { describe, expect, it } from 'vitest';
import { ResponseError } from 'vscode-jsonrpc';
import { RequestError, toAcpError } from '../../../src/acp/rpc-errors.ts';
import { AcpError } from '../../../src/errors.ts';

const translate = (code: number, message: string, data?: unknown) =>
  toAcpError('tester', new ResponseError(code, message, data));

const wrapped = JSON.stringify({
  type: 'error',
  error: { type: 'api_error', message: 'bad request', code: 400 },
});

describe('the words of an error answer', () => {
  it.each<[string, number, string, unknown, string]>([
    ['stand in the message', -32603, 'Internal error: bad request', { errorKind: 'x' }, 'bad request'],
    ['stand in data.details', -32603, 'Internal error', { details: 'no such session' }, 'no such session'],
    ['stand in data.message', -32603, 'Internal error', { message: 'quota is used up' }, 'quota is used up'],
    ['are the data', -32603, 'Internal error', 'quota is used up', 'quota is used up'],
    ['are JSON in the message', 400, wrapped, undefined, 'bad request'],
    ['are a number in JSON', 400, '5', undefined, '5'],
    ['stay when the data are empty', -32603, 'Internal error', {}, 'Internal error'],
    ['stay when the data are an empty text', -32603, 'Internal error', '', 'Internal error'],
    ['stay when the data are null', -32603, 'Internal error', null, 'Internal error'],
    ['stay when the details are no text', -32603, 'Internal error', { details: { a: 1 } }, 'Internal error'],
    ['are the code when there are none', -32603, '', undefined, 'code -32603'],
  ])('%s', (_, code, message, data, expected) => {
    expect(translate(code, message, data)).toMatchObject({
      code: 'agent_error',
      message: `tester reports an error: ${expected}`,
    });
  });
});

describe('the code of an error answer', () => {
  it.each([
    [-32000, 'auth_required', 'tester wants you to log in: x'],
    [-32800, 'cancelled', 'x'],
    [-32602, 'agent_error', 'tester reports an error: x'],
    [-32002, 'not_found', 'tester reports an error: x'],
    [1234, 'agent_error', 'tester reports an error: x'],
  ])('%i is %s', (code, expected, message) => {
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
  ])('answering %s with %i "%s" is %s', (method, code, message, expected) => {
    const error = new RequestError(method, new ResponseError(code, message));
    expect(toAcpError('tester', error).code).toBe(expected);
  });

  it('says what to do when a login is needed', () => {
    expect(translate(-32000, 'x').hint).toContain(':AcpRestart');
  });
});

it('keeps an error of ours', () => {
  const error = new AcpError('agent_exited', 'tester exited with code 1.');
  expect(toAcpError('tester', error)).toBe(error);
});

it.each([
  [new TypeError('oops'), 'oops'],
  ['oops', 'oops'],
  [undefined, 'undefined'],
])('calls everything else a bug: %s', (error, message) =>
  expect(toAcpError('tester', error)).toMatchObject({ code: 'bug', message, cause: error }),
);
