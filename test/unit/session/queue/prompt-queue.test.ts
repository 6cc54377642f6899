import { describe, expect, it } from 'vitest';
import { type QueuedPrompt, textPrompt } from '../../../../src/model/prompt.ts';
import {
  edited,
  held,
  isPaused,
  movedToFront,
  released,
  withdrawn,
} from '../../../../src/session/queue/prompt-queue.ts';
import { fc } from '../../../support/property.ts';

const queueOf = (...texts: readonly string[]) => texts.map((text) => textPrompt(text));
const textsOf = (queue: readonly QueuedPrompt[] | undefined) => queue?.map(({ text }) => text);

describe('an edited queue', () => {
  it.each<[string, { base: string; texts: string; now: string }, string]>([
    ['is as the user wrote it', { base: 'a b c', texts: 'c a', now: 'a b c' }, 'c a'],
    ['has changed and new prompts', { base: 'a b', texts: 'x b y', now: 'a b' }, 'x b y'],
    ['is empty when all were removed', { base: 'a b', texts: '', now: 'a b' }, ''],
    ['is without what was sent meanwhile', { base: 'a b c', texts: 'b a c', now: 'b c' }, 'b c'],
    ['keeps the changed text of a prompt that was sent', { base: 'a b', texts: 'x b', now: 'b' }, 'x b'],
    ['has what was queued meanwhile at its end', { base: 'a b', texts: 'b a', now: 'a b c' }, 'b a c'],
    ['has prompts with the same text as often', { base: 'a a', texts: 'a a a', now: 'a a' }, 'a a a'],
    ['loses one of two with the same text', { base: 'a a', texts: 'a', now: 'a a' }, 'a'],
  ])('%s', (_, { base, texts, now }, expected) => {
    const words = (text: string) => text.split(' ').filter((word) => word !== '');
    expect(textsOf(edited(queueOf(...words(now)), words(base), words(texts)))).toEqual(words(expected));
  });

  it('keeps the attachments of unchanged prompts, and has those of others looked up', () => {
    const attachment = { kind: 'file', start: 0, end: 2, uri: 'file:///a', name: 'a' } as const;
    const known = { text: '\n@a\n', attachments: [attachment] };
    expect(edited([known, textPrompt('@b')], ['@a', '@b'], ['@c', '@a'])).toEqual([
      { ...textPrompt('@c', expect.any(String)), isUnresolved: true },
      known,
    ]);
  });

  it('stays paused', () => {
    const queue = edited(held(queueOf('a', 'b')), ['a', 'b'], ['b', 'x']);
    expect(queue.map(({ isHeld }) => isHeld)).toEqual([true, true]);
  });

  it('keeps a prompt that is being offered to the running turn', () => {
    const offered = { ...textPrompt('a'), isOffered: true } as const;
    expect(edited([offered, textPrompt('b')], ['b'], [])).toEqual([offered]);
    expect(textsOf(edited([offered], [], ['a']))).toEqual(['a', 'a']);
  });

  it('has every text that the user wrote and that was not sent', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 6 });
    fc.assert(
      fc.property(texts, texts, texts, (base, written, now) => {
        const result = textsOf(edited(queueOf(...now), base, written))!;
        for (const text of new Set(written)) {
          if (!base.includes(text) || now.includes(text)) expect(result).toContain(text);
        }
        for (const text of now) if (!base.includes(text)) expect(result).toContain(text);
      }),
    );
  });
});

describe('a queue', () => {
  it('is paused while one of its prompts is held', () => {
    const queue = held(queueOf('a', 'b'));
    expect(isPaused(queue)).toBe(true);
    expect(isPaused(released(queue))).toBe(false);
    expect(released(queue)).toEqual(queueOf('a', 'b'));
  });

  it('sends a prompt first, and only that one, when it is moved to the front', () => {
    const queue = movedToFront(held(queueOf('a', 'b', 'c')), 'b');
    expect(queue?.map(({ text, isHeld }) => [text, isHeld])).toEqual([
      ['b', undefined],
      ['a', true],
      ['c', true],
    ]);
    expect(movedToFront(queueOf('a'), 'b')).toBeUndefined();
  });

  it('has a prompt that the running turn did not take', () => {
    const queue = [textPrompt('a'), { ...textPrompt('a'), isOffered: true } as const];
    expect(withdrawn(queue, textPrompt('a'), false)).toEqual(queueOf('a', 'a'));
    expect(withdrawn(queue, textPrompt('a'), true)[1]).toEqual({ ...textPrompt('a'), isHeld: true });
  });
});
