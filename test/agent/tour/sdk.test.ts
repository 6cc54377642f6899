import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import { client, ndJsonStream, type SessionNotification } from '@agentclientprotocol/sdk';
import { describe, expect } from 'vitest';
import { tourPath } from '../../support/system/build.ts';
import { everything, FakeEditor } from '../../support/tour/editor.ts';
import { it } from '../../support/tour/it.ts';
import { shapeOf } from '../../support/tour/updates.ts';

describe('the client of the SDK', () => {
  // The `start` fixture builds the program.
  it('completes the whole tour', async ({ folder, start: _ }) => {
    const child = spawn(process.execPath, [tourPath], { env: { ...process.env, ACP_TOUR_PACE: '0' } });
    const editor = new FakeEditor();
    const seen: SessionNotification[] = [];
    const agent = connect(child, editor, seen);
    await agent.request('initialize', { protocolVersion: 1, clientCapabilities: everything });
    const { sessionId } = await agent.request('session/new', { cwd: folder, mcpServers: [] });
    const { stopReason } = await agent.request('session/prompt', {
      sessionId,
      prompt: [{ type: 'text', text: 'tour' }],
    });
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(stopReason).toBe('end_turn');
    expect(editor.files.get(path.join(folder, 'acp-tour.md'))).toContain('Visits: 1');
    expect(new Set(shapeOf(seen.map(({ update }) => update)))).toEqual(
      new Set([
        ...['available_commands_update', 'session_info_update', 'agent_message_chunk', 'agent_thought_chunk'],
        ...['plan', 'tool_call', 'tool_call_update'],
      ]),
    );
  });
});

function connect(child: ChildProcessWithoutNullStreams, editor: FakeEditor, seen: SessionNotification[]) {
  // Registered first: the SDK delivers in the order of registration, and a response must not overtake an update.
  const app = client().onNotification('session/update', ({ params }) => void seen.push(params));
  for (const [method, answer] of Object.entries(editor.answers)) {
    app.onRequest(
      method,
      (params) => params as Record<string, unknown>,
      ({ params }) => answer(params),
    );
  }
  const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
  return app.connect(ndJsonStream(Writable.toWeb(child.stdin), output)).agent;
}
