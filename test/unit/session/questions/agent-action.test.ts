import { describe, expect, it } from 'vitest';
import type { Diff, ToolEntry } from '../../../../src/model/entries.ts';
import { actionOfCall } from '../../../../src/session/questions/agent-action.ts';

const place = { chat: 1, agent: 'claude', cwd: '/work/app', roots: ['/work/app'] };

function actionOf(fields: Partial<ToolEntry>) {
  const entry: ToolEntry = {
    ...{ id: 1, at: 0, kind: 'tool', toolCallId: 'c', title: 'Call', toolKind: 'other', status: 'pending' },
    ...{
      content: [],
      diffs: [],
      terminals: [],
      locations: [],
      agentStarts: 0,
      startedAt: 0,
      endedAt: undefined,
    },
    ...{ rawInput: undefined, rawOutput: undefined },
    ...fields,
  };
  return actionOfCall(entry, place);
}

describe('the tool of a call', () => {
  it.each<[string, Partial<ToolEntry>, string | undefined, readonly string[]]>([
    ['has the name that the agent gives', { toolNames: ['mcp__a__b'] }, 'mcp__a__b', ['mcp__a__b']],
    ['has no name if two differ', { toolNames: ['a', 'b'] }, undefined, ['a', 'b']],
    ['may be named by the title', { title: 'mcp__a__b' }, 'mcp__a__b', ['mcp__a__b']],
    ['is not named by the begin of a title', { title: 'mcp__a__b x' }, undefined, ['mcp__a__b']],
    ['is not named by a command', { title: 'mcp__a__b', toolKind: 'execute' }, undefined, ['mcp__a__b']],
    [
      'is not named by the title of a call with a command',
      { title: 'mcp__a__b', rawInput: { command: 'ls' } },
      undefined,
      ['mcp__a__b'],
    ],
    [
      'is not named by a command whose list is not shown',
      {
        title: 'mcp__a__b',
        toolKind: 'execute',
        rawInput: { commands: [{ command: 'ls', shell: 'evil' }] },
      },
      undefined,
      ['mcp__a__b'],
    ],
    ['is not named by the end of a title', { title: 'x mcp__a__b' }, undefined, []],
    ['is not named by the name of a server alone', { title: 'mcp__a__' }, undefined, []],
    ['may have dashes in its name', { title: 'mcp__a-b__c-d' }, 'mcp__a-b__c-d', ['mcp__a-b__c-d']],
    ['has each name once', { title: 'mcp__a__b', toolNames: ['mcp__a__b'] }, 'mcp__a__b', ['mcp__a__b']],
    [
      'is not named by the title if it has another name',
      { title: 'mcp__a__b', toolNames: ['Bash'] },
      'Bash',
      ['Bash', 'mcp__a__b'],
    ],
  ])('%s', (_, fields, tool, toolNames) => {
    expect(actionOf(fields)).toMatchObject({ tool, toolNames });
  });
});

describe('the files of a call', () => {
  it.each<[string, Partial<ToolEntry>, readonly string[]]>([
    ['are its locations', { toolKind: 'read', locations: [{ path: 'a', line: 1 }] }, ['/work/app/a']],
    [
      'are also those that its arguments name',
      {
        toolKind: 'read',
        locations: [{ path: '/work/app/a', line: 1 }],
        rawInput: { file_path: '/etc/passwd' },
      },
      ['/work/app/a', '/etc/passwd'],
    ],
    [
      'are both ends of a move',
      { toolKind: 'move', rawInput: { source: 'a', destination: '../b' } },
      ['/work/app/a', '/work/b'],
    ],
    [
      'are all of a list',
      { toolKind: 'read', rawInput: { paths: ['a', '/etc/x'] } },
      ['/work/app/a', '/etc/x'],
    ],
    ['are each there once', { toolKind: 'read', rawInput: { path: 'a', file: './a' } }, ['/work/app/a']],
    ['are none without a name', { toolKind: 'read', locations: [{ path: '', line: 1 }] }, []],
    ['may be addresses', { toolKind: 'read', rawInput: { path: 'file:///etc/x' } }, ['/etc/x']],
    ['may be addresses on a host', { toolKind: 'read', rawInput: { path: 'file://host/etc/x' } }, ['/etc/x']],
    [
      'keep what only looks like an address',
      { toolKind: 'read', rawInput: { path: './file://a/x' } },
      ['/work/app/file:/a/x'],
    ],
    [
      'are in both folders if it names another',
      { toolKind: 'read', rawInput: { path: 'a', cwd: '/tmp' } },
      ['/work/app/a', '/tmp/a', '/tmp'],
    ],
    [
      'of a request are only its locations',
      { toolKind: 'fetch', locations: [{ path: 'a', line: 1 }], rawInput: { path: 'b' } },
      ['/work/app/a'],
    ],
    [
      'of a command are only its locations',
      { toolKind: 'execute', locations: [{ path: 'a', line: 1 }], rawInput: { path: 'b' } },
      ['/work/app/a'],
    ],
  ])('%s', (_, fields, paths) => {
    expect(actionOf(fields).paths).toEqual(paths);
  });

  it.each(['/etc/x', '~/x', '../x', 'file:///etc/x'])(
    'of a tool without a kind are texts like %s at any depth',
    (text) => {
      const rawInput = { a: [{ b: text }], c: null, d: 1 };
      expect(actionOf({ toolKind: 'other', rawInput }).paths).toHaveLength(1);
      expect(actionOf({ toolKind: 'switch_mode', rawInput }).paths).toHaveLength(1);
      expect(actionOf({ toolKind: 'think', rawInput }).paths).toEqual([]);
    },
  );

  it.each(['a/b', 'see /etc/x', '/etc/x\nand more', '..x', 'x file:///etc/x', '~x'])(
    'of a tool without a kind are not texts like %j',
    (text) => {
      expect(actionOf({ toolKind: 'other', rawInput: { a: text } }).paths).toEqual([]);
    },
  );
});

