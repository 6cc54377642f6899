import { describe, expect, it } from 'vitest';
import { decodeAuthMethods } from '../../../../src/acp/decode/auth-methods.ts';

const facts = { id: 'a', name: 'A', description: undefined };

const here = (...command: string[]) => ({ command, isRemoteAgent: false });
const older = (command: string, ...args: string[]) => [
  { id: 'a', name: 'A', _meta: { 'terminal-auth': { command, args, label: 'Log in' } } },
];

describe('a legacy terminal login', () => {
  const evil = ['-e', 'evil()'];

  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['the program of the agent', ['agent', 'acp'], ['/usr/bin/agent', 'login'], ['agent', 'login']],
    [
      'an interpreter is not run without a script',
      ['agent', 'acp'],
      ['/usr/bin/node', '/opt/agent/index.js', '--cli'],
      ['agent', '--cli'],
    ],
    [
      'an interpreter with the configured script',
      ['node', '/opt/agent.js', '--acp'],
      ['/usr/bin/node', '/opt/agent.js', 'login'],
      ['node', '/opt/agent.js', 'login'],
    ],
    [
      'an interpreter with other arguments',
      ['node', '/opt/agent.js', '--acp'],
      ['node', ...evil],
      ['node', '/opt/agent.js', '--acp', ...evil],
    ],
    [
      'a package runner with another package',
      ['npx', '-y', '@a/agent'],
      ['npx', '-y', 'evil'],
      ['npx', '-y', '@a/agent', '-y', 'evil'],
    ],
    [
      'a package runner with a verb',
      ['pnpm', 'dlx', '@a/agent'],
      ['pnpm', 'dlx', 'evil'],
      ['pnpm', 'dlx', '@a/agent', 'dlx', 'evil'],
    ],
    ['env', ['env', 'A=b', 'agent'], ['env', 'A=b', 'evil'], ['env', 'A=b', 'agent', 'A=b', 'evil']],
    ['a shell', ['bash', '-c', 'agent'], ['bash', '-c', 'evil'], ['bash', '-c', 'agent', '-c', 'evil']],
  ])('runs the configured program: %s', (_, own, told, command) => {
    const [program = '', ...args] = told;
    expect(decodeAuthMethods(older(program, ...args), here(...own))).toEqual([
      { ...facts, kind: 'terminal', command, env: {} },
    ]);
  });

  it('never runs a local program for an agent on another machine', () => {
    const started = { command: ['ssh', 'server', 'agent'], isRemoteAgent: true };
    for (const words of [['ssh', '-oProxyCommand=evil'], ['ssh', 'server', 'evil'], ['evil']]) {
      const [program = '', ...args] = words;
      expect(decodeAuthMethods(older(program, ...args), started)).toMatchObject([
        { command: ['ssh', 'server', 'agent', ...args] },
      ]);
    }
  });

  it('marks a program that is not the configured one', () => {
    expect(decodeAuthMethods(older('claude', '/login'), here('claude-code-acp'))).toEqual([
      { ...facts, kind: 'terminal', command: ['claude', '/login'], isOther: true, env: {} },
    ]);
  });

  it('needs a configured program', () => {
    expect(decodeAuthMethods(older(''), here('agent'))).toEqual([{ ...facts, kind: 'agent' }]);
    expect(decodeAuthMethods(older('agent'), here())).toEqual([{ ...facts, kind: 'agent' }]);
  });
});

describe('the API key variable of a login method', () => {
  it.each([
    ['is that of a known provider', { _meta: { 'api-key': { provider: 'google' } } }, 'GEMINI_API_KEY'],
    ['is the one it names', { type: 'env_var', vars: [{ name: 'CODEX_API_KEY' }] }, 'CODEX_API_KEY'],
    [
      'is not one without KEY or TOKEN in its name',
      { type: 'env_var', vars: [{ name: 'LD_PRELOAD' }] },
      undefined,
    ],
    ['is missing for an unknown provider', { _meta: { 'api-key': { provider: 'constructor' } } }, undefined],
  ])('%s', (_, fields, variable) => {
    const [method] = decodeAuthMethods([{ id: 'a', name: 'A', ...fields }]);
    expect(method).toEqual({ ...facts, kind: 'agent', ...(variable && { variable }) });
  });
});

describe('decodeAuthMethods', () => {
  it.each([
    ['accepts a missing list', undefined, []],
    ['leaves a method without a type to the agent', [{ id: 'a', name: 'A' }], [{ ...facts, kind: 'agent' }]],
    [
      'leaves a method of an unknown type to the agent',
      [{ id: 'a', name: 'A', type: 'env_var', vars: [] }],
      [{ ...facts, kind: 'agent' }],
    ],
    ['uses the id as the name', [{ id: 'a' }], [{ ...facts, name: 'a', kind: 'agent' }]],
    ['leaves out methods without an id', [{ name: 'A' }, 'password', null], []],
    [
      'adds the arguments and variables of a terminal method to the configured command',
      [
        {
          id: 'a',
          name: 'A',
          type: 'terminal',
          command: 'rm',
          args: ['--login', 5],
          env: { KEY: 'x', BAD: 1 },
        },
      ],
      [{ ...facts, kind: 'terminal', command: ['agent', 'acp', '--login'], env: { KEY: 'x' } }],
    ],
    [
      'reads a terminal method from _meta',
      [{ id: 'a', name: 'A', _meta: { type: 'terminal', args: ['--login'] } }],
      [{ ...facts, kind: 'terminal', command: ['agent', 'acp', '--login'], env: {} }],
    ],
  ])('%s', (_, wire, expected) => expect(decodeAuthMethods(wire, here('agent', 'acp'))).toEqual(expected));
});
