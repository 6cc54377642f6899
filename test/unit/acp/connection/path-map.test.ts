import { describe, expect, it } from 'vitest';
import { folderRenamer, PathMap } from '../../../../src/acp/connection/path-map.ts';

const pairs = { '/srv/app': '/home/me/app', '/srv/app/data/': '/mnt/data', '/tmp': '/remote-tmp' };

describe('folderRenamer', () => {
  const rename = folderRenamer(Object.entries(pairs));
  it.each([
    ['/srv/app', '/home/me/app'],
    ['/srv/app/', '/home/me/app/'],
    ['/srv/app/src/a.ts', '/home/me/app/src/a.ts'],
    ['/srv/app/data/x', '/mnt/data/x'],
    ['/srv/app/data', '/mnt/data'],
    ['/srv/app/database', '/home/me/app/database'],
    ['/srv/application/a.ts', '/srv/application/a.ts'],
    ['/srv', '/srv'],
    ['srv/app/a.ts', 'srv/app/a.ts'],
    ['/other/srv/app', '/other/srv/app'],
    ['', ''],
  ])('renames %s to %s', (path, expected) => expect(rename(path)).toBe(expected));

  it.each<[Record<string, string>, string, string]>([
    [{ '/': '/mnt/box' }, '/etc/x', '/mnt/box/etc/x'],
    [{ '/': '/mnt/box' }, 'etc/x', 'etc/x'],
    [{ '/mnt/box': '/' }, '/mnt/box/etc/x', '/etc/x'],
    [{ '/mnt/box': '/' }, '/mnt/box', '/'],
    [{ 'C:\\app': '/home/me/app' }, 'C:\\app\\a.ts', '/home/me/app\\a.ts'],
  ])('with %j renames %s to %s', (map, path, expected) =>
    expect(folderRenamer(Object.entries(map))(path)).toBe(expected),
  );
});

const remote = '/srv/app/a.ts';
const local = '/home/me/app/a.ts';

/** Each message with paths, as a function of the path: the remote or the local one. */
const messages: readonly [string, (path: string) => object][] = [
  ['session/new', (path) => ({ cwd: path, additionalDirectories: [path, '/x'], mcpServers: [] })],
  ['session/load', (path) => ({ sessionId: 's', cwd: path, additionalDirectories: [path] })],
  ['session/resume', (path) => ({ sessionId: 's', cwd: path })],
  ['session/fork', (path) => ({ sessionId: 's', cwd: path })],
  ['session/list', (path) => ({ cwd: path })],
  [
    'session/prompt',
    (path) => ({
      prompt: [
        { type: 'text', text: remote },
        { type: 'resource_link', uri: `file://${path}`, name: remote },
        { type: 'resource', resource: { uri: `file://${path}`, text: remote } },
      ],
    }),
  ],
  [
    'session/update',
    (path) => ({
      sessionId: '/srv/app',
      update: {
        sessionUpdate: 'tool_call',
        title: remote,
        rawInput: { path: remote, cwd: remote },
        locations: [{ path, line: 3 }, { path: '/etc/x' }],
        content: [
          { type: 'diff', path, oldText: remote, newText: local },
          { type: 'content', content: { type: 'resource_link', uri: `file://${path}` } },
          { type: 'content', content: { type: 'text', text: remote } },
        ],
      },
    }),
  ],
  [
    'session/update',
    (path) => ({
      update: {
        sessionUpdate: 'agent_message_chunk',
        content: { type: 'resource', resource: { uri: `file://${path}` } },
      },
    }),
  ],
  ['session/update', (path) => ({ update: { sessionUpdate: 'subagent_update', cwd: path } })],
  [
    'session/request_permission',
    (path) => ({ toolCall: { toolCallId: 'c', locations: [{ path }] }, options: [] }),
  ],
  ['fs/read_text_file', (path) => ({ sessionId: 's', path })],
  ['fs/write_text_file', (path) => ({ sessionId: 's', path, content: remote })],
  [
    'terminal/create',
    (path) => ({ command: remote, args: [remote], cwd: path, env: [{ name: 'A', value: remote }] }),
  ],
];

describe('PathMap', () => {
  it.each(messages)('renames the paths of an incoming %s to local ones', (method, params) => {
    expect(new PathMap(pairs).inbound({ method, params: params(remote) })).toEqual([
      { method, params: params(local) },
    ]);
  });

  it.each(messages)('renames the paths of an outgoing %s to those of the agent', (method, params) => {
    expect(new PathMap(pairs).outbound({ method, params: params(local) })).toEqual({
      method,
      params: params(remote),
    });
  });

  it('renames the paths in the result of session/list', () => {
    const map = new PathMap(pairs);
    map.outbound({ id: 7, method: 'session/list', params: {} });
    const answer = (cwd: string) => ({
      id: 7,
      result: { sessions: [{ sessionId: 's', cwd, title: remote }] },
    });
    expect(map.inbound(answer(remote))).toEqual([answer(local)]);
    expect(map.inbound(answer(remote)), 'nobody asked a second time').toEqual([answer(remote)]);
  });

  it.each([
    ['file:///srv/app/a%20b.ts#L3', 'file:///home/me/app/a%20b.ts#L3'],
    ['file:///srv/app/%E4.ts', 'file:///srv/app/%E4.ts'],
    ['FILE:///srv/app/x?y', 'FILE:///home/me/app/x?y'],
    ['https://host/srv/app/a.ts', 'https://host/srv/app/a.ts'],
    ['/srv/app/a.ts', '/home/me/app/a.ts'],
    ['zed:///srv/app/a.ts', 'zed:///srv/app/a.ts'],
  ])('renames the path of the URI %s to %s', (uri, expected) => {
    const message = (text: string) => ({ method: 'session/prompt', params: { prompt: [{ uri: text }] } });
    expect(new PathMap(pairs).inbound(message(uri))).toEqual([message(expected)]);
  });

  it.each<[string, unknown]>([
    [
      'without paths',
      { method: 'session/update', params: { update: { content: { type: 'text', text: 'x' } } } },
    ],
    ['with an unknown method', { method: '_x/y', params: { path: remote } }],
    [
      'with values of the wrong type',
      { method: 'session/new', params: { cwd: 5, additionalDirectories: 'x' } },
    ],
    ['without params', { method: 'session/new', params: null }],
    ['that are responses', { id: 3, result: { path: remote } }],
    ['that are not objects', 'hello'],
  ])('does not change messages %s', (_, message) => {
    const map = new PathMap(pairs);
    expect(map.inbound(message)[0]).toBe(message);
    expect(map.outbound(message)).toBe(message);
  });
});
