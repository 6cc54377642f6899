import { describe, expect, it } from 'vitest';
import { authMethodsFrom } from '../../../src/acp/auth.ts';

const facts = { id: 'a', name: 'A', description: undefined };

const older = (command: string) => [
  { id: 'a', name: 'A', _meta: { 'terminal-auth': { command, args: ['auth', 'login'], label: 'Log in' } } },
];

describe('an older way to log in in a terminal', () => {
  it('is followed when it runs the program of the agent', () => {
    expect(authMethodsFrom(older('/usr/bin/agent'), 'agent')).toEqual([
      { ...facts, kind: 'terminal', isAlone: true, args: ['auth', 'login'], env: {} },
    ]);
  });

  it.each(['rm', 'sh', '', '/tmp/agent/evil'])('can not choose another: %j', (command) => {
    expect(authMethodsFrom(older(command), '/usr/bin/agent')).toEqual([{ ...facts, kind: 'agent' }]);
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
      [{ ...facts, kind: 'terminal', args: ['--login'], env: { KEY: 'x' } }],
    ],
  ])('%s', (_, wire, expected) => expect(authMethodsFrom(wire)).toEqual(expected));
});
