import { describe, expect, it } from 'vitest';
import type { QuestionEntry } from '../../../../src/model/entries.ts';
import type { ElicitationOutcome } from '../../../../src/model/form.ts';
import type { FormAction } from '../../../../src/model/form-progress.ts';
import { textPrompt } from '../../../../src/model/prompt.ts';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { Session } from '../../../../src/session/session.ts';
import { anAgentSpec, aPermission } from '../../../support/builders.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { settle } from '../../../support/doubles/deferred.ts';
import { LauncherDouble } from '../../../support/doubles/link.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { aForm, aFormRequest, aPageRequest } from '../../../support/forms.ts';
import { shortOrLong } from '../../../support/long.ts';
import { choose } from '../../../support/nvim/choose.ts';
import { fc } from '../../../support/property.ts';

async function aBusySession() {
  const launcher = new LauncherDouble();
  const events: SessionEvent[] = [];
  const session = new Session(
    anAgentSpec(),
    { launcher, clock: new ManualClock(), log: new LogDouble() },
    {
      onChange: (event) => events.push(event),
      onTerminalLogin: () => undefined,
      onPromptReturned: () => undefined,
    },
  );
  session.start();
  await launcher.last.becomeReady();
  session.send(textPrompt('go'));
  return { session, launcher, events, link: launcher.last };
}

const lastQuestion = (session: Session) =>
  session.state.entries.findLast((entry): entry is QuestionEntry => entry.kind === 'question')!;

/** Does to the form what fits where it stands. */
function act(session: Session, ...acts: readonly FormAction[]): void {
  for (const one of acts)
    session.questions.applyFormAction(1, lastQuestion(session).formProgress?.revision ?? 0, one);
}

describe('a form question', () => {
  it('is settled with the answers of the user', async () => {
    const { session } = await aBusySession();
    const outcome = session.elicit(aFormRequest());
    act(session, { kind: 'type', text: 'Ada' }, { kind: 'send' });
    expect(await outcome).toEqual({ action: 'accept', answers: new Map([['name', 'Ada']]) });
    expect(lastQuestion(session).answer).toBe('Ada');
    expect(session.state.questions).toEqual([]);
  });

  it.each<[string, (parts: Awaited<ReturnType<typeof aBusySession>>) => unknown, string]>([
    ['the user declines', ({ session }) => act(session, { kind: 'decline' }), 'declined'],
    ['the user cancels it', ({ session }) => act(session, { kind: 'cancel' }), 'cancelled'],
    ['the turn is cancelled', ({ session }) => session.cancel(), 'cancelled'],
    ['the turn ends', ({ link }) => link.turns[0]?.resolve('end_turn'), 'cancelled'],
    ['the turn fails', ({ link }) => link.turns[0]?.reject(new Error('no')), 'cancelled'],
    ['the agent is restarted', ({ session }) => void session.restart(), 'cancelled'],
    ['the chat is closed', ({ session }) => session.dispose(), 'cancelled'],
  ])('is settled when %s', async (_, happen, answer) => {
    const parts = await aBusySession();
    const outcome = parts.session.elicit(aFormRequest());
    happen(parts);
    expect(await outcome).toEqual({ action: answer === 'declined' ? 'decline' : 'cancel' });
    expect(lastQuestion(parts.session).answer).toBe(answer);
  });

  it('is settled when the agent withdraws it', async () => {
    const { session } = await aBusySession();
    const withdrawal = new AbortController();
    const outcome = session.elicit(aFormRequest(undefined, { withdrawn: withdrawal.signal }));
    withdrawal.abort();
    expect(await outcome).toEqual({ action: 'cancel' });
    expect(lastQuestion(session).answer).toBe('withdrawn');
  });

  it('is cancelled without being shown while the turn is being cancelled', async () => {
    const { session } = await aBusySession();
    session.cancel();
    expect(await session.elicit(aFormRequest())).toEqual({ action: 'cancel' });
    expect(session.state.entries.some(({ kind }) => kind === 'question')).toBe(false);
  });

  it('ignores actions for an earlier step', async () => {
    const { session } = await aBusySession();
    void session.elicit(aFormRequest(aForm({ a: { type: 'string' }, b: { type: 'string' } })));
    session.questions.applyFormAction(1, 0, { kind: 'type', text: 'one' });
    session.questions.applyFormAction(1, 0, { kind: 'type', text: 'again' });
    expect([...(lastQuestion(session).formProgress?.answers ?? [])]).toEqual([['a', 'one']]);
  });

  it('is not settled by an option, nor is a permission by a form', async () => {
    const { session } = await aBusySession();
    void session.elicit(aFormRequest());
    void session.ask(aPermission());
    choose(session, 1, 'yes');
    session.questions.applyFormAction(2, 0, { kind: 'decline' });
    session.questions.answerPage(2, { action: 'accept' });
    expect(session.state.questions).toHaveLength(2);
  });

  it('shows the answers but masks secrets', async () => {
    const { session, events } = await aBusySession();
    const form = aForm({ who: { type: 'string', title: 'Who' }, key: { type: 'string', title: 'API key' } });
    void session.elicit(aFormRequest(form));
    act(session, { kind: 'type', text: 'Ada' }, { kind: 'type', text: 'hunter2' }, { kind: 'send' });
    const told = events.filter(({ kind }) => kind !== 'form_filled');
    const answer = 'Who: Ada, API key: ••••';
    expect(told.at(-1)).toEqual({ kind: 'question_settled', questionId: 1, answer });
    expect(JSON.stringify(told)).not.toContain('hunter2');
  });
});

