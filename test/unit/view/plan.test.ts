import { expect, it } from 'vitest';
import type { SessionEvent } from '../../../src/session/events.ts';
import { PlanView, planViewLines } from '../../../src/view/plan.ts';
import { aChunk, aSession } from '../../support/builders.ts';

const aPlan = (...texts: readonly string[]): SessionEvent => ({
  kind: 'plan',
  items: texts.map((text) => ({ text, status: 'pending' })),
});
const named = (planId: string, ...texts: readonly string[]) =>
  ({ ...aPlan(...texts), planId }) as SessionEvent;
const aTurn = (text: string): SessionEvent => ({ kind: 'turn_started', text });
const textOf = (...events: readonly SessionEvent[]) =>
  planViewLines(aSession(...events)).map(({ text }) => text);

it.each<[string, readonly SessionEvent[], readonly string[]]>([
  ['that there is none', [aTurn('go')], ['There is no plan yet.']],
  ['the one there is', [aTurn('go'), aPlan('a', 'b')], ['Plan 0/2', '  ○ a', '  ○ b']],
  [
    'the one of the last turn that had one',
    [aTurn('go'), aPlan('a'), aTurn('on'), aPlan('b'), aTurn('thanks'), aChunk('fine')],
    ['Plan 0/1', '  ○ b'],
  ],
  ['that one was taken back', [aTurn('go'), aPlan('a'), aPlan()], ['There is no plan yet.']],
  [
    'those with names that are left',
    [aTurn('go'), named('p', 'a'), named('q', 'b'), named('r', 'c'), named('q')],
    ['Plan 0/1', '  ○ a', '', 'Plan 0/1', '  ○ c'],
  ],
])('shows %s', (_, events, lines) => {
  expect(textOf(...events)).toEqual(lines);
});

it('draws what has changed, and nothing when nothing has', () => {
  const state = aSession(aTurn('go'), aPlan('a'));
  const view = new PlanView(state, 7);
  expect(view.frame()).toMatchObject({
    chat: 7,
    part: 'plan',
    blocks: 1,
    patches: [{ op: 'reset' }, { op: 'new' }],
  });
  expect(view.frame()).toBeUndefined();
  view.reset();
  expect(view.frame()?.patches).toHaveLength(2);
});
