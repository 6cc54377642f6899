import { describe, expect, it } from 'vitest';
import { authMethodsFrom } from '../../../src/acp/auth.ts';

const facts = { id: 'a', name: 'A', description: undefined };

const here = (...command: string[]) => ({ command, isElsewhere: false });
const older = (command: string, ...args: string[]) => [
  { id: 'a', name: 'A', _meta: { 'terminal-auth': { command, args, label: 'Log in' } } },
];

describe('an older way to log in in a terminal', () => {
  const evil = ['-e', 'evil()'];

  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['the program of the agent', ['agent', 'acp'], ['/usr/bin/agent', 'login'], ['agent', 'login']],
    [
      'an interpreter is not run alone',
      ['agent', 'acp'],
      ['/usr/bin/node', '/opt/agent/index.js', '--cli'],
      ['agent', '--cli'],
    ],
    [
      'an interpreter with the script that was configured',
      ['node', '/opt/agent.js', '--acp'],
      ['/usr/bin/node', '/opt/agent.js', 'login'],
      ['node', '/opt/agent.js', 'login'],
    ],
    [
      'an interpreter with other words',
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
  ])('runs what was configured: %s', (_, own, told, command) => {
    const [program = '', ...args] = told;
    expect(authMethodsFrom(older(program, ...args), here(...own))).toEqual([
      { ...facts, kind: 'terminal', command, env: {} },
    ]);
  });

  it('runs nothing on this machine alone for an agent on another', () => {
    const started = { command: ['ssh', 'server', 'agent'], isElsewhere: true };
    for (const words of [['ssh', '-oProxyCommand=evil'], ['ssh', 'server', 'evil'], ['evil']]) {
      const [program = '', ...args] = words;
      expect(authMethodsFrom(older(program, ...args), started)).toMatchObject([
        { command: ['ssh', 'server', 'agent', ...args] },
      ]);
    }
  });

  it('marks a program that is not the one of the agent', () => {
    expect(authMethodsFrom(older('claude', '/login'), here('claude-code-acp'))).toEqual([
      { ...facts, kind: 'terminal', command: ['claude', '/login'], isOther: true, env: {} },
    ]);
  });

  it('is none without a program', () => {
    expect(authMethodsFrom(older(''), here('agent'))).toEqual([{ ...facts, kind: 'agent' }]);
    expect(authMethodsFrom(older('agent'), here())).toEqual([{ ...facts, kind: 'agent' }]);
  });
});

describe('a key that a method wants', () => {
  it.each([
    ['of a known provider', { _meta: { 'api-key': { provider: 'google' } } }, 'GEMINI_API_KEY'],
    ['in a variable that it names', { type: 'env_var', vars: [{ name: 'CODEX_API_KEY' }] }, 'CODEX_API_KEY'],
    ['in a variable that holds no key', { type: 'env_var', vars: [{ name: 'LD_PRELOAD' }] }, undefined],
    ['of nobody', { _meta: { 'api-key': { provider: 'constructor' } } }, undefined],
  ])('%s', (_, fields, variable) => {
    const [method] = authMethodsFrom([{ id: 'a', name: 'A', ...fields }]);
    expect(method).toEqual({ ...facts, kind: 'agent', ...(variable && { variable }) });
  });
});

describe('the ways to log in', () => {
  it.each([
    ['none', undefined, []],
    ['no kind is driven by the agent', [{ id: 'a', name: 'A' }], [{ ...facts, kind: 'agent' }]],
    [
      'an unknown kind too',
      [{ id: 'a', name: 'A', type: 'env_var', vars: [] }],
      [{ ...facts, kind: 'agent' }],
    ],
    ['a name is not needed', [{ id: 'a' }], [{ ...facts, name: 'a', kind: 'agent' }]],
    ['what can not be named is left out', [{ name: 'A' }, 'password', null], []],
    [
      'a terminal adds words and variables to the command of the agent, and can not choose another',
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
      'a terminal that is told beside the protocol',
      [{ id: 'a', name: 'A', _meta: { type: 'terminal', args: ['--login'] } }],
      [{ ...facts, kind: 'terminal', command: ['agent', 'acp', '--login'], env: {} }],
    ],
  ])('%s', (_, wire, expected) => expect(authMethodsFrom(wire, here('agent', 'acp'))).toEqual(expected));
});
