import { describe, expect } from 'vitest';
import { it, type Workshop } from '../../support/agent-it.ts';
import { call, meet, speech } from '../../support/encounter.ts';
import type { WireMessage } from '../../support/piped-connection.ts';
import { done, update } from '../../support/stage.ts';

/** What the chat holds below the prompt after a turn in which the agent said these things, one by one or at once. */
async function said(workshop: Workshop, messages: readonly WireMessage[], isAtOnce = false) {
  const encounter = await meet(workshop);
  const { agent } = encounter;
  const prompt = await encounter.prompt();
  for (const some of isAtOnce ? [messages] : messages.map((message) => [message])) {
    agent.say(...some);
    await agent.isUnderstood();
  }
  agent.reply(prompt, done);
  await encounter.phase('idle');
  return { encounter, outline: encounter.outline.slice(1) };
}

const thought = (text: string, fields: Record<string, unknown> = {}) =>
  update('agent_thought_chunk', { content: { type: 'text', text }, ...fields });
const plan = update('plan', { entries: [{ content: 'x', priority: 'low', status: 'pending' }] });
const block = (content: object) => update('agent_message_chunk', { content });

describe.concurrent('a message', () => {
  it.for([false, true])(
    'MSG-1: is what has the same id, and another id begins another (at once: %s)',
    async (isAtOnce, { workshop }) => {
      const messages = [
        speech('a', { messageId: 'm1' }),
        speech('b', { messageId: 'm1' }),
        speech('c', { messageId: 'm2' }),
        thought('d', { messageId: 'm2' }),
        speech('e'),
        speech('f', { messageId: null }),
      ];
      const { outline } = await said(workshop, messages, isAtOnce);
      expect(outline).toEqual(['agent: ab', 'agent: c', 'thought: d', 'agent: ef']);
    },
  );

  it('MSG-2: has an id that is any text', async ({ workshop }) => {
    const ids = ['1', '1.0', '01', ' 1', '__proto__', 'constructor', ''];
    const messages = ids.flatMap((messageId) => [speech('x', { messageId }), speech('y', { messageId })]);
    const { outline } = await said(workshop, messages);
    expect(outline).toEqual(ids.map(() => 'agent: xy'));
  });

  it.for([false, true])(
    'MSG-3: without an id, ends with a change of kind, a tool call, a plan or the turn (at once: %s)',
    async (isAtOnce, { workshop }) => {
      const messages = [
        thought('a'),
        thought('b'),
        speech('c'),
        speech('d'),
        thought('e'),
        call('c1'),
        thought('f'),
        plan,
        thought('g'),
      ];
      const { encounter, outline } = await said(workshop, messages, isAtOnce);
      expect(outline).toEqual([
        'thought: ab',
        'agent: cd',
        'thought: e',
        'c1: cancelled',
        'thought: f',
        'plan',
        'thought: g',
      ]);
      encounter.agent.say(thought('h'));
      await encounter.agent.isUnderstood();
      await encounter.turn(thought('i'));
      expect(encounter.outline.slice(-4)).toEqual(['thought: g', 'thought: h', 'user: go', 'thought: i']);
    },
  );

  it('MSG-4: is drawn as Markdown, and what is meant for the model alone is not', async ({ workshop }) => {
    const messages = [
      speech('# Title\n\nSome `code` and **bold**.'),
      block({ type: 'text', text: 'for the model', annotations: { audience: ['assistant'] } }),
      block({ type: 'text', text: ' For both.', annotations: { audience: ['assistant', 'user'] } }),
      block({ type: 'text', text: ' For anybody.', annotations: { audience: [] } }),
    ];
    const { encounter } = await said(workshop, messages);
    for (const colour of ['AcpHeading', 'AcpCode', 'AcpBold']) expect(encounter.picture).toContain(colour);
    expect(encounter.chat.join('\n')).toContain('For both. For anybody.');
    expect(encounter.chat.join('\n')).not.toContain('for the model');
  });

  it('MSG-5: names what it has that is unknown here, and the traffic has it as it came', async ({
    workshop,
  }) => {
    const strange = { type: 'hologram', beams: [1, 2] };
    const { encounter } = await said(workshop, [
      speech('Look: '),
      block(strange),
      block({ type: 'image', mimeType: 'image/png', data: 'AA==' }),
    ]);
    expect(encounter.chat).toContain('Look: [hologram][image image/png]');
    const messages = encounter.session.lastLink!.traffic.since(0).map(({ message }) => message);
    expect(messages).toContainEqual(expect.objectContaining(block(strange)));
  });
});
