import { describe, expect, it } from 'vitest';
import { DialectHarness, type Wire } from '../../../support/dialects/dialect-harness.ts';
import { violationsOfResult } from '../../../support/schema.ts';

const v1 = { protocolVersion: 1 };

describe('result of initialize', () => {
  it.each<[rule: string, what: string, wire: unknown, canonical: Wire]>([
    [
      'A: authMethods words',
      'words',
      { ...v1, authMethods: ['password', 'oauth'] },
      {
        ...v1,
        authMethods: [
          { id: 'password', name: 'Password' },
          { id: 'oauth', name: 'Oauth' },
        ],
      },
    ],
    ['A: authMethods none', 'alone', { ...v1, authMethods: ['none'] }, { ...v1, authMethods: [] }],
    [
      'A: authMethods words',
      'none among others',
      { ...v1, authMethods: ['none', 'oauth'] },
      {
        ...v1,
        authMethods: [
          { id: 'none', name: 'None' },
          { id: 'oauth', name: 'Oauth' },
        ],
      },
    ],
    [
      'A: capabilities modes, plan',
      'kept for display',
      { ...v1, agentCapabilities: { modes: true, plan: false } },
      { ...v1, agentCapabilities: { _meta: { 'acp.nvim/capabilities': { modes: true, plan: false } } } },
    ],
    [
      'B: authenticationMethods',
      'with methodId and title',
      {
        ...v1,
        authenticationMethods: [{ methodId: 'api_key', title: 'API Key', description: 'With a key' }],
      },
      { ...v1, authMethods: [{ id: 'api_key', name: 'API Key', description: 'With a key' }] },
    ],
    ['B: authenticationMethods', 'none', { ...v1, authenticationMethods: [] }, { ...v1, authMethods: [] }],
    [
      'B: supportedTransports',
      'two of three',
      { ...v1, agentCapabilities: { mcpCapabilities: { supportedTransports: ['stdio', 'http'] } } },
      { ...v1, agentCapabilities: { mcpCapabilities: { http: true, sse: false } } },
    ],
    [
      'E: serverInfo',
      'is agentInfo',
      { ...v1, serverInfo: { name: 'claude-code', version: '1.0.0' } },
      { ...v1, agentInfo: { name: 'claude-code', version: '1.0.0' } },
    ],
    [
      'E: capabilities',
      'are agentCapabilities',
      {
        capabilities: { sessionModes: ['code'], tools: ['read'] },
        authMethods: [{ id: 'oauth', name: 'O' }],
      },
      {
        ...v1,
        agentCapabilities: { sessionModes: ['code'], tools: ['read'] },
        authMethods: [{ id: 'oauth', name: 'O' }],
      },
    ],
    ['E: protocolVersion', 'missing', {}, v1],
    ['E: protocolVersion', 'a word', { protocolVersion: '1' }, v1],
    ['E: protocolVersion', 'a word with a dot', { protocolVersion: '1.0' }, v1],
    ['official: null result', 'nothing at all', null, v1],
    [
      'any: snake_case keys',
      'everywhere',
      { protocol_version: 1, agent_info: { name: 'a', version: '1' } },
      { ...v1, agentInfo: { name: 'a', version: '1' } },
    ],
  ])('%s: %s', (rule, _, wire, canonical) => {
    const talk = new DialectHarness();
    const result = talk.result('initialize', wire);
    expect(result).toEqual(canonical);
    expect(talk.rules).toContain(rule);
    expect(violationsOfResult('initialize', result)).toEqual([]);
  });

  it.each<[string, Wire]>([
    ['C: no agentInfo', { ...v1, agentCapabilities: { loadSession: true }, authMethods: [] }],
    ['D: few capabilities', { ...v1, agentCapabilities: { promptCapabilities: { image: true } } }],
    ['another version', { protocolVersion: 2, capabilities: {}, info: { name: 'a', version: '1' } }],
    ['another version in a word', { protocolVersion: '2.0' }],
    ['both names', { ...v1, authMethods: [], authenticationMethods: [{ methodId: 'x', title: 'X' }] }],
  ])('is not changed: %s', (_, wire) => expect(new DialectHarness().result('initialize', wire)).toBe(wire));
});

describe('authentication', () => {
  it.each(['url', 'authUrl', 'verificationUri'])('E: authenticate result with a url: %s', (key) => {
    const talk = new DialectHarness();
    const wire = { [key]: 'https://login.example/x' };
    const _meta = { 'acp.nvim/authUrl': 'https://login.example/x' };
    expect(talk.result('authenticate', wire)).toEqual({ ...wire, _meta });
    expect(talk.rules).toContain('E: authenticate result with a url');
  });

  it.each([{ url: 'javascript:alert(1)' }, { url: 5 }, { status: 'pending' }, {}])(
    'finds no login page in %j',
    (wire) => expect(new DialectHarness().result('authenticate', wire)).toBe(wire),
  );

  it('B: accepts null as success', () =>
    expect(new DialectHarness().result('authenticate', null)).toEqual({}));

  it.each(['auth_complete', 'auth/complete', 'authComplete'])('E: auth_complete: %s', (method) => {
    const talk = new DialectHarness();
    const message = { jsonrpc: '2.0', method, params: { methodId: 'oauth' } };
    expect(talk.receive(message)).toEqual([{ ...message, method: '_acp.nvim/auth_complete' }]);
    expect(talk.receive({ jsonrpc: '2.0', method })).toEqual([
      { jsonrpc: '2.0', method: '_acp.nvim/auth_complete', params: {} },
    ]);
    expect(talk.rules).toEqual(['E: auth_complete']);
  });
});
