import { describe, expect, it } from 'vitest';
import type { ToolEntry } from '../../../../src/model/entries.ts';
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
  ])('%s', (_, fields, paths) => {
    expect(actionOf(fields).paths).toEqual(paths);
  });
});

describe('a call is unclear', () => {
  it.each<[string, object, readonly string[]]>([
    ['not with a command', { command: 'make', env: {}, description: 'x' }, []],
    ['with variables', { command: 'make', env: { LD_PRELOAD: 'x' } }, ['it sets environment variables']],
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
