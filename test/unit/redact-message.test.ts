import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactMessage } from '../../src/redact-message.ts';

const secret = '<secret>';

describe('a message', () => {
  it.each<[string, object, object]>([
    [
      'the environment of a terminal',
      { method: 'terminal/create', params: { command: 'ls', env: [{ name: 'A', value: 'x' }] } },
      { method: 'terminal/create', params: { command: 'ls', env: [{ name: 'A', value: secret }] } },
    ],
    [
      'an environment as a map',
      { params: { env: { A: 'x', N: 5, keyId: 'y' } } },
      { params: { env: { A: secret, N: 0, keyId: secret } } },
    ],
    [
      'an environment as lines',
      { params: { env: ['A=x=y', 'B'] } },
      { params: { env: [`A=${secret}`, secret] } },
    ],
    [
      'an MCP server that is started',
      { params: { mcpServers: [{ name: 'm', command: 'm', args: ['--api-key', 'x', '--v'], env: [] }] } },
      { params: { mcpServers: [{ name: 'm', command: 'm', args: ['--api-key', secret, '--v'], env: [] }] } },
    ],
    [
      'an MCP server on the net',
      {
        params: {
          mcpServers: [
            {
              type: 'http',
              name: 'm',
              url: 'https://me:pw@mcp.test/x?k=abc&y=#top',
              headers: [{ name: 'X-Any', value: 'x', _meta: { note: 'y' } }],
            },
          ],
        },
      },
      {
        params: {
          mcpServers: [
            {
              type: 'http',
              name: 'm',
              url: `https://${secret}@mcp.test/x?k=${secret}&y=${secret}#top`,
              headers: [{ name: 'X-Any', value: secret, _meta: { note: secret } }],
            },
          ],
        },
      },
    ],
    [
      'MCP servers by name',
      { mcpServers: { one: { url: 'https://mcp.test/?k=v', headers: { Cookie: 'c' } } } },
      { mcpServers: { one: { url: `https://mcp.test/?k=${secret}`, headers: { Cookie: secret } } } },
    ],
    ['headers as lines', { headers: ['X-Any: x'] }, { headers: [`X-Any:${secret}`] }],
    [
      'a login',
      { id: 3, method: 'authenticate', params: { methodId: 'key', code: '1', _meta: { answers: ['x', 7] } } },
      {
        id: 3,
        method: 'authenticate',
        params: { methodId: 'key', code: secret, _meta: { answers: [secret, 0] } },
      },
    ],
    [
      'fields by their names',
      {
        result: {
          _meta: {
            apiKey: 'x',
            'X-Api-Key': 'x',
            OPENAI_API_KEY: 'x',
            accessToken: 'x',
            'vendor/auth': { Authorization: 'x' },
            credentials: { user: 'x', list: [{ pass: 'y' }] },
            password: 1234,
            private_key: null,
          },
        },
      },
      {
        result: {
          _meta: {
            apiKey: secret,
            'X-Api-Key': secret,
            OPENAI_API_KEY: secret,
            accessToken: secret,
            'vendor/auth': { Authorization: secret },
            credentials: { user: secret, list: [{ pass: secret }] },
            password: 0,
            private_key: null,
          },
        },
      },
    ],
    [
      'keys in texts',
      { params: { update: { rawInput: 'curl -H "Authorization: Bearer abc" sk-ant-api03-AbCdEf123456' } } },
      { params: { update: { rawInput: `curl -H "Authorization: ${secret}" ${secret}` } } },
    ],
    [
      'JSON in texts, and JSON in that',
      { text: '{"token":"abc"} "{\\"token\\":\\"abc\\"}"' },
      { text: `{"token":"${secret}"} "{\\"token\\":\\"${secret}\\"}"` },
    ],
    ['a batch', [{ env: { A: 'x' } }], [{ env: { A: secret } }]],
    [
      'an error',
      { id: 1, error: { code: 1, message: 'bad token=abc' } },
      { id: 1, error: { code: 1, message: `bad token=${secret}` } },
    ],
    [
      'a field no object should have',
      JSON.parse('{"__proto__":{"token":"x"}}'),
      JSON.parse(`{"__proto__":{"token":"${secret}"}}`),
    ],
  ])('hides %s', (_, message, expected) => expect(redactMessage(message)).toEqual(expected));

  it.each<[string, unknown]>([
    ['ids', { id: 'sk-ant-api03-AbCdEf123456', params: { sessionId: 'ghp_abcdefghijklmnop1234' } }],
    ['counts', { result: { usage: { inputTokens: 5, token_count: { input: 7 } } } }],
    ['abilities', { params: { clientCapabilities: { auth: { terminal: true } }, env: null, headers: [] } }],
    ['ways to log in', { result: { authMethods: [{ id: 'a', name: 'API key', description: 'Set KEY' }] } }],
    ['a prompt', { params: { sessionId: 's', prompt: [{ type: 'text', text: 'the token limit' }] } }],
    ['what is no message', 'text'],
    ['nothing', null],
  ])('keeps %s', (_, message) => expect(redactMessage(message)).toEqual(message));

  it('keeps its shape, whatever it is', () => {
    const message = fc.object({
      key: fc.constantFrom('env', 'token', 'mcpServers', 'url', 'params', 'a'),
      maxDepth: 5,
    });
    fc.assert(
      fc.property(message, (value) => {
        expect(shapeOf(redactMessage(value))).toEqual(shapeOf(value));
      }),
    );
  });

  it('is not changed itself', () => {
    const message = { params: { env: { A: 'x' } } };
    redactMessage(message);
    expect(message).toEqual({ params: { env: { A: 'x' } } });
  });
});

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}

it('keeps what was filled into a form to the agent', () => {
  const content = { name: 'Ada', age: 36, isNew: true, pets: ['cat'] };
  expect(redactMessage({ id: 1, result: { action: 'accept', content } })).toEqual({
    id: 1,
    result: { action: 'accept', content: { name: '<secret>', age: 0, isNew: true, pets: ['<secret>'] } },
  });
});
