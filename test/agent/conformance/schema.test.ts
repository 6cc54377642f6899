import { describe, expect } from 'vitest';
import { it } from '../../support/agents/agent-harness.ts';
import type { WireMessage } from '../../support/agents/piped-connection.ts';
import { violationsOfClient } from '../../support/schema.ts';
import { waitFor } from '../../support/wait.ts';

describe('an agent of the official SDK', () => {
  it('completes a handshake, a turn and an orderly end', async ({ harness }) => {
    const { agent, sink, prompt } = await harness.open('sdk.mjs');
    expect(await agent.ready).toMatchObject({ name: 'tester', title: 'sdk-agent' });
    expect(await prompt('look around')).toBe('end_turn');
    expect(sink.events).toMatchObject([
      { kind: 'plan', items: [{ text: 'look', status: 'running' }] },
      { kind: 'tool', patch: { toolCallId: 't1', title: 'ls', toolKind: 'execute', status: 'pending' } },
      { kind: 'tool', patch: { toolCallId: 't1', status: 'done' } },
      { kind: 'chunk', role: 'agent', text: 'acp.nvim chose ok' },
    ]);
    agent.cancel('sdk-1');
    await waitFor(() => harness.sent.some(({ method }) => method === 'session/cancel'));
    await agent.end();
    expect(await agent.gone).toBeUndefined();
  });

  it('has every message of a turn checked against the schema', async ({ harness }) => {
    const { prompt } = await harness.open('sdk.mjs');
    await prompt('look around');
    const kinds = harness.sent.map(({ method, result }) => method ?? Object.keys(result as object)[0]);
    expect(kinds).toEqual(['initialize', 'session/new', 'session/prompt', 'outcome']);
  });
});

describe('the schema check of the tests', () => {
  const permission: WireMessage = { id: 1, method: 'session/request_permission', params: {} };
  const message = (fields: object) => ({ jsonrpc: '2.0', ...fields }) as WireMessage;

  it.each<[string, object]>([
    ['no version', { method: 'session/cancel', params: { sessionId: 's' }, jsonrpc: undefined }],
    ['a request without a required param', { id: 0, method: 'session/new', params: { cwd: '/' } }],
    ['a version that is a string', { id: 0, method: 'initialize', params: { protocolVersion: '1' } }],
    [
      'a prompt that is a string',
      { id: 0, method: 'session/prompt', params: { sessionId: 's', prompt: 'hi' } },
    ],
    [
      'a block of an unknown type',
      {
        id: 0,
        method: 'session/prompt',
        params: { sessionId: 's', prompt: [{ type: 'words', text: 'hi' }] },
      },
    ],
    ['an unknown method', { id: 0, method: 'session/fly', params: {} }],
    ['a notification with an id', { id: 0, method: 'session/cancel', params: { sessionId: 's' } }],
    ['a cancel without a session', { method: 'session/cancel', params: {} }],
    ['a response without a request', { id: 5, result: {} }],
    ['a response without an outcome', { id: 1, result: {} }],
    ['an outcome without an option', { id: 1, result: { outcome: { outcome: 'selected' } } }],
    ['both a result and an error', { id: 1, result: {}, error: { code: 1, message: '' } }],
    ['an error without a code', { id: 1, error: { message: 'x' } }],
  ])('rejects %s', (_, fields) => {
    expect(violationsOfClient([message(fields)], [permission])).not.toEqual([]);
  });

  it.each<[string, object]>([
    ['a cancel', { method: 'session/cancel', params: { sessionId: 's' } }],
    [
      'a prompt',
      { id: 0, method: 'session/prompt', params: { sessionId: 's', prompt: [{ type: 'text', text: 'hi' }] } },
    ],
    ['an outcome', { id: 1, result: { outcome: { outcome: 'cancelled' } } }],
    ['an error', { id: 1, error: { code: -32601, message: 'no' } }],
    ['a $/cancel_request', { method: '$/cancel_request', params: { requestId: 0 } }],
  ])('accepts %s', (_, fields) => {
    expect(violationsOfClient([message(fields)], [permission])).toEqual([]);
  });
});
