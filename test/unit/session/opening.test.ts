import { expect, it } from 'vitest';
import { historyOf } from '../../../src/session/opening.ts';
import { aChunk, aNotice, aQuestion, aToolCall } from '../../support/builders.ts';

it('makes of what was written down what an agent would tell again', () => {
  const events = [
    { kind: 'agent_starting' },
    { kind: 'turn_started', text: 'go' },
    aChunk('an answer'),
    aToolCall(),
    { kind: 'question_asked', question: aQuestion() },
    aNotice(),
    { kind: 'turn_ended', stopReason: 'end_turn' },
    { kind: 'agent_gone' },
  ] as const;
  expect(historyOf(events.map((event) => ({ at: 1, event })))).toEqual([
    aChunk('go', 'user'),
    aChunk('an answer'),
    aToolCall(),
    aNotice(),
  ]);
});
