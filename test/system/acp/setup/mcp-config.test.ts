import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readMcpServers } from '../../../../src/acp/setup/mcp-config.ts';
import { aFolder } from '../../../support/system/temp.ts';

const stdio = { kind: 'stdio', name: 'files', command: 'mcp-files', args: ['--root', '/a'], env: [] };
const keyed = { ...stdio, env: [{ name: 'KEY', value: 'v=1' }] };
const http = { kind: 'http', name: 'docs', url: 'https://docs.example/mcp', headers: [] };
const authorised = { ...http, headers: [{ name: 'Authorization', value: 'Bearer x' }] };

const unset = `\${NOPE}`;
const read = (...sources: unknown[]) => readMcpServers(sources, { cwd: '/nowhere', env: {} });

describe('readMcpServers', () => {
  it.each<[string, unknown, unknown[]]>([
    ['no server for undefined', undefined, []],
    ['no server for an empty Lua table', [], []],
    ['a server by name', { files: { command: 'mcp-files', args: ['--root', '/a'] } }, [stdio]],
    ['a command of several words', { files: { command: ['mcp-files', '--root'], args: ['/a'] } }, [stdio]],
    [
      'servers in a list',
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
      {
        files: {
          command: 'mcp-files',
          args: ['--root', '/a'],
          env: ['KEY=v=1', 'no server for undefined', '=x'],
        },
      },
      [keyed],
    ],
    [
      'a local server with an environment',
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
      'a server with a transport and no name',
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
    ['a server with the type stdio', [{ type: 'stdio', ...stdio, kind: undefined }], [stdio]],
    ['a single server', { command: ['files'] }, [{ ...stdio, command: 'files', args: [] }]],
    ['a server by its url', { docs: { url: http.url } }, [http]],
    [
      'a remote server with headers in a map',
      { docs: { type: 'remote', url: http.url, headers: { Authorization: 'Bearer x' } } },
      [authorised],
    ],
    [
      'an http server with headers in a list',
      [{ type: 'http', name: 'docs', url: http.url, headers: authorised.headers }],
      [authorised],
    ],
    ['an sse server', { docs: { type: 'sse', url: http.url } }, [{ ...http, kind: 'sse' }]],
    [
      'a server with the transport sse',
      { docs: { transport: 'sse', url: http.url } },
      [{ ...http, kind: 'sse' }],
    ],
    ['a url without a name', [{ url: http.url }], [{ ...http, name: 'docs.example' }]],
    ['the format of other tools', { mcpServers: { docs: { url: http.url } } }, [http]],
    ['a server with the name of a wrapper key', { mcp: { url: http.url } }, [{ ...http, name: 'mcp' }]],
    ['no disabled server', { a: false, b: { command: 'x', disabled: true }, c: { enabled: false } }, []],
  ])('reads %s', (_, source, servers) => expect(read(source)).toEqual({ servers, omissions: [] }));

  it('lets later sources override or remove servers', () => {
    const everywhere = { files: { command: 'old' }, docs: { url: http.url }, more: { command: 'more' } };
    const own = { files: { command: ['mcp-files', '--root', '/a'] }, more: false };
    expect(read(everywhere, own).servers).toEqual([http, stdio]);
  });
});

describe('an invalid server', () => {
  it.each<[string, unknown, string, string]>([
    ['a string', { a: 'npx' }, 'a', 'it must be a table with a command or a url'],
    ['no command', { a: { args: ['x'] } }, 'a', 'it has no command'],
    ['no url', { a: { type: 'http' } }, 'a', 'it has no url'],
    ['a bad url', { a: { url: 'docs' } }, 'a', 'its url is not a valid URL'],
    ['an unknown type', { a: { type: 'constructor', url: 'x' } }, 'a', 'unknown type "constructor"'],
    ['a number', [7], 'a server', 'it must be a table with a command or a url'],
  ])('is omitted with the reason: %s', (_, source, name, reason) => {
    expect(read(source)).toEqual({ servers: [], omissions: [{ name, reason }] });
  });
});

describe('a file of MCP servers', () => {
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
  ])('is read: %s', (_, text, server) => expect(inFile(text)).toEqual({ servers: [server], omissions: [] }));

  it('can be an item of a list', () => {
    expect(inFile('{"docs": {"url": "https://docs.example/mcp"}}', ['.mcp.json']).servers).toEqual([http]);
  });

  it.each([
    [
      'a variable that is not set',
      `{"a": {"command": "x", "env": {"K": "${unset}"}}}`,
      'a',
      'the variable NOPE is not set',
    ],
    ['invalid JSON', '{"TOKEN": sk-123456789}', '.mcp.json', 'the file is not valid JSON'],
    [
      'a reference to another file',
      '{"a": ".other.json"}',
      'a',
      'it must be a table with a command or a url',
    ],
  ])('is omitted because of %s', (_, text, name, reason) => {
    expect(inFile(text)).toEqual({ servers: [], omissions: [{ name, reason }] });
  });

  it('is named if it does not exist', () => {
    const { omissions } = read('.mcp.json');
    expect(omissions).toEqual([{ name: '.mcp.json', reason: expect.stringContaining('ENOENT') }]);
  });

  it('is omitted if it is a pipe, which would block the host', () => {
    const cwd = aFolder();
    execFileSync('mkfifo', [path.join(cwd, '.mcp.json')]);
    expect(readMcpServers(['.mcp.json'], { cwd, env: {} }).omissions).toEqual([
      { name: '.mcp.json', reason: 'it is not a regular file' },
    ]);
  });

  it('has variables expanded, unlike a Lua table', () => {
    expect(read({ a: { command: 'x', args: [unset] } }).servers).toMatchObject([{ args: [unset] }]);
  });
});
