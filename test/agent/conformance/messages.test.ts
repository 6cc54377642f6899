import { describe, expect } from 'vitest';
import { type AgentHarness, it } from '../../support/agents/agent-harness.ts';
import { done, speech, titledCall, update } from '../../support/agents/messages.ts';
import type { WireMessage } from '../../support/agents/piped-connection.ts';
import { aScenario } from '../../support/agents/session-scenario.ts';

/** The transcript below the prompt after a turn with these messages, sent one by one or in one write. */
async function said(harness: AgentHarness, messages: readonly WireMessage[], isAtOnce = false) {
  const scenario = aScenario(harness);
  const { agent } = scenario;
  const prompt = await scenario.prompt();
  for (const some of isAtOnce ? [messages] : messages.map((message) => [message])) {
    agent.send(...some);
    await agent.waitUntilProcessed();
  }
  agent.reply(prompt, done);
  await scenario.phase('idle');
  return { scenario, outline: scenario.outline.slice(1) };
}

const thought = (text: string, fields: Record<string, unknown> = {}) =>
  update('agent_thought_chunk', { content: { type: 'text', text }, ...fields });
const plan = update('plan', { entries: [{ content: 'x', priority: 'low', status: 'pending' }] });
const block = (content: object) => update('agent_message_chunk', { content });

describe.concurrent('a message', () => {
  it.for([false, true])(
    'MSG-1: joins chunks with the same id; another id starts another message (in one read: %s)',
    async (isAtOnce, { harness }) => {
      const messages = [
        speech('a', { messageId: 'm1' }),
        speech('b', { messageId: 'm1' }),
        speech('c', { messageId: 'm2' }),
        thought('d', { messageId: 'm2' }),
        speech('e'),
        speech('f', { messageId: null }),
      ];
      const { outline } = await said(harness, messages, isAtOnce);
      expect(outline).toEqual(['agent: ab', 'agent: c', 'thought: d', 'agent: ef']);
    },
  );

  it('MSG-2: can have any text as its id', async ({ harness }) => {
    const ids = ['1', '1.0', '01', ' 1', '__proto__', 'constructor', ''];
    const messages = ids.flatMap((messageId) => [speech('x', { messageId }), speech('y', { messageId })]);
    const { outline } = await said(harness, messages);
    expect(outline).toEqual(ids.map(() => 'agent: xy'));
  });

  it.for([false, true])(
    'MSG-3: without an id ends with a change of kind, a tool call, a plan or the turn (in one read: %s)',
    async (isAtOnce, { harness }) => {
      const messages = [
        thought('a'),
        thought('b'),
        speech('c'),
        speech('d'),
        thought('e'),
        titledCall('c1'),
        thought('f'),
        plan,
        thought('g'),
      ];
      const { scenario, outline } = await said(harness, messages, isAtOnce);
      expect(outline).toEqual([
        'thought: ab',
        'agent: cd',
        'thought: e',
        'c1: cancelled',
        'thought: f',
        'plan',
        'thought: g',
      ]);
      scenario.agent.send(thought('h'));
      await scenario.agent.waitUntilProcessed();
      await scenario.turn(thought('i'));
      expect(scenario.outline.slice(-4)).toEqual(['thought: g', 'thought: h', 'user: go', 'thought: i']);
    },
  );

  it('MSG-4: is shown as Markdown, except for content for the model only', async ({ harness }) => {
    const messages = [
      speech('# Title\n\nSome `code` and **bold**.'),
      block({ type: 'text', text: 'for the model', annotations: { audience: ['assistant'] } }),
      block({
        type: 'resource_link',
        uri: 'file:///m',
        name: 'model.md',
        annotations: { audience: ['assistant'] },
      }),
      block({
        type: 'resource_link',
        uri: 'file:///u',
        name: 'user.md',
        annotations: { audience: ['user'] },
      }),
      block({ type: 'text', text: ' For both.', annotations: { audience: ['assistant', 'user'] } }),
      block({ type: 'text', text: ' For anybody.', annotations: { audience: [] } }),
    ];
    const { scenario } = await said(harness, messages);
    for (const colour of ['AcpHeading1', 'AcpCode', 'AcpBold']) expect(scenario.picture).toContain(colour);
    expect(scenario.chat.join('\n')).toContain('For both. For anybody.');
    expect(scenario.chat.join('\n')).not.toContain('for the model');
    expect(scenario.chat.join('\n')).toContain('user.md');
    expect(scenario.chat.join('\n')).not.toContain('model.md');
  });

  it('MSG-5: names unknown content, and the traffic log keeps it unchanged', async ({ harness }) => {
    const strange = { type: 'hologram', beams: [1, 2] };
    const { scenario } = await said(harness, [
      speech('Look: '),
      block(strange),
      block({ type: 'image', mimeType: 'image/png', data: 'AA==' }),
    ]);
    expect(scenario.chat).toContain('Look: [hologram]');
    expect(scenario.chat.join('\n')).toContain('▣ picture');
    const messages = scenario.session.lastLink!.agent.traffic.since(0).map(({ message }) => message);
    expect(messages).toContainEqual(expect.objectContaining(block(strange)));
  });
});