describe('the files that a call changes', () => {
  const aDiff = (path: string, newText = 'new'): Diff => ({ kind: 'diff', path, oldText: 'old', newText });

  it.each<[string, Partial<ToolEntry>, readonly string[]]>([
    ['are those of its changes', { content: [aDiff('a')] }, ['/work/app/a']],
    ['are those of changes that it has shown before', { diffs: [aDiff('a')] }, ['/work/app/a']],
    ['are not those of other content', { content: [{ kind: 'text', text: 'a' }] }, []],
    ['are those of edits in its arguments', { rawInput: { path: 'a', content: 'new' } }, ['/work/app/a']],
    ['are those of changes by path', { rawInput: { changes: { a: {}, '/b': {} } } }, ['/work/app/a', '/b']],
    ['are all of several', { diffs: [aDiff('a')], content: [aDiff('b')] }, ['/work/app/a', '/work/app/b']],
    ['are those that are emptied', { content: [aDiff('a', '')] }, ['/work/app/a']],
    [
      'are none that are deleted',
      { toolKind: 'delete', content: [aDiff('a', ''), aDiff('b')] },
      ['/work/app/b'],
    ],
  ])('%s', (_, fields, paths) => {
    expect(actionOf({ toolKind: 'edit', ...fields })).toMatchObject({ changedPaths: paths });
  });

  it('are a thousand at most', () => {
    const diffs = Array.from({ length: 1_001 }, (_, at) => aDiff(`${at}`));
    expect(actionOf({ toolKind: 'edit', diffs }).changedPaths).toHaveLength(1_000);
  });
});

describe('the addresses of a call', () => {
  it.each<[string, unknown, readonly string[]]>([
    [
      'are under all names',
      { url: 'https://a', uri: 'https://b', urls: ['https://c', 'https://d'] },
      ['https://a', 'https://b', 'https://c', 'https://d'],
    ],
    ['are only texts', { url: 3, urls: ['https://a', null] }, ['https://a']],
    ['are none without arguments', undefined, []],
    ['are none in a text', 'https://a', []],
  ])('%s', (_, rawInput, urls) => {
    expect(actionOf({ toolKind: 'fetch', rawInput }).urls).toEqual(urls);
  });
});

it.each<[string, unknown, string]>([
  ['the one of the session', undefined, '/work/app'],
  ['one below it', { command: 'ls', cwd: 'src' }, '/work/app/src'],
  ['another one', { command: 'ls', workdir: '/tmp' }, '/tmp'],
  ['one with an address', { command: 'ls', cwd: 'file:///tmp' }, '/tmp'],
])('the folder of a call is %s', (_, rawInput, cwd) => {
  expect(actionOf({ toolKind: 'execute', rawInput }).cwd).toBe(cwd);
});

describe('a call is unclear', () => {
  it.each<[string, object, readonly string[]]>([
    ['not with a command', { command: 'make', env: {}, description: 'x' }, []],
    ['not with a variable that only quietens it', { command: 'make', env: { CI: '1' } }, []],
    ['with variables', { command: 'make', env: { LD_PRELOAD: 'x' } }, ['it sets environment variables']],
    ['with variables in a text', { command: 'make', env: 'A=b' }, ['it sets environment variables']],
    ['not with an empty text or list of variables', { command: 'make', env: '', envs: [] }, []],
    ['not with variables that are null', { command: 'make', env: null }, []],
    ['with a list of variables', { command: 'make', envVars: ['A=b'] }, ['it sets environment variables']],
    ['with a second command', { command: 'make', code: 'x' }, ['it names more than one command']],
    ['not with another argument that is unknown', { command: 'make', other: 'x' }, []],
    ['not with one address that is a text', { url: 'https://a' }, []],
    [
      'with one address of two that is no text',
      { urls: ['https://a', 3] },
      ['one of its addresses is not a text'],
    ],
    [
      'with an address that is no text',
      { url: 'https://a', urls: [{ href: 'b' }] },
      ['one of its addresses is not a text'],
    ],
    [
      'with commands that have arguments of their own',
      { commands: [{ command: 'ls', shell: 'evil' }] },
      ['its commands have further arguments'],
    ],
  ])('%s', (_, rawInput, unclear) => {
    expect(actionOf({ toolKind: 'execute', title: '', rawInput }).unclear).toEqual(unclear);
  });
});

it('a call of which a part has left memory is unclear, so that no rule allows it', () => {
  expect(actionOf({ toolKind: 'edit', rawInput: { paths: ['a', '…'] }, isCut: true }).unclear).toEqual([
    'a part of its arguments is not in memory',
  ]);
});

it('a call that names more files than are looked at is unclear, so that no rule allows it', () => {
  const locations = Array.from({ length: 50_000 }, (_, at) => ({ path: `/work/app/${at}`, line: undefined }));
  const action = actionOf({ toolKind: 'edit', locations });
  expect(action.paths).toHaveLength(1_000);
  expect(action.unclear).toEqual(['it names 50000 files']);
  expect(actionOf({ toolKind: 'edit', locations: locations.slice(0, 1_000) }).unclear).toEqual([]);
});
