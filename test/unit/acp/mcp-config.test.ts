import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readMcpServers } from '../../../src/acp/mcp-config.ts';
import { aFolder } from '../../support/temp.ts';

const stdio = { kind: 'stdio', name: 'files', command: 'mcp-files', args: ['--root', '/a'], env: [] };
const keyed = { ...stdio, env: [{ name: 'KEY', value: 'v=1' }] };
const http = { kind: 'http', name: 'docs', url: 'https://docs.example/mcp', headers: [] };
const authorised = { ...http, headers: [{ name: 'Authorization', value: 'Bearer x' }] };

const unset = `\${NOPE}`;
const read = (...sources: unknown[]) => readMcpServers(sources, { cwd: '/nowhere', env: {} });

describe('the servers of a configuration are read', () => {
  it.each<[string, unknown, unknown[]]>([
    ['nothing', undefined, []],
    ['an empty Lua table', [], []],
    ['by name', { files: { command: 'mcp-files', args: ['--root', '/a'] } }, [stdio]],
    ['a command of several words', { files: { command: ['mcp-files', '--root'], args: ['/a'] } }, [stdio]],
    [
      'in a list',
      [{ name: 'files', command: 'mcp-files', args: ['--root', '/a'], env: [{ name: 'KEY', value: 'v=1' }] }],
      [keyed],
    ],
    [
      'variables in a map',
      { files: { command: 'mcp-files', args: ['--root', '/a'], env: { KEY: 'v=1' } } },
      [keyed],
    ],
    [
      'variables as lines',
      { files: { command: 'mcp-files', args: ['--root', '/a'], env: ['KEY=v=1', 'nothing', '=x'] } },
      [keyed],
    ],
    [
      'local, with an environment',
      {
        files: {
          type: 'local',
          command: 'mcp-files',
          args: ['--root', '/a'],
          environment: { KEY: 'v=1' },
        },
      },
      [keyed],
    ],
    [
      'with a transport and no name',
      [{ transport: 'stdio', command: '/opt/bin/files.exe', args: [], env: { PORT: 8080 } }],
      [
        {
          ...stdio,
          command: '/opt/bin/files.exe',
          args: [],
          env: [{ name: 'PORT', value: '8080' }],
        },
      ],
    ],
    ['with the type stdio', [{ type: 'stdio', ...stdio, kind: undefined }], [stdio]],
    ['one alone', { command: ['files'] }, [{ ...stdio, command: 'files', args: [] }]],
    ['by its url', { docs: { url: http.url } }, [http]],
    [
      'remote, with headers in a map',
      { docs: { type: 'remote', url: http.url, headers: { Authorization: 'Bearer x' } } },
      [authorised],
    ],
    [
      'http, with headers in a list',
      [{ type: 'http', name: 'docs', url: http.url, headers: authorised.headers }],
      [authorised],
    ],
    ['sse', { docs: { type: 'sse', url: http.url } }, [{ ...http, kind: 'sse' }]],
    ['sse as a transport', { docs: { transport: 'sse', url: http.url } }, [{ ...http, kind: 'sse' }]],
    ['a url without a name', [{ url: http.url }], [{ ...http, name: 'docs.example' }]],
    ['as other tools have them', { mcpServers: { docs: { url: http.url } } }, [http]],
    ['one with the name of a wrapper', { mcp: { url: http.url } }, [{ ...http, name: 'mcp' }]],
    ['none that is off', { a: false, b: { command: 'x', disabled: true }, c: { enabled: false } }, []],
  ])('%s', (_, source, servers) => expect(read(source)).toEqual({ servers, leftOut: [] }));

  it('a later source wins, and takes away', () => {
    const everywhere = { files: { command: 'old' }, docs: { url: http.url }, more: { command: 'more' } };
    const own = { files: { command: ['mcp-files', '--root', '/a'] }, more: false };
    expect(read(everywhere, own).servers).toEqual([http, stdio]);
  });
});

describe('what can not be read is left out with its reason', () => {
  it.each<[string, unknown, string, string]>([
    ['no table', { a: 'npx' }, 'a', 'it must be a table with a command or a url'],
    ['no command', { a: { args: ['x'] } }, 'a', 'it has no command'],
    ['no url', { a: { type: 'http' } }, 'a', 'it has no url'],
    ['a bad url', { a: { url: 'docs' } }, 'a', 'its url is none'],
    [
      'a type nobody knows',
      { a: { type: 'constructor', url: 'x' } },
      'a',
      'its type "constructor" is not known',
    ],
    ['a number', [7], 'a server', 'it must be a table with a command or a url'],
  ])('%s', (_, source, name, reason) => {
    expect(read(source)).toEqual({ servers: [], leftOut: [{ name, reason }] });
  });
});

describe('a file', () => {
  const inFile = (text: string, source: unknown = '.mcp.json') => {
    const cwd = aFolder();
    fs.writeFileSync(path.join(cwd, '.mcp.json'), text);
    return readMcpServers([source], { cwd, env: { TOKEN: 'x' } });
  };

  it.each<[string, string, unknown]>([
    ['of another tool', '{"mcpServers": {"docs": {"url": "https://docs.example/mcp"}}}', http],
    [
      'with variables',
      `{"mcpServers": {"docs": {"url": "https://\${HOST:-docs.example}/mcp",
        "headers": {"Authorization": "Bearer \${env:TOKEN}"}}}}`,
      authorised,
    ],
  ])('%s', (_, text, server) => expect(inFile(text)).toEqual({ servers: [server], leftOut: [] }));

  it('may stand in a list', () => {
    expect(inFile('{"docs": {"url": "https://docs.example/mcp"}}', ['.mcp.json']).servers).toEqual([http]);
  });

  it.each([
    [
      'a variable that is not set',
      `{"a": {"command": "x", "env": {"K": "${unset}"}}}`,
      'a',
      'the variable NOPE is not set',
    ],
    ['no JSON', '{"TOKEN": sk-123456789}', '.mcp.json', 'the file is not JSON'],
    ['another file', '{"a": ".other.json"}', 'a', 'it must be a table with a command or a url'],
  ])('is left out for %s', (_, text, name, reason) => {
    expect(inFile(text)).toEqual({ servers: [], leftOut: [{ name, reason }] });
  });

  it('that is not there is named', () => {
    const { leftOut } = read('.mcp.json');
    expect(leftOut).toEqual([{ name: '.mcp.json', reason: expect.stringContaining('ENOENT') }]);
  });

  it('means its variables only there: in Lua a text is a text', () => {
    expect(read({ a: { command: 'x', args: [unset] } }).servers).toMatchObject([{ args: [unset] }]);
  });
});
