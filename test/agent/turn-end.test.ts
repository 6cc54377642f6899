import { describe, expect } from 'vitest';
import { it } from '../support/agent-it.ts';
import { call, done, speech, stage, turn } from '../support/stage.ts';

const isOver = { method: 'session/end_turn', params: { sessionId: 's1' } };

describe.concurrent('an agent that says that its turn is over', () => {
  it('ends the turn by that when it never answers', async ({ workshop }) => {
    const played = stage(
      workshop,
      { expect: 'session/prompt', say: [call('c1', { title: 'Bake it' }), speech('Baked.'), isOver] },
      turn(speech('Again.')),
    );
    await played.prompt('one');
    expect(played.tools).toMatchObject([{ status: 'cancelled' }]);
    await played.prompt('two');
    expect(played.lines().at(-1)).toBe('Again.');
  });

  it('gives the reason with the answer that follows', async ({ workshop }) => {
    const played = stage(workshop, {
      expect: 'session/prompt',
      say: [speech('Half'), isOver],
      reply: { stopReason: 'max_tokens' },
    });
    await played.prompt();
    expect(played.lines().at(-1)).toBe('! The answer was cut: the token limit is reached.');
  });

  it('may answer in the middle of the next turn, and that one goes on', async ({ workshop }) => {
    const played = stage(
      workshop,
      { expect: 'session/prompt', say: [speech('Baked.'), isOver] },
      { expect: 'session/prompt', say: [{ id: 2, result: done } as never, speech('On it.')] },
      { expect: 'session/cancel', to: 'session/prompt', reply: { stopReason: 'cancelled' } },
    );
    await played.prompt('one');
    expect(workshop.sent.at(-1)).toMatchObject({ id: 2, method: 'session/prompt' });
    await played.prompt('two', async () => {
      await played.shows('On it.');
      expect(played.session.state.phase).toBe('running');
      played.session.cancel();
    });
    expect(played.lines().at(-1)).toBe('· Stopped.');
  });

  it('is not believed about a turn that does not run', async ({ workshop }) => {
    const played = stage(
      workshop,
      { expect: 'session/new', reply: { sessionId: 's1' }, after: [isOver, isOver, speech('Ready.')] },
      turn(speech('Hello.')),
    );
    await played.shows('Ready.');
    await played.prompt();
    expect(played.lines().at(-1)).toBe('Hello.');
  });
});
