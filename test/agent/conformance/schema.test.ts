import { describe, expect } from 'vitest';
import { it } from '../../support/agent-it.ts';
import { complaintsAboutClient } from '../../support/client-schema.ts';
import type { WireMessage } from '../../support/piped-connection.ts';
import { waitFor } from '../../support/wait.ts';

describe('an agent nobody here wrote', () => {
  it('is greeted, asked, answered and ended', async ({ workshop }) => {
    const { agent, sink, prompt } = await workshop.open('sdk.mjs');
    expect(await agent.ready).toMatchObject({ name: 'tester', title: 'sdk-agent' });
    expect(await prompt('look around')).toBe('end_turn');
    expect(sink.events).toMatchObject([
      { kind: 'plan', items: [{ text: 'look', status: 'running' }] },
      { kind: 'tool', patch: { toolCallId: 't1', title: 'ls', toolKind: 'execute', status: 'pending' } },
      { kind: 'tool', patch: { toolCallId: 't1', status: 'done' } },
      { kind: 'chunk', role: 'agent', text: 'acp.nvim chose ok' },
    ]);
    agent.cancel('sdk-1');
    await waitFor(() => workshop.sent.some(({ method }) => method === 'session/cancel'));
    await agent.end();
    expect(await agent.gone).toBeUndefined();
  });

  it('has everything of a turn held against the schema', async ({ workshop }) => {
    const { prompt } = await workshop.open('sdk.mjs');
    await prompt('look around');
    const kinds = workshop.sent.map(({ method, result }) => method ?? Object.keys(result as object)[0]);
    expect(kinds).toEqual(['initialize', 'session/new', 'session/prompt', 'outcome']);
  });
});

describe('the schema', () => {
  const permission: WireMessage = { id: 1, method: 'session/request_permission', params: {} };
  const message = (fields: object) => ({ jsonrpc: '2.0', ...fields }) as WireMessage;

  it.each<[string, object]>([
    ['no version', { method: 'session/cancel', params: { sessionId: 's' }, jsonrpc: undefined }],
    ['a request without its params', { id: 0, method: 'session/new', params: { cwd: '/' } }],
    ['a version that is a text', { id: 0, method: 'initialize', params: { protocolVersion: '1' } }],
    [
      'a prompt that is a text',
      { id: 0, method: 'session/prompt', params: { sessionId: 's', prompt: 'hi' } },
    ],
    [
      'a block of no known type',
      {
        id: 0,
        method: 'session/prompt',
        params: { sessionId: 's', prompt: [{ type: 'words', text: 'hi' }] },
      },
    ],
    ['a method nobody knows', { id: 0, method: 'session/fly', params: {} }],
    ['a notification that is a request', { id: 0, method: 'session/cancel', params: { sessionId: 's' } }],
    ['a cancel without a session', { method: 'session/cancel', params: {} }],
    ['an answer to nothing', { id: 5, result: {} }],
    ['an answer without an outcome', { id: 1, result: {} }],
    ['an outcome without an option', { id: 1, result: { outcome: { outcome: 'selected' } } }],
    ['both a result and an error', { id: 1, result: {}, error: { code: 1, message: '' } }],
    ['an error without a code', { id: 1, error: { message: 'x' } }],
  ])('catches a wrong message: %s', (_, fields) => {
    expect(complaintsAboutClient([message(fields)], [permission])).not.toEqual([]);
  });

  it.each<[string, object]>([
    ['a cancel', { method: 'session/cancel', params: { sessionId: 's' } }],
    [
      'a prompt',
      { id: 0, method: 'session/prompt', params: { sessionId: 's', prompt: [{ type: 'text', text: 'hi' }] } },
    ],
    ['an outcome', { id: 1, result: { outcome: { outcome: 'cancelled' } } }],
    ['an error', { id: 1, error: { code: -32601, message: 'no' } }],
    ['a withdrawal', { method: '$/cancel_request', params: { requestId: 0 } }],
  ])('lets a right one pass: %s', (_, fields) => {
    expect(complaintsAboutClient([message(fields)], [permission])).toEqual([]);
  });
});
