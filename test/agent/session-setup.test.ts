import { describe, expect } from 'vitest';
import { type AgentHarness, it } from '../support/agents/agent-harness.ts';
import { SinkDouble } from '../support/doubles/sink.ts';

const docs = { url: 'https://docs.example/mcp', headers: { Authorization: 'Bearer secret-value' } };
const files = { command: [process.execPath, 'files.js'], env: { KEY: 'secret-value' } };

/** Opens a session with an agent of these capabilities and returns the params it received. */
async function open(harness: AgentHarness, agentCapabilities: unknown, sessionId?: string) {
  const answer = JSON.stringify({ protocolVersion: 1, agentCapabilities });
  const spec = {
    ...harness.spec('answering.mjs', answer),
    mcpServers: [{ docs, files }],
    directories: ['/lib'],
  };
  const agent = harness.launch(spec);
  const sink = new SinkDouble();
  const cwd = harness.folder;
  const opening =
    sessionId === undefined ? { method: 'new' as const } : { method: 'load' as const, sessionId };
  await agent.openSession({ ...opening, cwd }, sink);
  const asked = harness.sent.find(({ method }) => method === `session/${opening.method}`);
  return { params: asked?.params, events: sink.events };
}

describe.concurrent('session setup', () => {
  const local = {
    name: 'files',
    command: process.execPath,
    args: ['files.js'],
    env: [{ name: 'KEY', value: 'secret-value' }],
  };

  it('sends the configured MCP servers and folders that the agent supports', async ({ harness }) => {
    const { params, events } = await open(harness, {
      mcpCapabilities: { http: true },
      sessionCapabilities: { additionalDirectories: {} },
    });
    const headers = [{ name: 'Authorization', value: 'Bearer secret-value' }];
    expect(params).toEqual({
      cwd: harness.folder,
      mcpServers: [{ type: 'http', name: 'docs', url: docs.url, headers }, local],
      additionalDirectories: ['/lib'],
    });
    expect(events).toEqual([]);
  });

  it('sends all of them again when an earlier session is opened', async ({ harness }) => {
    const sessionCapabilities = { additionalDirectories: {} };
    const { params } = await open(harness, { loadSession: true, sessionCapabilities }, 's1');
    expect(params).toEqual({
      sessionId: 's1',
      cwd: harness.folder,
      mcpServers: [local],
      additionalDirectories: ['/lib'],
    });
  });

  it('sends stdio servers to every agent and reports the omitted rest to the user', async ({ harness }) => {
    const { params, events } = await open(harness, {});
    expect(params).toEqual({ cwd: harness.folder, mcpServers: [local] });
    expect(events).toMatchObject([
      {
        kind: 'notice',
        detail: [
          'MCP server docs: the agent does not support MCP over http',
          'folder /lib: the agent does not support additional folders',
        ],
      },
    ]);
    expect(harness.log.lines.join('\n')).not.toContain('secret-value');
  });
});
