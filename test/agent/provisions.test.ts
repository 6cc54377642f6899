import { describe, expect } from 'vitest';
import { it, SinkDouble, type Workshop } from '../support/agent-it.ts';

const docs = { url: 'https://docs.example/mcp', headers: { Authorization: 'Bearer secret-value' } };
const files = { command: [process.execPath, 'files.js'], env: { KEY: 'secret-value' } };

/** Opens a session with an agent of these abilities and returns what it was asked. */
async function open(workshop: Workshop, agentCapabilities: unknown, sessionId?: string) {
  const answer = JSON.stringify({ protocolVersion: 1, agentCapabilities });
  const spec = {
    ...workshop.spec('answering.mjs', answer),
    mcpServers: [{ docs, files }],
    directories: ['/lib'],
  };
  const agent = workshop.launch(spec);
  const sink = new SinkDouble();
  const cwd = workshop.folder;
  const opening = sessionId === undefined ? { how: 'new' as const } : { how: 'load' as const, sessionId };
  await agent.openSession({ ...opening, cwd }, sink);
  const asked = workshop.sent.find(({ method }) => method === `session/${opening.how}`);
  return { params: asked?.params, events: sink.events };
}

describe.concurrent('an agent is given', () => {
  const local = {
    name: 'files',
    command: process.execPath,
    args: ['files.js'],
    env: [{ name: 'KEY', value: 'secret-value' }],
  };

  it('the servers and folders of the configuration that it says it can use', async ({ workshop }) => {
    const { params, events } = await open(workshop, {
      mcpCapabilities: { http: true },
      sessionCapabilities: { additionalDirectories: {} },
    });
    const headers = [{ name: 'Authorization', value: 'Bearer secret-value' }];
    expect(params).toEqual({
      cwd: workshop.folder,
      mcpServers: [{ type: 'http', name: 'docs', url: docs.url, headers }, local],
      additionalDirectories: ['/lib'],
    });
    expect(events).toEqual([]);
  });

  it('all of it again with an earlier session', async ({ workshop }) => {
    const sessionCapabilities = { additionalDirectories: {} };
    const { params } = await open(workshop, { loadSession: true, sessionCapabilities }, 's1');
    expect(params).toEqual({
      sessionId: 's1',
      cwd: workshop.folder,
      mcpServers: [local],
      additionalDirectories: ['/lib'],
    });
  });

  it('the servers that every agent can use, and the user is told of the rest', async ({ workshop }) => {
    const { params, events } = await open(workshop, {});
    expect(params).toEqual({ cwd: workshop.folder, mcpServers: [local] });
    expect(events).toMatchObject([
      {
        kind: 'notice',
        detail: [
          'MCP server docs: the agent does not speak http',
          'folder /lib: the agent works in one folder only',
        ],
      },
    ]);
    expect(workshop.log.lines.join('\n')).not.toContain('secret-value');
  });
});
