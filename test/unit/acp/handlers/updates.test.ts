import { expect, it } from 'vitest';
import { quirksOf } from '../../../../src/acp/decode/quirks.ts';
import { SessionRouter } from '../../../../src/acp/handlers/session-router.ts';
import { UpdateHandler } from '../../../../src/acp/handlers/updates.ts';
import type { AgentEvent } from '../../../../src/model/session-events.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { SinkDouble } from '../../../support/doubles/sink.ts';

/** The events of updates that come in one read. */
async function eventsOf(updates: readonly Record<string, unknown>[]): Promise<readonly AgentEvent[]> {
  const router = new SessionRouter();
  const sink = new SinkDouble();
  router.attach('s', sink);
  const quirks = () => quirksOf(undefined);
  const handler = new UpdateHandler({ agentName: 'a', router, log: new LogDouble(), quirks });
  for (const update of updates) handler.handle({ sessionId: 's', update });
  await Promise.resolve();
  return sink.events;
}

it('UpdateHandler reports a subagent after the text that the agent sent before it in the same read', async () => {
  const updates = [
    { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'I start one.' } },
    { sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Explore', state: 'running' },
    { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'It works.' } },
  ];
  const events = await eventsOf(updates);
  expect(events.map(({ kind }) => kind)).toEqual(['chunk', 'tool', 'chunk']);
});

it('UpdateHandler gives what a subagent says in the session of its agent to the call that started it', async () => {
  const words = (sessionUpdate: string, text: string, parentToolUseId: string) => ({
    sessionUpdate,
    content: { type: 'text', text },
    _meta: { claudeCode: { parentToolUseId } },
  });
  const events = await eventsOf([
    { sessionUpdate: 'tool_call', toolCallId: 'task', kind: 'think', title: 'Explore' },
    words('user_message_chunk', 'Find the callers.', 'task'),
    words('agent_thought_chunk', 'Where? ', 'task'),
    { sessionUpdate: 'tool_call_update', toolCallId: 'task', kind: 'think', status: 'in_progress' },
    words('agent_message_chunk', 'There are two.', 'task'),
    words('agent_message_chunk', 'Of a call that nobody knows.', 'unknown'),
  ]);
  const said = (text: string) => ({ toolCallId: 'task', content: [{ kind: 'text', text }] });
  expect(events.slice(1)).toEqual([
    { kind: 'tool', patch: said('Where? ') },
    { kind: 'tool', patch: expect.objectContaining({ status: 'running' }) },
    { kind: 'tool', patch: said('Where? There are two.') },
    { kind: 'chunk', role: 'agent', text: 'Of a call that nobody knows.' },
  ]);
});
