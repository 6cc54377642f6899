import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { startChat, transcript } from '../support/chat.ts';
import { it } from '../support/it.ts';

const fixture = path.resolve(import.meta.dirname, '../fixtures/agents/speaking.mjs');

describe('MCP servers and folders of the options', () => {
  it('reach the agent, its own over those for all, and what it can not use is told in the chat', async ({
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
      async () => (await transcript(nvim)).join('\n').includes('folder /lib: the agent works in one folder'),
      'the notice',
    );
    expect((await transcript(nvim)).join('\n')).toContain('folder /opt:');
  });

  it('are checked by their type', async ({ nvim }) => {
    const merge = "return select(2, require('acp.config').merge(...))";
    expect(await nvim.lua(merge, { mcp_servers: 7, directories: '/lib' })).toEqual([
      'directories is "/lib"; expected a table',
      'mcp_servers is 7; expected a table or string',
    ]);
    expect(await nvim.lua(merge, { mcp_servers: '.mcp.json' })).toEqual([]);
  });
});
