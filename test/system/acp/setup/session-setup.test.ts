import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { directoriesFor } from '../../../../src/acp/setup/directories.ts';
import { mcpServersFor } from '../../../../src/acp/setup/mcp.ts';
import type { McpConfig } from '../../../../src/acp/setup/mcp-config.ts';
import { reportOmissions, sessionSetupFor } from '../../../../src/acp/setup/session-setup.ts';
import type { AgentCapabilities } from '../../../../src/model/agent.ts';
import { anAgentSpec } from '../../../support/builders.ts';
import { SinkDouble } from '../../../support/doubles/sink.ts';
import { violationsOfClient } from '../../../support/schema.ts';
import { aFolder } from '../../../support/system/temp.ts';

const env = [{ name: 'KEY', value: 'secret-value' }];
const stdio: McpConfig = { kind: 'stdio', name: 'files', command: 'mcp-files', args: ['-r'], env };
const http: McpConfig = { kind: 'http', name: 'docs', url: 'https://docs.example/mcp', headers: env };
const sse: McpConfig = { ...http, kind: 'sse', name: 'old' };
const found = (command: string) => `/bin/${command}`;

/** Violations of the schema in a session/new request. */
const violations = (params: object) =>
  violationsOfClient([{ jsonrpc: '2.0', id: 1, method: 'session/new', params } as object], []);

describe('mcpServersFor', () => {
  const local = { name: 'files', command: '/bin/mcp-files', args: ['-r'], env };
  const docs = { type: 'http', name: 'docs', url: http.url, headers: env };
  const old = { ...docs, type: 'sse', name: 'old' };

  it.each<[string, AgentCapabilities, unknown[], string[]]>([
    [
      'without MCP capabilities',
      {},
      [local],
      ['the agent does not support MCP over http', 'the agent does not support MCP over sse'],
    ],
    ['with http', { mcpHttp: true }, [local, docs], ['the agent does not support MCP over sse']],
    ['with sse', { mcpSse: true }, [local, old], ['the agent does not support MCP over http']],
    ['with both', { mcpHttp: true, mcpSse: true }, [local, docs, old], []],
  ])('gives an agent %s the servers it supports', (_, capabilities, servers, reasons) => {
    const given = mcpServersFor([stdio, http, sse], capabilities, found);
    expect(given.servers).toEqual(servers);
    expect(given.omissions.map(({ reason }) => reason)).toEqual(reasons);
    expect(violations({ cwd: '/', mcpServers: given.servers })).toEqual([]);
  });

  it('omits a server whose program is not found', () => {
    const { servers, omissions } = mcpServersFor([stdio], {}, () => undefined);
    expect(servers).toEqual([]);
    expect(omissions).toEqual([{ name: 'files', reason: 'command "mcp-files" not found' }]);
  });
});

describe('directoriesFor', () => {
  const directories = true;

  it.each<[string, string[], AgentCapabilities, string[], string[]]>([
    ['no folder', [], { directories }, [], []],
    ['an absolute folder', ['/lib'], { directories }, ['/lib'], []],
    ['folders below the home directory', ['~/lib', '~'], { directories }, ['/home/me/lib', '/home/me'], []],
    ['a name that begins with a tilde', ['~you'], { directories }, ['/work/app/~you'], []],
    ['a relative folder', ['../lib'], { directories }, ['/work/lib'], []],
    ['each folder once', ['/lib', '/lib/', '/lib/../lib'], { directories }, ['/lib'], []],
    ['not the working directory', ['/work/app', '.', '/work/app/'], { directories }, [], []],
    ['no empty name', ['', ' '], { directories }, [], []],
    ['the root', ['/'], { directories }, ['/'], []],
    ['no folder if the agent does not support any', ['/lib', '/work/app'], {}, [], ['/lib']],
  ])('returns %s', (_, configured, capabilities, expected, omitted) => {
    const given = directoriesFor(configured, '/work/app', capabilities, '/home/me');
    expect(given.directories).toEqual(expected);
    expect(given.omissions.map(({ name }) => name)).toEqual(omitted);
  });
});

describe('sessionSetupFor', () => {
  function aProgram(): string {
    const folder = aFolder();
    fs.writeFileSync(path.join(folder, 'mcp-files'), '', { mode: 0o755 });
    fs.mkdirSync(path.join(folder, 'mcp-folder'));
    return folder;
  }

  it('returns valid parameters and finds programs on the PATH of the agent', () => {
    const folder = aProgram();
    const spec = anAgentSpec({
      env: { PATH: `/nowhere:${folder}` },
      mcpServers: [{ files: { command: 'mcp-files' }, own: { command: './mcp-files' } }],
      directories: ['/lib'],
    });
    const { params, omissions } = sessionSetupFor(spec, folder, { directories: true });
    const command = path.join(folder, 'mcp-files');
    expect(params).toEqual({
      mcpServers: [
        { name: 'files', command, args: [], env: [] },
        { name: 'own', command, args: [], env: [] },
      ],
      additionalDirectories: ['/lib'],
    });
    expect(omissions).toEqual([]);
    expect(violations({ cwd: folder, ...params })).toEqual([]);
  });

  it('returns no servers by default', () => {
    expect(sessionSetupFor(anAgentSpec(), '/work')).toEqual({
      params: { mcpServers: [] },
      omissions: [],
    });
  });

  const lacking = anAgentSpec({
    mcpServers: [
      { docs: { url: 'https://docs.example/mcp?key=secret-value', headers: { K: 'secret-value' } } },
      { folder: { command: 'mcp-folder', env: { K: 'secret-value' } } },
    ],
    directories: ['/lib'],
    env: { PATH: '/nowhere' },
  });

  it('lists omissions without secrets', () => {
    const sink = new SinkDouble();
    reportOmissions('tester', sink, sessionSetupFor(lacking, '/work'));
    const [notice] = sink.events;
    expect(notice).toMatchObject({
      kind: 'notice',
      title: 'tester was not given everything you configured.',
      detail: [
        'MCP server docs: the agent does not support MCP over http',
        'MCP server folder: command "mcp-folder" not found',
        'folder /lib: the agent does not support additional folders',
      ],
    });
    expect(JSON.stringify(notice)).not.toContain('secret-value');
  });

  it('reports omissions once per chat, and again when they have changed', () => {
    const sink = new SinkDouble();
    reportOmissions('tester', sink, sessionSetupFor(lacking, '/work'));
    reportOmissions('tester', sink, sessionSetupFor(lacking, '/work'));
    expect(sink.events).toHaveLength(1);
    reportOmissions('tester', sink, sessionSetupFor(lacking, '/work', { mcpHttp: true }));
    expect(sink.events).toHaveLength(2);
    reportOmissions('tester', sink, sessionSetupFor(anAgentSpec(), '/work'));
    expect(sink.events).toHaveLength(2);
  });
});
