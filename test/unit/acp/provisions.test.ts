import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoriesFor } from '../../../src/acp/directories.ts';
import { mcpServersFor } from '../../../src/acp/mcp.ts';
import type { McpConfig } from '../../../src/acp/mcp-config.ts';
import { provisionsFor, tellLeftOut } from '../../../src/acp/provisions.ts';
import type { Abilities } from '../../../src/session/model.ts';
import { SinkDouble } from '../../support/agent-it.ts';
import { anAgentSpec } from '../../support/builders.ts';
import { complaintsAboutClient } from '../../support/client-schema.ts';
import { aFolder } from '../../support/temp.ts';

const env = [{ name: 'KEY', value: 'secret-value' }];
const stdio: McpConfig = { kind: 'stdio', name: 'files', command: 'mcp-files', args: ['-r'], env };
const http: McpConfig = { kind: 'http', name: 'docs', url: 'https://docs.example/mcp', headers: env };
const sse: McpConfig = { ...http, kind: 'sse', name: 'old' };
const found = (command: string) => `/bin/${command}`;

/** What the schema says about a session that is opened so. */
const complaints = (params: object) =>
  complaintsAboutClient([{ jsonrpc: '2.0', id: 1, method: 'session/new', params } as object], []);

describe('MCP servers for an agent', () => {
  const local = { name: 'files', command: '/bin/mcp-files', args: ['-r'], env };
  const docs = { type: 'http', name: 'docs', url: http.url, headers: env };
  const old = { ...docs, type: 'sse', name: 'old' };

  it.each<[string, Abilities, unknown[], string[]]>([
    ['that says nothing', {}, [local], ['the agent does not speak http', 'the agent does not speak sse']],
    ['with http', { mcpHttp: true }, [local, docs], ['the agent does not speak sse']],
    ['with sse', { mcpSse: true }, [local, old], ['the agent does not speak http']],
    ['with both', { mcpHttp: true, mcpSse: true }, [local, docs, old], []],
  ])('%s', (_, abilities, servers, reasons) => {
    const given = mcpServersFor([stdio, http, sse], abilities, found);
    expect(given.servers).toEqual(servers);
    expect(given.leftOut.map(({ reason }) => reason)).toEqual(reasons);
    expect(complaints({ cwd: '/', mcpServers: given.servers })).toEqual([]);
  });

  it('are left out when their program is not there', () => {
    const { servers, leftOut } = mcpServersFor([stdio], {}, () => undefined);
    expect(servers).toEqual([]);
    expect(leftOut).toEqual([{ name: 'files', reason: 'its command "mcp-files" was not found' }]);
  });
});

describe('folders for an agent', () => {
  const directories = true;

  it.each<[string, string[], Abilities, string[], string[]]>([
    ['none', [], { directories }, [], []],
    ['absolute', ['/lib'], { directories }, ['/lib'], []],
    ['of the home', ['~/lib', '~'], { directories }, ['/home/me/lib', '/home/me'], []],
    ['of somebody else', ['~you'], { directories }, ['/work/app/~you'], []],
    ['beside its own', ['../lib'], { directories }, ['/work/lib'], []],
    ['each once', ['/lib', '/lib/', '/lib/../lib'], { directories }, ['/lib'], []],
    ['not its own', ['/work/app', '.', '/work/app/'], { directories }, [], []],
    ['no empty name', ['', ' '], { directories }, [], []],
    ['the root', ['/'], { directories }, ['/'], []],
    ['none for one that takes none', ['/lib', '/work/app'], {}, [], ['/lib']],
  ])('%s', (_, configured, abilities, expected, leftOut) => {
    const given = directoriesFor(configured, '/work/app', abilities, '/home/me');
    expect(given.directories).toEqual(expected);
    expect(given.leftOut.map(({ name }) => name)).toEqual(leftOut);
  });
});

describe('what a session is given', () => {
  function aProgram(): string {
    const folder = aFolder();
    fs.writeFileSync(path.join(folder, 'mcp-files'), '', { mode: 0o755 });
    fs.mkdirSync(path.join(folder, 'mcp-folder'));
    return folder;
  }

  it('is what the protocol wants, and programs are found where the agent finds them', () => {
    const folder = aProgram();
    const spec = anAgentSpec({
      env: { PATH: `/nowhere:${folder}` },
      mcpServers: [{ files: { command: 'mcp-files' }, own: { command: './mcp-files' } }],
      directories: ['/lib'],
    });
    const { params, notice } = provisionsFor(spec, folder, { directories: true });
    const command = path.join(folder, 'mcp-files');
    expect(params).toEqual({
      mcpServers: [
        { name: 'files', command, args: [], env: [] },
        { name: 'own', command, args: [], env: [] },
      ],
      additionalDirectories: ['/lib'],
    });
    expect(notice).toBeUndefined();
    expect(complaints({ cwd: folder, ...params })).toEqual([]);
  });

  it('is nothing by default', () => {
    expect(provisionsFor(anAgentSpec(), '/work')).toEqual({ params: { mcpServers: [] }, notice: undefined });
  });

  const lacking = anAgentSpec({
    mcpServers: [
      { docs: { url: 'https://docs.example/mcp?key=secret-value', headers: { K: 'secret-value' } } },
      { folder: { command: 'mcp-folder', env: { K: 'secret-value' } } },
    ],
    directories: ['/lib'],
    env: { PATH: '/nowhere' },
  });

  it('is told where it lacks something, without what is secret', () => {
    const { notice } = provisionsFor(lacking, '/work');
    expect(notice).toMatchObject({ title: 'tester was not given everything you configured.' });
    expect(notice?.detail).toEqual([
      'MCP server docs: the agent does not speak http',
      'MCP server folder: its command "mcp-folder" was not found',
      'folder /lib: the agent works in one folder only',
    ]);
    expect(JSON.stringify(notice)).not.toContain('secret-value');
  });

  it('is told once to a chat, and again when it has changed', () => {
    const sink = new SinkDouble();
    const provisions = provisionsFor(lacking, '/work');
    tellLeftOut(sink, provisions);
    tellLeftOut(sink, provisionsFor(lacking, '/work'));
    expect(sink.events).toHaveLength(1);
    tellLeftOut(sink, provisionsFor(lacking, '/work', { mcpHttp: true }));
    expect(sink.events).toHaveLength(2);
    tellLeftOut(sink, provisionsFor(anAgentSpec(), '/work'));
    expect(sink.events).toHaveLength(2);
  });
});