describe('a page question', () => {
  it('is awaited until the agent reports that the page is done', async () => {
    const { session } = await aBusySession();
    const outcome = session.elicit(aPageRequest());
    session.questions.answerPage(1, { action: 'accept' }, 'opened');
    expect(await outcome).toEqual({ action: 'accept' });
    const entry = lastQuestion(session);
    expect(entry).toMatchObject({ answer: 'opened', isAwaited: true });
    session.report({ kind: 'page_done', pageId: 'another' });
    expect(entry.isAwaited).toBe(true);
    session.report({ kind: 'page_done', pageId: 'page-1' });
    expect(entry).toMatchObject({ answer: 'done', isAwaited: false });
  });

  it('is settled if the agent reports that the page is done before the answer', async () => {
    const { session } = await aBusySession();
    const outcome = session.elicit(aPageRequest());
    session.report({ kind: 'page_done', pageId: 'page-1' });
    expect(await outcome).toEqual({ action: 'accept' });
    expect(lastQuestion(session)).toMatchObject({ answer: 'done', isAwaited: false });
  });

  it('is not awaited after the user declined it', async () => {
    const { session } = await aBusySession();
    const outcome = session.elicit(aPageRequest());
    session.questions.answerPage(1, { action: 'decline' });
    expect(await outcome).toEqual({ action: 'decline' });
    expect(lastQuestion(session)).toMatchObject({ answer: 'declined', isAwaited: false });
  });

  it('stays awaited after the turn, until the agent is gone', async () => {
    const { session, link } = await aBusySession();
    void session.elicit(aPageRequest());
    session.questions.answerPage(1, { action: 'accept' }, 'opened');
    link.turns[0]?.resolve('end_turn');
    await settle();
    expect(lastQuestion(session).isAwaited).toBe(true);
    session.dispose();
    expect(lastQuestion(session)).toMatchObject({ answer: 'opened', isAwaited: false });
  });
});

it('every elicitation gets exactly one answer in any order of events', async () => {
  const form = aForm(
    {
      name: { type: 'string', minLength: 2 },
      list: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1 },
      sure: { type: 'boolean' },
    },
    ['name', 'list'],
  );
  const acts: fc.Arbitrary<FormAction> = fc.oneof(
    fc.constantFrom('', 'A', 'Ada').map((text) => ({ kind: 'type', text }) as const),
    fc.constantFrom(true, 'a').map((value) => ({ kind: 'choose', value }) as const),
    fc.constantFrom('a', 'b', 'c').map((value) => ({ kind: 'toggle', value }) as const),
    fc.constantFrom('name', 'list', 'x').map((name) => ({ kind: 'edit', name }) as const),
    fc
      .constantFrom('skip', 'done', 'close', 'send', 'decline', 'cancel')
      .map((kind) => ({ kind }) as FormAction),
  );
  const steps = fc.oneof(
    {
      arbitrary: fc.tuple(fc.constant('act'), fc.integer({ min: 1, max: 3 }), acts, fc.boolean()),
      weight: 9,
    },
    { arbitrary: fc.tuple(fc.constantFrom('withdraw', 'done', 'stop', 'end')), weight: 1 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 40, size: 'max' }), async (path) => {
      const { session, link } = await aBusySession();
      const withdrawal = new AbortController();
      const answers: ElicitationOutcome[][] = [[], [], []];
      const requests = [
        aFormRequest(form, { withdrawn: withdrawal.signal }),
        aPageRequest(),
        aFormRequest(form),
      ];
      requests.forEach((request, index) => {
        void session.elicit(request).then((outcome) => answers[index]!.push(outcome));
      });
      for (const [what, id = 0, step, isStale] of path) {
        const entry = session.state.questions.find(({ question }) => question.id === id);
        const turn = (entry?.formProgress?.revision ?? 0) - (isStale ? 1 : 0);
        if (what === 'act' && step) session.questions.applyFormAction(id, turn, step);
        else if (what === 'withdraw') withdrawal.abort();
        else if (what === 'done') session.report({ kind: 'page_done', pageId: 'page-1' });
        else if (what === 'stop') session.cancel();
        else link.turns[0]?.resolve('end_turn');
      }
      session.dispose();
      await settle();
      expect(answers.map(({ length }) => length)).toEqual([1, 1, 1]);
      expect(session.state.questions).toEqual([]);
    }),
    { numRuns: shortOrLong(50, 200) },
  );
});
