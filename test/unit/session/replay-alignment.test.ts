import { describe, expect, it } from 'vitest';
import { emptySession } from '../../../src/model/session.ts';
import type { AgentEvent } from '../../../src/model/session-events.ts';
import { reduce } from '../../../src/session/reducer/reducer.ts';
import { eventsNotShown } from '../../../src/session/replay-alignment.ts';
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

describe('eventsNotShown of a replayed session', () => {
  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['is empty if the chat shows everything', ['a', 'b'], ['a', 'b'], []],
    ['is what follows the shown turns', ['a', 'b'], ['a', 'b', 'c', 'd'], ['c', 'd']],
    [
      'contains a repeated prompt that the chat shows only once',
      ['a', 'go on'],
      ['a', 'go on', 'go on'],
      ['go on'],
    ],
    ['is what follows if the agent dropped a prompt', ['a', 'b', 'c'], ['a', 'c', 'd'], ['d']],
    ['is what follows if the agent compacted the beginning', ['a', 'b', 'c'], ['summary', 'c', 'd'], ['d']],
    ['is empty if the agent compacted everything', ['a', 'b', 'c'], ['summary'], []],
    ['leaves out reworded prompts that the chat shows', ['a', 'b', 'c'], ['a', 'B!', 'C!'], []],
    ['is what follows reworded prompts that the chat shows', ['a', 'b', 'c'], ['a', 'B!', 'C!', 'd'], ['d']],
    ['is everything for an empty chat', [], ['a'], ['a']],
  ])('%s', (_, known, replayed, expected) => {
    expect(promptsIn(eventsNotShown(entriesOf(known), replayed.flatMap(turn)))).toEqual(expected);
  });

  it('compares prompts regardless of whitespace and chunks', () => {
    const replayed = [aChunk(' a ', 'user'), aChunk('long\n', 'user'), aChunk('x'), ...turn('new')];
    expect(promptsIn(eventsNotShown(entriesOf(['a long']), replayed))).toEqual(['new']);
  });

  const link = { kind: 'link', start: 0, end: 0, uri: 'file:///a.ts', name: 'a.ts' } as const;
  const echo = { kind: 'attachment', role: 'user', attachment: link } as const;

  it.each<[string, readonly AgentEvent[]]>([
    ['with its names', [aChunk('fix buffers', 'user'), echo, echo, aChunk(' now', 'user')]],
    ['as earlier versions have sent it', [aChunk('fix ', 'user'), echo, echo, aChunk(' now', 'user')]],
    [
      'with its attachments as text',
      [
        aChunk('fix buffers', 'user'),
        aChunk('\n```1.ts\none\n```\n\n````2.ts\n```\ntwo\n````\n', 'user'),
        aChunk(' now', 'user'),
      ],
    ],
  ])('knows a prompt with mentions %s', (_, prompt) => {
    const state = emptySession('tester', 0);
    const attachments = [1, 2].map((id) => ({ ...link, start: 4, end: 12, uri: `file:///${id}.ts` }));
    reduce(state, { kind: 'turn_started', text: 'fix @buffers now', attachments }, 1);
    reduce(state, aChunk('done'), 2);
    reduce(state, { kind: 'turn_ended', stopReason: 'end_turn' }, 3);
    const replayed = [...turn('another'), ...prompt, aChunk('done'), echo, ...turn('new')];
    expect(eventsNotShown(state.entries, replayed)).toEqual([echo, ...turn('new')]);
  });

  it('is empty for unanswered prompts that are replayed as one', () => {
    expect(eventsNotShown(entriesOf(['a', 'b', 'c']), [...turn('a'), ...turn('bc')])).toEqual([]);
  });

  it('contains the missing answer to the last prompt', () => {
    const state = emptySession('tester', 0);
    reduce(state, { kind: 'turn_started', text: 'a' }, 1);
    reduce(state, { kind: 'agent_gone', notice: aNotice() }, 2);
    const [, ...answer] = turn('a');
    expect(eventsNotShown(state.entries, turn('a'))).toEqual(answer);
    expect(eventsNotShown(state.entries, [...turn('a'), ...turn('b')])).toEqual([...answer, ...turn('b')]);
  });

  it('contains the tool calls of a new turn', () => {
    const news = [...turn('new'), aToolCall({ status: 'done' })];
    expect(eventsNotShown(entriesOf(['a']), [...turn('a'), aToolCall(), ...news])).toEqual(news);
  });
});
