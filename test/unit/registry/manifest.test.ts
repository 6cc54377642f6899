import { describe, expect, it } from 'vitest';
import { parseRegistry, staysInside } from '../../../src/registry/manifest.ts';

const npx = { package: '@acme/agent@1.2.3', args: ['--acp'], env: { A: 'b' } };
const archive = 'https://acme.example/agent.tar.gz';
const agent = {
  id: 'acme',
  name: 'Acme',
  version: '1.2.3',
  description: 'An agent.',
  distribution: { npx },
};

const read = (...agents: unknown[]) => parseRegistry({ version: '1.0.0', agents });

describe('parseRegistry', () => {
  it('reads every distribution of an agent', () => {
    const all = {
      npx,
      uvx: { package: 'acme==1.2.3' },
      binary: { 'linux-x86_64': { archive, cmd: './agent' } },
    };
    const { agents, skipped } = read({ ...agent, authors: ['a'], distribution: all });
    expect(skipped).toEqual([]);
    expect(agents).toEqual([
      {
        id: 'acme',
        name: 'Acme',
        version: '1.2.3',
        description: 'An agent.',
        npx,
        uvx: { package: 'acme==1.2.3', args: [], env: {} },
        binary: { 'linux-x86_64': { archive, cmd: './agent', args: [], env: {} } },
      },
    ]);
  });

  it.each([null, [], 'x', {}, { agents: {} }])('rejects a value that is not a registry: %j', (value) => {
    expect(() => parseRegistry(value)).toThrow('not a registry');
  });

  it.each<[string, unknown, string]>([
    ['a number for an object', 7, 'agent 1: not an object'],
    ['no id', { ...agent, id: undefined }, 'agent 1: id is missing'],
    ['an id that is a path', { ...agent, id: '../x' }, '"../x": its id may contain only a-z, 0-9 and -'],
    ['an id with capital letters', { ...agent, id: 'Acme' }, '"Acme": its id may contain only'],
    ['no name', { ...agent, name: ' ' }, '"acme": name is missing'],
    ['a version that is a number', { ...agent, version: 1 }, '"acme": version is missing'],
    [
      'a version that is a path',
      { ...agent, version: '../../x' },
      '"acme": its version "../../x" is invalid',
    ],
    [
      'a version that is the parent folder',
      { ...agent, version: '..' },
      '"acme": its version ".." is invalid',
    ],
    ['no distribution', { ...agent, distribution: undefined }, '"acme": distribution is missing'],
    ['an empty distribution', { ...agent, distribution: {} }, '"acme": it has no usable distribution'],
    ['an option as package name', { ...agent, distribution: { npx: { package: '--call=x' } } }, 'no usable'],
    ['a command line as package name', { ...agent, distribution: { npx: { package: 'a b' } } }, 'no usable'],
    [
      'args that are not a list',
      { ...agent, distribution: { npx: { package: 'a', args: 'b' } } },
      'no usable',
    ],
    ['env with a number', { ...agent, distribution: { npx: { package: 'a', env: { A: 1 } } } }, 'no usable'],
    [
      'a program outside of its archive',
      { ...agent, distribution: { binary: { 'linux-x86_64': { archive, cmd: '../agent' } } } },
      'no usable',
    ],
    [
      'an archive that is not a url',
      { ...agent, distribution: { binary: { 'linux-x86_64': { archive: 'agent.zip', cmd: 'agent' } } } },
      'no usable',
    ],
  ])('skips only the entry with %s', (_, bad, reason) => {
    const { agents, skipped } = read(bad, { ...agent, id: 'good' });
    expect(agents.map(({ id }) => id)).toEqual(['good']);
    expect(skipped).toEqual([expect.stringContaining(reason)]);
  });

  it('keeps the first of two entries with the same id', () => {
    const { agents, skipped } = read(agent, { ...agent, name: 'Other' });
    expect(agents.map(({ name }) => name)).toEqual(['Acme']);
    expect(skipped).toEqual(['acme: duplicate id']);
  });
});

it.each([
  ['agent', true],
  ['./agent', true],
  ['bin/agent', true],
  ['bin\\agent.exe', true],
  ['bin/../agent', true],
  ['..agent', true],
  ['..', false],
  ['.', false],
  ['../agent', false],
  ['bin/../../agent', false],
  ['bin\\..\\..\\agent', false],
  ['/bin/sh', false],
  ['\\\\host\\share', false],
  ['C:\\x', false],
  ['C:x', false],
  ['a\0b', false],
])('staysInside(%j) is %s', (name, expected) => expect(staysInside(name)).toBe(expected));
