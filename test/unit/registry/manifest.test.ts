import { describe, expect, it } from 'vitest';
import { isInside, registryFrom } from '../../../src/registry/manifest.ts';

const npx = { package: '@acme/agent@1.2.3', args: ['--acp'], env: { A: 'b' } };
const archive = 'https://acme.example/agent.tar.gz';
const agent = {
  id: 'acme',
  name: 'Acme',
  version: '1.2.3',
  description: 'An agent.',
  distribution: { npx },
};

const read = (...agents: unknown[]) => registryFrom({ version: '1.0.0', agents });

describe('a registry', () => {
  it('is read with what is known of each agent', () => {
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

  it.each([null, [], 'x', {}, { agents: {} }])('is refused when it is none: %j', (value) => {
    expect(() => registryFrom(value)).toThrow('it is no registry');
  });

  it.each<[string, unknown, string]>([
    ['no object', 7, 'agent 1: it is no object'],
    ['no id', { ...agent, id: undefined }, 'agent 1: id is missing'],
    ['an id that is a path', { ...agent, id: '../x' }, '"../x": its id is not made of a-z, 0-9 and -'],
    ['an id in capitals', { ...agent, id: 'Acme' }, '"Acme": its id is not'],
    ['no name', { ...agent, name: ' ' }, '"acme": name is missing'],
    ['a version that is a number', { ...agent, version: 1 }, '"acme": version is missing'],
    ['a version that is a path', { ...agent, version: '../../x' }, '"acme": its version "../../x" is odd'],
    ['a version that is the folder above', { ...agent, version: '..' }, '"acme": its version ".." is odd'],
    ['no distribution', { ...agent, distribution: undefined }, '"acme": distribution is missing'],
    ['an empty one', { ...agent, distribution: {} }, '"acme": there is no way to get it'],
    ['an option for a package', { ...agent, distribution: { npx: { package: '--call=x' } } }, 'no way'],
    ['a line for a package', { ...agent, distribution: { npx: { package: 'a b' } } }, 'no way'],
    ['args that are no list', { ...agent, distribution: { npx: { package: 'a', args: 'b' } } }, 'no way'],
    ['env with a number', { ...agent, distribution: { npx: { package: 'a', env: { A: 1 } } } }, 'no way'],
    [
      'a program outside of its archive',
      { ...agent, distribution: { binary: { 'linux-x86_64': { archive, cmd: '../agent' } } } },
      'no way',
    ],
    [
      'an archive that is no url',
      { ...agent, distribution: { binary: { 'linux-x86_64': { archive: 'agent.zip', cmd: 'agent' } } } },
      'no way',
    ],
  ])('skips a manifest with %s, and no other', (_, bad, reason) => {
    const { agents, skipped } = read(bad, { ...agent, id: 'good' });
    expect(agents.map(({ id }) => id)).toEqual(['good']);
    expect(skipped).toEqual([expect.stringContaining(reason)]);
  });

  it('takes the first of two with one id', () => {
    const { agents, skipped } = read(agent, { ...agent, name: 'Other' });
    expect(agents.map(({ name }) => name)).toEqual(['Acme']);
    expect(skipped).toEqual(['acme: it is there twice']);
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
])('%j stays inside: %s', (name, expected) => expect(isInside(name)).toBe(expected));
