import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/session/events.ts';
import { emptySession } from '../../../src/session/model.ts';
import { newsIn } from '../../../src/session/news.ts';
import { reduce } from '../../../src/session/reducer.ts';
import { aChunk, aNotice, aToolCall } from '../../support/builders.ts';

/** A chat in which these prompts were answered. */
function entriesOf(prompts: readonly string[]) {
  const state = emptySession('tester', 0);
  for (const text of prompts) {
    reduce(state, { kind: 'turn_started', text }, 1);
    reduce(state, aChunk(`answer to ${text}`), 2);
    reduce(state, { kind: 'turn_ended', stopReason: 'end_turn' }, 3);
  }
  return state.entries;
}

const turn = (prompt: string): readonly AgentEvent[] => [
  aChunk(prompt, 'user'),
  aChunk(`answer to ${prompt}`),
];
const promptsIn = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.kind === 'chunk' && event.role === 'user' ? [event.text] : []));

describe('of a conversation that is told again, news', () => {
  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['is nothing of what is known', ['a', 'b'], ['a', 'b'], []],
    ['is what follows', ['a', 'b'], ['a', 'b', 'c', 'd'], ['c', 'd']],
    ['is a prompt that was known once and is told twice', ['a', 'go on'], ['a', 'go on', 'go on'], ['go on']],
    ['is what follows a prompt the agent forgot', ['a', 'b', 'c'], ['a', 'c', 'd'], ['d']],
    ['is what follows where the beginning was shortened', ['a', 'b', 'c'], ['summary', 'c', 'd'], ['d']],
    ['is nothing where all was shortened', ['a', 'b', 'c'], ['summary'], []],
    ['is no known prompt in other words', ['a', 'b', 'c'], ['a', 'B!', 'C!'], []],
    ['is what follows known prompts in other words', ['a', 'b', 'c'], ['a', 'B!', 'C!', 'd'], ['d']],
    ['is all where nothing is known', [], ['a'], ['a']],
  ])('%s', (_, known, told, expected) => {
    expect(promptsIn(newsIn(entriesOf(known), told.flatMap(turn)))).toEqual(expected);
  });

  it('is told by text whatever the blanks and the pieces of it are', () => {
    const told = [aChunk(' a ', 'user'), aChunk('long\n', 'user'), aChunk('x'), ...turn('new')];
    expect(promptsIn(newsIn(entriesOf(['a long']), told))).toEqual(['new']);
  });

  it('is nothing of prompts that were never answered and are told as one', () => {
    expect(newsIn(entriesOf(['a', 'b', 'c']), [...turn('a'), ...turn('bc')])).toEqual([]);
  });

  it('is the answer to a prompt that is known without one', () => {
    const state = emptySession('tester', 0);
    reduce(state, { kind: 'turn_started', text: 'a' }, 1);
    reduce(state, { kind: 'agent_gone', notice: aNotice() }, 2);
    const [, ...answer] = turn('a');
    expect(newsIn(state.entries, turn('a'))).toEqual(answer);
    expect(newsIn(state.entries, [...turn('a'), ...turn('b')])).toEqual([...answer, ...turn('b')]);
  });

  it('comes with all that belongs to it', () => {
    const news = [...turn('new'), aToolCall({ status: 'done' })];
    expect(newsIn(entriesOf(['a']), [...turn('a'), aToolCall(), ...news])).toEqual(news);
  });
});
