import { expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { PlanView, planViewLines } from '../../../../src/view/transcript/plan.ts';
import { aChunk, aSession } from '../../../support/builders.ts';

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
  ['that there is no plan', [aTurn('go')], ['There is no plan yet.']],
  ['the only plan', [aTurn('go'), aPlan('a', 'b')], ['Plan 0/2', '  ○ a', '  ○ b']],
  [
    'the plan of the last turn that had one',
    [aTurn('go'), aPlan('a'), aTurn('on'), aPlan('b'), aTurn('thanks'), aChunk('fine')],
    ['Plan 0/1', '  ○ b'],
  ],
  ['that the plan was removed', [aTurn('go'), aPlan('a'), aPlan()], ['There is no plan yet.']],
  [
    'the remaining named plans',
    [aTurn('go'), named('p', 'a'), named('q', 'b'), named('r', 'c'), named('q')],
    ['Plan 0/1', '  ○ a', '', 'Plan 0/1', '  ○ c'],
  ],
])('the plan window shows %s', (_, events, lines) => {
  expect(textOf(...events)).toEqual(lines);
});

it('the plan window draws only changes', () => {
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

it('the plan window has words instead of signs in plain mode', () => {
  const view = new PlanView(aSession(aTurn('go'), aPlan('a')), 7, () => true);
  expect(view.frame()?.patches).toMatchObject([{}, { lines: ['Plan 0/1', '  not started: a'] }]);
});
