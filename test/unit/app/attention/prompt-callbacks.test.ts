import { describe, expect, it } from 'vitest';
import { PromptCallbacks } from '../../../../src/app/attention/prompt-callbacks.ts';

function someCallbacks() {
  const done: (readonly [number, unknown])[] = [];
  const callbacks = new PromptCallbacks({
    done: (id, { stop_reason }) => done.push([id, stop_reason]),
    answer: () => 'said',
  });
  return { callbacks, done };
}

describe('the callback of a prompt', () => {
  it('gets the end of its own turn', () => {
    const { callbacks, done } = someCallbacks();
    callbacks.add(1, 'one');
    callbacks.add(2, 'two');
    callbacks.turnStarted('something else');
    callbacks.turnEnded(false)({ stop_reason: 'end_turn' });
    expect(done).toEqual([]);
    callbacks.turnStarted('one');
    const finish = callbacks.turnEnded(false);
    callbacks.turnStarted('two');
    finish({ stop_reason: 'end_turn' });
    expect(done).toEqual([[1, 'end_turn']]);
    callbacks.turnEnded(true)({ stop_reason: 'cancelled' });
    expect(done).toEqual([
      [1, 'end_turn'],
      [2, 'cancelled'],
    ]);
  });

  it('gets the end of the turn that its prompt was sent into', () => {
    const { callbacks, done } = someCallbacks();
    callbacks.add(1, 'one');
    callbacks.add(2, 'two');
    callbacks.turnStarted('one');
    callbacks.injected('two');
    callbacks.turnEnded(true)({ stop_reason: 'end_turn' });
    expect(done).toEqual([1, 2].map((id) => [id, 'end_turn']));
  });

  it('is told when the prompt goes back to the user or vanishes from the queue', () => {
    const { callbacks, done } = someCallbacks();
    callbacks.add(1, 'one');
    callbacks.add(2, 'two');
    callbacks.add(3, 'three');
    callbacks.giveUp(['zero', 'one']);
    callbacks.giveUp(['two']);
    callbacks.turnEnded(true);
    expect(done).toEqual([1, 2, 3].map((id) => [id, 'not_sent']));
  });

  it('waits for the next turn of a prompt that needed a login', () => {
    const { callbacks, done } = someCallbacks();
    callbacks.add(1, 'one');
    callbacks.turnStarted('one');
    callbacks.turnPaused();
    expect(done).toEqual([]);
    callbacks.turnStarted('one');
    callbacks.turnEnded(true)({ stop_reason: 'end_turn' });
    expect(done).toEqual([[1, 'end_turn']]);
  });
});
