import { describe, expect, it } from 'vitest';
import { redactCommand, redactMessage, redactText } from '../../../src/system/redact.ts';
import { fc } from '../../support/property.ts';

const secret = '<secret>';

describe('redactText', () => {
  it.each([
    ['an Anthropic key', 'key sk-ant-api03-AbCdEf123456', 'key <secret>'],
    ['a GitHub token', 'ghp_abcdefghijklmnop1234', '<secret>'],
    ['a fine-grained GitHub token', 'github_pat_11ABCDEFG0abcdefghijkl', '<secret>'],
    ['a Google key', 'AIzaSyA1234567890abcdefg', '<secret>'],
    ['an AWS key', 'AKIAIOSFODNN7EXAMPLE', '<secret>'],
    ['a Slack token', 'xoxb-123456789012-abcdef', '<secret>'],
    ['an environment variable', 'GEMINI_API_KEY=abc OTHER=1', 'GEMINI_API_KEY=<secret> OTHER=1'],
    ['a secret in the middle of a name', 'AWS_SECRET_ACCESS_KEY=abc/def', 'AWS_SECRET_ACCESS_KEY=<secret>'],
    ['a header', 'Authorization: Bearer abc.def', 'Authorization: <secret>'],
    ['a Basic authorization header', 'authorization: Basic dXNlcjpwYXNz', 'authorization: <secret>'],
    ['JSON', '{"token":"abc","n":1}', '{"token":"<secret>","n":1}'],
    ['JSON with blanks', '{"apiKey": "abc def"}', '{"apiKey": "<secret>"}'],
    ['JSON in JSON', '"{\\"token\\":\\"abc\\"}"', '"{\\"token\\":\\"<secret>\\"}"'],
    [
      'user and password in a URL',
      'git clone https://me:hunter2@git.test/x',
      'git clone https://<secret>@git.test/x',
    ],
    ['a password with an at sign in a URL', 'https://me:a@b@c@git.test/x', 'https://<secret>@git.test/x'],
    ['an option', 'agent --api-key abc --verbose', 'agent --api-key <secret> --verbose'],
    ['an option with an equals sign', 'agent --token=abc', 'agent --token=<secret>'],
    ['cookies', 'Cookie: a=1; b=2', 'Cookie: <secret>'],
    ['a Set-Cookie header', '"set-cookie":"sid=abc; Path=/"', '"set-cookie":"<secret>"'],
    ['user and password in a WebSocket URL', 'at wss://me:abc@host/acp', 'at wss://<secret>@host/acp'],
    [
      'a token in a url',
      'at https://host/acp?access_token=abc&n=1',
      'at https://host/acp?access_token=<secret>',
    ],
    ['a key in a url', 'https://host/?key=abc&n=1', 'https://host/?key=<secret>&n=1'],
    ['a password', "password: 'hunter2'", "password: '<secret>'"],
  ])('masks %s', (_, text, expected) => expect(redactText(text)).toBe(expected));

  it.each([
    'chat 1: claude-agent-acp in /home/me/shop',
    'tester exited with code 1',
    'the token limit is reached',
    'max_tokens: 100000 > 64000, which is the maximum',
    'npx -y @google/gemini-cli --acp',
    'task-list skipped',
    'a risk-free trial',
    'see https://a.test:8080/x@1 and mail me@a.test',
    'cookies are kept',
    'https://host/a@b?n=1',
    'https://host, me@host.org',
    'mail me@host.org',
  ])('keeps "%s"', (text) => expect(redactText(text)).toBe(text));

  it.each(['api key', 'access-key', 'token', 'passphrase', 'CLIENT_SECRET', 'credentials', 'jwt'])(
    'masks the value of "%s"',
    (name) => expect(redactText(`${name}: hunter2`)).toBe(`${name}: <secret>`),
  );
});

describe('redactMessage', () => {
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
      'the arguments of an MCP server',
      { params: { mcpServers: [{ name: 'm', command: 'm', args: ['--api-key', 'x', '--v'], env: [] }] } },
      { params: { mcpServers: [{ name: 'm', command: 'm', args: ['--api-key', secret, '--v'], env: [] }] } },
    ],
    [
      'the URL and headers of an MCP server',
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
    [
      'environments and headers under longer names',
      {
        environment_variables: { A: 'x' },
        environmentVariables: ['A=x'],
        envs: ['A=x'],
        requestHeaders: { A: 'x' },
      },
      {
        environment_variables: { A: secret },
        environmentVariables: [`A=${secret}`],
        envs: [`A=${secret}`],
        requestHeaders: { A: secret },
      },
    ],
    [
      'arguments behind the names that :checkhealth masks too',
      { args: ['--key', 'x', '--my-auth', 'y', '--header', 'X-Any: v', '--keyboard', 'z'] },
      { args: ['--key', secret, '--my-auth', secret, '--header', secret, '--keyboard', 'z'] },
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
      'keys inside of strings',
      { params: { update: { rawInput: 'curl -H "Authorization: Bearer abc" sk-ant-api03-AbCdEf123456' } } },
      { params: { update: { rawInput: `curl -H "Authorization: ${secret}" ${secret}` } } },
    ],
    [
      'JSON inside of strings, also nested',
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
      'a field named __proto__',
      JSON.parse('{"__proto__":{"token":"x"}}'),
      JSON.parse(`{"__proto__":{"token":"${secret}"}}`),
    ],
  ])('hides %s', (_, message, expected) => expect(redactMessage(message)).toEqual(expected));

  it.each<[string, unknown]>([
    ['ids', { id: 'sk-ant-api03-AbCdEf123456', params: { sessionId: 'ghp_abcdefghijklmnop1234' } }],
    ['counts', { result: { usage: { inputTokens: 5, token_count: { input: 7 } } } }],
    [
      'capabilities',
      { params: { clientCapabilities: { auth: { terminal: true } }, env: null, headers: [] } },
    ],
    ['login methods', { result: { authMethods: [{ id: 'a', name: 'API key', description: 'Set KEY' }] } }],
    ['a prompt', { params: { sessionId: 's', prompt: [{ type: 'text', text: 'the token limit' }] } }],
    ['a string', 'text'],
    ['null', null],
  ])('keeps %s', (_, message) => expect(redactMessage(message)).toEqual(message));

  it('keeps the shape of any message', () => {
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

  it('does not change its argument', () => {
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

it('redactMessage masks form input', () => {
  const content = { name: 'Ada', age: 36, isNew: true, pets: ['cat'] };
  expect(redactMessage({ id: 1, result: { action: 'accept', content } })).toEqual({
    id: 1,
    result: { action: 'accept', content: { name: '<secret>', age: 0, isNew: true, pets: ['<secret>'] } },
  });
});

it('redactCommand masks the arguments behind the names that redactMessage knows', () => {
  const command = [
    'agent',
    '--header',
    'X-Any: my value',
    '--pass',
    'abc',
    '--api-key',
    'abc',
    '--keyboard',
    'z',
  ];
  const masked = 'agent --header <secret> --pass <secret> --api-key <secret> --keyboard z';
  expect(redactCommand(command)).toBe(masked);
});
