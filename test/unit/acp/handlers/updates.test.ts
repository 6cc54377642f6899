import { expect, it } from 'vitest';
import { quirksOf } from '../../../../src/acp/decode/quirks.ts';
import { SessionRouter } from '../../../../src/acp/handlers/session-router.ts';
import { UpdateHandler } from '../../../../src/acp/handlers/updates.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { SinkDouble } from '../../../support/doubles/sink.ts';

it('UpdateHandler reports a subagent after the text that the agent sent before it in the same read', async () => {
  const router = new SessionRouter();
  const sink = new SinkDouble();
  router.attach('s', sink);
  const quirks = () => quirksOf(undefined);
  const handler = new UpdateHandler({ agentName: 'a', router, log: new LogDouble(), quirks });
  const updates = [
    { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'I start one.' } },
    { sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Explore', state: 'running' },
    { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'It works.' } },
  ];
  for (const update of updates) handler.handle({ sessionId: 's', update });
  await Promise.resolve();
  expect(sink.events.map(({ kind }) => kind)).toEqual(['chunk', 'tool', 'chunk']);
});
