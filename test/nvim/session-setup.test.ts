import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { startChat, transcript } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';

const fixture = path.resolve(import.meta.dirname, '../fixtures/agents/commands.mjs');

describe('MCP servers and directories of the options', () => {
  it('reach the agent, its own over those for all, and unsupported ones are reported in the chat', async ({
    start,
  }) => {
    const nvim = await startChat(start, {
      agent: 'mine',
      config: `{
        mcp_servers = '.mcp.json',
        directories = { '/lib' },
        agents = { mine = {
          command = { 'node', '${fixture}' },
          env = { ACP_TEST_RECORD = vim.fn.getcwd() .. '/record' },
          mcp_servers = { files = { command = 'node', args = { 'own.js' } } },
          directories = { '/opt' },
        } },
      }`,
      files: {
        '.mcp.json': JSON.stringify({
          mcpServers: { files: { command: 'sh' }, shell: { command: 'sh', env: { KEY: 'v' } } },
        }),
      },
    });
    const sent = fs.readFileSync(nvim.sandbox.path('record.in'), 'utf8').trim().split('\n');
    const opening = sent.map((line) => JSON.parse(line)).find(({ method }) => method === 'session/new');
    expect(opening.params).toEqual({
      cwd: nvim.sandbox.cwd,
      mcpServers: [
        {
          name: 'shell',
          command: expect.stringMatching(/^\/.*\/sh$/),
          args: [],
          env: [{ name: 'KEY', value: 'v' }],
        },
        { name: 'files', command: expect.stringMatching(/^\/.*node$/), args: ['own.js'], env: [] },
      ],
    });
    await nvim.waitFor(
      async () =>
        (await transcript(nvim))
          .join('\n')
          .includes('folder /lib: the agent does not support additional folders'),
      'the notice',
    );
    expect((await transcript(nvim)).join('\n')).toContain('folder /opt:');
  });

  it('are checked for their type', async ({ nvim }) => {
    const complaints = "local config = require('acp.config') config.set(...) return config.complaints()";
    expect(await nvim.lua(complaints, { mcp_servers: 7, directories: '/lib' })).toEqual([
      'directories is "/lib"; expected a table',
      'mcp_servers is 7; expected a table or string',
    ]);
    expect(await nvim.lua(complaints, { mcp_servers: '.mcp.json', directories: ['/lib'] })).toEqual([]);
  });
});
