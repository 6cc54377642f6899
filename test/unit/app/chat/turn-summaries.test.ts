import { describe, expect, it } from 'vitest';
import { TurnSummaries } from '../../../../src/app/chat/turn-summaries.ts';
import type { TurnSummary } from '../../../../src/model/entries.ts';
import { emptySession } from '../../../../src/model/session.ts';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { aQuestion } from '../../../support/builders.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';

type Step = SessionEvent | number;
type SummaryEvent = Extract<SessionEvent, { kind: 'turn_summary' }>;

const started: SessionEvent = { kind: 'turn_started', text: 'go' };
const ended: SessionEvent = { kind: 'turn_ended', stopReason: 'end_turn' };
const asked: SessionEvent = { kind: 'question_asked', question: aQuestion() };
const settled: SessionEvent = { kind: 'question_settled', questionId: aQuestion().id, answer: 'Yes' };
const cost = (amount: number, currency = 'USD'): SessionEvent => ({
  kind: 'usage',
  usage: { used: 1, size: 2, cost: { amount, currency } },
});
const twoFiles = [
  { added: 3, removed: 1 },
  { added: 1, removed: 0 },
];

/** The summary after these events and seconds. */
function summaryOf(
  steps: readonly Step[],
  files: readonly { added: number; removed: number }[],
): TurnSummary | undefined {
  const clock = new ManualClock();
  const state = emptySession('tester', clock.now());
  const added: TurnSummary[] = [];
  const summaries = new TurnSummaries({ state, clock, apply: ({ summary }) => void added.push(summary) });
  for (const step of steps) {
    if (typeof step === 'number') {
      clock.advance(step * 1_000);
      continue;
    }
    reduce(state, step, clock.now());
    summaries.follow(step);
  }
  summaries.add(files);
  summaries.add(files);
  expect(added.length).toBeLessThan(2);
  return added[0];
}

it('each of two turns has its summary, also if the second one begins before the first is compared', () => {
  const clock = new ManualClock();
  const state = emptySession('tester', clock.now());
  const added: string[] = [];
  const apply = ({ summary: { files, tokens }, isLate }: SummaryEvent) =>
    void added.push(`${files} files, ${tokens} tokens${isLate ? ', late' : ''}`);
  const summaries = new TurnSummaries({ state, clock, apply });
  const tokens = (count: number): SessionEvent => ({ kind: 'turn_tokens', tokens: count });
  const follow = (...events: readonly SessionEvent[]) => {
    for (const event of events) {
      reduce(state, event, clock.now());
      summaries.follow(event);
    }
  };
  follow(started, tokens(1), ended, started, tokens(2));
  summaries.add(twoFiles);
  follow(ended);
  summaries.add(twoFiles.slice(1));
  follow(started, tokens(3), ended, started, tokens(4), ended);
  summaries.add(twoFiles);
  summaries.add(twoFiles);
  summaries.add(twoFiles);
  expect(added).toEqual([
    '2 files, 1 tokens, late',
    '1 files, 2 tokens',
    '2 files, 3 tokens, late',
    '2 files, 4 tokens',
  ]);
});

describe('the summary of a turn', () => {
  it('adds up its files', () => {
    expect(summaryOf([started, 3, ended], twoFiles)).toEqual({
      ms: 3_000,
      cost: undefined,
      files: 2,
      added: 4,
      removed: 1,
    });
  });

  it('does not count the time that waited for the user', () => {
    const steps = [started, 2, asked, 60, settled, 3, ended];
    expect(summaryOf(steps, twoFiles)?.ms).toBe(5_000);
  });

  it.each<[string, Step[], TurnSummary['cost']]>([
    ['what the turn added', [cost(1), started, cost(1.5), ended], { amount: 0.5, currency: 'USD' }],
    ['of the first turn', [started, cost(0.25, 'EUR'), ended], { amount: 0.25, currency: 'EUR' }],
    ['nothing if nothing was added', [cost(1), started, cost(1), ended], undefined],
    ['nothing in another currency', [cost(1, 'EUR'), started, cost(2), ended], undefined],
  ])('has a cost: %s', (_, steps, expected) => {
    expect(summaryOf(steps, twoFiles)?.cost).toEqual(expected);
  });

  it.each(['cancelled', 'max_tokens', 'refusal'] as const)(
    'says that the turn was not finished: %s',
    (stopReason) => {
      const steps: Step[] = [started, 3, { kind: 'turn_ended', stopReason }];
      expect(summaryOf(steps, twoFiles)).toMatchObject({ isUnfinished: true, files: 2 });
    },
  );

  it('has the tokens that the agent reports for this turn', () => {
    const tokens: SessionEvent = { kind: 'turn_tokens', tokens: 900 };
    expect(summaryOf([started, tokens, ended], twoFiles)?.tokens).toBe(900);
  });

  it.each<[string, Step[], boolean]>([
    ['a short turn without changes', [started, 9, ended], false],
    ['a long turn without changes', [started, 11, ended], true],
    ['a turn that has not ended', [started, 11], false],
    ['a turn after which the next one has begun', [started, 11, ended, started], true],
    ['the end of no turn', [ended, 11, ended], false],
  ])('%s', (_, steps, isThere) => expect(summaryOf(steps, []) !== undefined).toBe(isThere));
});
