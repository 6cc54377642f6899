import { describe, expect } from 'vitest';
import { it } from '../support/agents/agent-harness.ts';
import { call, done, speech } from '../support/agents/messages.ts';
import { playSteps, turn } from '../support/agents/session-scenario.ts';

const isOver = { method: 'session/end_turn', params: { sessionId: 's1' } };

describe.concurrent('an agent that sends session/end_turn', () => {
  it('ends the turn without a response', async ({ harness }) => {
    const scenario = playSteps(
      harness,
      { expect: 'session/prompt', say: [call('c1', { title: 'Bake it' }), speech('Baked.'), isOver] },
      turn(speech('Again.')),
    );
    await scenario.promptAndWait('one');
    expect(scenario.tools).toMatchObject([{ status: 'cancelled' }]);
    await scenario.promptAndWait('two');
    expect(scenario.chat.at(-1)).toBe('Again.');
  });

  it('gives the stop reason with the response that follows', async ({ harness }) => {
    const scenario = playSteps(harness, {
      expect: 'session/prompt',
      say: [speech('Half'), isOver],
      reply: { stopReason: 'max_tokens' },
    });
    await scenario.promptAndWait();
    expect(scenario.chat.at(-1)).toBe('! The answer was cut off: the token limit is reached.');
  });

  it('may respond during the next turn, which continues', async ({ harness }) => {
    const scenario = playSteps(
      harness,
      { expect: 'session/prompt', say: [speech('Baked.'), isOver] },
      { expect: 'session/prompt', say: [{ id: 2, result: done } as never, speech('On it.')] },
      { expect: 'session/cancel', to: 'session/prompt', reply: { stopReason: 'cancelled' } },
    );
    await scenario.promptAndWait('one');
    expect(harness.sent.at(-1)).toMatchObject({ id: 2, method: 'session/prompt' });
    await scenario.promptAndWait('two', async () => {
      await scenario.shows('On it.');
      expect(scenario.session.state.phase).toBe('running');
      scenario.session.cancel();
    });
    expect(scenario.chat.at(-1)).toBe('· Stopped.');
  });

  it('cannot end a turn that does not run', async ({ harness }) => {
    const scenario = playSteps(
      harness,
      { expect: 'session/new', reply: { sessionId: 's1' }, after: [isOver, isOver, speech('Ready.')] },
      turn(speech('Hello.')),
    );
    await scenario.shows('Ready.');
    await scenario.promptAndWait();
    expect(scenario.chat.at(-1)).toBe('Hello.');
  });
});
