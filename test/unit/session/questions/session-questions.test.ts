import { describe, expect, it } from 'vitest';
import type { QuestionEntry, QuestionOption } from '../../../../src/model/entries.ts';
import type { FormAction } from '../../../../src/model/form-progress.ts';
import { emptySession } from '../../../../src/model/session.ts';
import type { Verdict } from '../../../../src/ports/permissions.ts';
import type { Conflict } from '../../../../src/ports/workspace.ts';
import { SessionQuestions } from '../../../../src/session/questions/session-questions.ts';
import { aPermission, aToolCall, aToolPatch, permissionOptions } from '../../../support/builders.ts';
import { settle } from '../../../support/doubles/deferred.ts';
import { aFormRequest, aPageRequest } from '../../../support/forms.ts';
import { someQuestions } from '../../../support/session-questions.ts';
import { aRun } from '../../../support/workspace/terminals.ts';

const [allow, always, reject] = permissionOptions as [QuestionOption, QuestionOption, QuestionOption];
const run = { ...aRun('sh', '-c', 'rm -rf build'), cwd: '/work' };
const outside = { kind: 'edit', paths: ['/etc/hosts'] } as const;

type Parts = ReturnType<typeof someQuestions>;

const titles = ({ state }: Parts) => state.questions.map(({ tool }) => tool?.title);
const decisions = ({ events }: Parts) => events.filter(({ kind }) => kind === 'call_decided');
const lastQuestion = ({ state }: Parts) =>
  state.entries.findLast((entry): entry is QuestionEntry => entry.kind === 'question');

function underRule(verdict: Verdict): Parts {
  const parts = someQuestions();
  parts.policy.verdict = verdict;
  return parts;
}

describe('a rule about a permission', () => {
  it.each<[Verdict, string, boolean]>([
    ['allow', 'yes', true],
    ['deny', 'no', false],
  ])('with the verdict %s answers for the user', async (verdict, optionId, mayRun) => {
    const parts = underRule(verdict);
    expect(await parts.questions.askPermission(aPermission())).toBe(optionId);
    expect(lastQuestion(parts)).toBeUndefined();
    expect(decisions(parts)).toEqual([
      { kind: 'call_decided', toolCallId: 'call-1', verdict, reason: `the rule says ${verdict}` },
    ]);
    expect(parts.questions.allowed.consume(run)).toBe(mayRun);
    expect(parts.policy.answers).toEqual([]);
  });

  it('is told what it can choose, and what the call does', async () => {
    const parts = underRule('allow');
    parts.state.allowsAll = true;
    await parts.questions.askPermission(aPermission());
    const action = { chat: 1, agent: 'tester', commands: ['rm -rf build'], cwd: '/work', allowsAll: true };
    expect(parts.policy.decided).toMatchObject([{ action, offers: { allow: true, deny: true } }]);
  });

  it.each<[string, Verdict, readonly QuestionOption[]]>([
    ['there are two such options', 'allow', [allow, { ...allow, id: 'other' }, reject]],
    ['the id of the option is that of another one', 'allow', [allow, { ...reject, id: allow.id }]],
    ['the agent offers only its own "always"', 'allow', [always, reject]],
    ['nothing rejects', 'deny', [allow, always]],
    ['it asks', 'ask', permissionOptions],
    ['it asks, with one option', 'ask', [reject]],
  ])('leaves the question to the user if %s', async (_, verdict, options) => {
    const parts = underRule(verdict);
    void parts.questions.askPermission(aPermission({ options }));
    expect(titles(parts)).toEqual(['rm -rf build']);
    expect(decisions(parts)).toEqual([]);
    const isOffered = verdict === 'ask' && options.length > 1;
    expect(parts.policy.decided[0]?.offers?.allow).toBe(verdict === 'deny' || isOffered);
    expect(parts.questions.offers(1, verdict)).toBe(false);
  });

  it('is not asked while the turn is being cancelled', async () => {
    const parts = underRule('allow');
    parts.state.phase = 'cancelling';
    expect(await parts.questions.askPermission(aPermission())).toBeUndefined();
    expect(parts.policy.decided).toEqual([]);
    expect(lastQuestion(parts)).toBeUndefined();
  });

  it('is not needed', async () => {
    const parts = someQuestions({ hasRules: false });
    const answered = parts.questions.askPermission(aPermission());
    expect(parts.questions.actionOfQuestion(1)).toBeUndefined();
    expect(parts.questions.answerByRule(1)).toBe(false);
    expect(parts.questions.ruleAbout(outside)).toBeUndefined();
    parts.questions.choose(1, 0);
    expect(await answered).toBe('yes');
  });
});

describe('the commands of a question', () => {
  it.each([
    ['allowed once', 0, true],
    ['always allowed', 1, true],
    ['rejected', 2, false],
  ])('that is %s: they may run is %s', async (_, index, mayRun) => {
    const { questions } = someQuestions();
    const answered = questions.askPermission(aPermission());
    questions.choose(1, index);
    await answered;
    expect(questions.allowed.consume(run)).toBe(mayRun);
  });

  it('may not run if the question was cancelled', async () => {
    const { questions } = someQuestions();
    const answered = questions.askPermission(aPermission());
    questions.cancelAll();
    expect(await answered).toBeUndefined();
    expect(questions.allowed.isWaiting).toBe(false);
  });

  it('may not run if an option that does not allow has the chosen id too', async () => {
    const { questions } = someQuestions();
    const options = [allow, { id: allow.id, name: 'Maybe', kind: 'other' }] as const;
    const answered = questions.askPermission(aPermission({ options }));
    questions.choose(1, 0);
    expect(await answered).toBe('yes');
    expect(questions.allowed.isWaiting).toBe(false);
  });

  it('may not run if the agent changed the call while the user read it', async () => {
    const { questions, apply } = someQuestions();
    const answered = questions.askPermission(aPermission());
    apply(aToolCall({ title: 'rm -rf /' }));
    questions.choose(1, 0);
    await answered;
    expect(questions.allowed.isWaiting).toBe(false);
  });

  it('may no longer run when the turn is cancelled', async () => {
    const { questions } = someQuestions();
    const answered = questions.askPermission(aPermission());
    questions.choose(1, 0);
    await answered;
    expect(questions.allowed.isWaiting).toBe(true);
    questions.cancelAll();
    expect(questions.allowed.isWaiting).toBe(false);
    expect(questions.cancelCount).toBe(1);
  });

  it('run in the root unless a folder is given', async () => {
    const state = emptySession('tester', 0);
    const questions = new SessionQuestions(state, () => undefined);
    questions.allowed.add([{ command: 'ls', folder: undefined }]);
    expect(questions.allowed.consume({ command: 'ls', args: [], cwd: '/' })).toBe(true);
  });
});

describe('the record of an answer', () => {
  it('has the option, its kind, the action and what the rules said', async () => {
    const { questions, policy } = someQuestions();
    const answered = questions.askPermission(aPermission());
    questions.choose(1, 2);
    await answered;
    expect(policy.answers).toEqual(['Reject (reject_once)']);
    expect(policy.answered).toMatchObject([{ commands: ['rm -rf build'] }]);
    expect(policy.decisions).toMatchObject([{ verdict: 'ask' }]);
  });

  it('is that of its own question', async () => {
    const { questions, policy } = someQuestions();
    const other = aPermission({ tool: aToolPatch({ toolCallId: 'call-2', title: 'ls' }) });
    const answers = [questions.askPermission(aPermission()), questions.askPermission(other)];
    questions.choose(2, 1);
    questions.choose(1, 2);
    await Promise.all(answers);
    expect(policy.answers).toEqual(['Always allow (allow_always)', 'Reject (reject_once)']);
  });

  it('is not made of a question that was never asked', async () => {
    const { questions, policy, state } = someQuestions();
    state.phase = 'cancelling';
    await questions.askPermission(aPermission());
    expect(policy.answers).toEqual([]);
  });
});

describe('an open question', () => {
  it('is about what the call is now, until it is answered', async () => {
    const { questions, apply } = someQuestions();
    const answered = questions.askPermission(aPermission());
    apply(aToolCall({ title: 'make' }));
    expect(questions.actionOfQuestion(1)).toMatchObject({ commands: ['make'] });
    expect(questions.actionOfQuestion(2)).toBeUndefined();
    questions.choose(1, 0);
    await answered;
    expect(questions.actionOfQuestion(1)).toBeUndefined();
  });

  it('offers what a rule can choose, each of two its own', () => {
    const { questions } = someQuestions();
    void questions.askPermission(aPermission({ options: [allow, always] }));
    void questions.askPermission(aPermission({ options: [reject] }));
    const offers = [1, 2, 3].map((id) => [questions.offers(id, 'allow'), questions.offers(id, 'deny')]);
    expect(offers).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ]);
  });

  it.each<[Verdict, string, string, boolean]>([
    ['allow', 'yes', 'Allow once, by a rule', true],
    ['deny', 'no', 'Reject, by a rule', false],
  ])('is answered by a new rule with the verdict %s', async (verdict, optionId, answer, mayRun) => {
    const parts = someQuestions();
    const { questions, policy } = parts;
    const answered = questions.askPermission(aPermission());
    policy.verdict = verdict;
    expect(questions.answerByRule(1)).toBe(true);
    expect(await answered).toBe(optionId);
    expect(lastQuestion(parts)?.answer).toBe(answer);
    expect(decisions(parts)).toMatchObject([{ toolCallId: 'call-1', verdict }]);
    expect(questions.allowed.consume(run)).toBe(mayRun);
    expect(policy.decided.at(-1)?.offers).toEqual({ allow: true, deny: true });
    expect(policy.answers).toEqual([]);
  });

  it.each<[string, number, Verdict, readonly QuestionOption[]]>([
    ['another question is meant', 2, 'allow', permissionOptions],
    ['the rule asks', 1, 'ask', permissionOptions],
    ['the rule can choose no option', 1, 'allow', [always, reject]],
  ])('is not answered by a new rule if %s', (_, id, verdict, options) => {
    const parts = someQuestions();
    void parts.questions.askPermission(aPermission({ options }));
    parts.policy.verdict = verdict;
    expect(parts.questions.answerByRule(id)).toBe(false);
    expect(titles(parts)).toHaveLength(1);
    expect(decisions(parts)).toEqual([]);
  });

  it('is recorded as answered by the user after one that a rule has answered', async () => {
    const { questions, policy } = someQuestions();
    const answers = [aPermission(), aPermission()].map((request) => questions.askPermission(request));
    policy.verdict = 'allow';
    questions.answerByRule(1);
    questions.choose(2, 0);
    await Promise.all(answers);
    expect(policy.answers).toEqual(['Allow once (allow_once)']);
  });

  it('has the id that the chat begins with', () => {
    const state = emptySession('tester', 0);
    const asked: number[] = [];
    const questions = new SessionQuestions(
      state,
      (event) => {
        if (event.kind === 'question_asked') asked.push(event.question.id);
      },
      { firstQuestionId: 7 },
    );
    void questions.askPermission(aPermission());
    expect(asked).toEqual([7]);
  });
});

describe('what a service of the editor does', () => {
  it.each<[Verdict | undefined, number]>([
    ['deny', 1],
    ['allow', 0],
    ['ask', 0],
    [undefined, 0],
  ])('under a rule that says %s is recorded %s times', (ruled, times) => {
    const { questions, policy, state } = someQuestions();
    policy.ruled = ruled;
    state.allowsAll = true;
    expect(questions.ruleAbout(outside)).toBe(ruled);
    const action = {
      ...{ chat: 1, agent: 'tester', cwd: '/work', roots: ['/work'], allowsAll: true },
      ...{ kind: 'edit', commands: [], paths: ['/etc/hosts'], urls: [] },
    };
    expect(policy.decided.map((each) => each.action)).toEqual(Array<object>(times).fill(action));
  });
});

describe('a consent', () => {
  const wish = { kind: 'edit', subject: '/etc/hosts', action: { paths: ['/etc/hosts'] } } as const;

  it.each<[Verdict, boolean]>([
    ['allow', true],
    ['deny', false],
  ])('is decided by a rule that says %s', async (verdict, isAllowed) => {
    const parts = underRule(verdict);
    expect(await parts.questions.consent.request(wish)).toBe(isAllowed);
    expect(lastQuestion(parts)).toBeUndefined();
  });

  it('is recorded with the action and what the rules said', async () => {
    const { questions, policy } = someQuestions();
    const consented = questions.consent.request(wish);
    expect(questions.actionOfQuestion(1)).toMatchObject({ kind: 'edit', paths: ['/etc/hosts'], urls: [] });
    questions.choose(1, 0);
    expect(await consented).toBe(true);
    expect(policy.answers).toEqual(['Allow once (allow_once)']);
    expect(policy.answered).toMatchObject([{ kind: 'edit', paths: ['/etc/hosts'] }]);
    expect(policy.decisions).toMatchObject([{ verdict: 'ask' }]);
  });

  it('that was wanted before the questions were cancelled is cancelled', async () => {
    const parts = someQuestions();
    parts.questions.cancelAll();
    await expect(parts.questions.consent.request({ ...wish, since: 0 })).rejects.toThrow('was cancelled');
    void parts.questions.consent.request({ ...wish, since: 1 });
    expect(titles(parts)).toEqual(['/etc/hosts']);
  });

  it('needs no rules', async () => {
    const { questions, state } = someQuestions({ hasRules: false });
    const consented = questions.consent.request(wish);
    questions.choose(1, 1);
    expect(await consented).toBe(false);
    expect([...state.tools.values()]).toMatchObject([{ title: '/etc/hosts', status: 'failed' }]);
  });
});

describe('a conflict', () => {
  const conflict: Conflict = {
    ...{ path: '/work/a', cause: 'disk', ours: ['mine'], theirs: ['theirs'] },
    regions: [{ kind: 'conflict', ours: ['mine'], base: [], theirs: ['theirs'] }],
  };
  const { signal } = new AbortController();

  it('is settled with the lines of the merge window', async () => {
    const parts = someQuestions();
    const lines = parts.questions.conflicts.ask(conflict, signal);
    expect(titles(parts)).toEqual(['/work/a']);
    parts.questions.conflicts.resolveWithLines(1, ['both']);
    expect(await lines).toEqual(['both']);
    expect(lastQuestion(parts)?.answer).toBe('merged by hand');
  });

  it('is no permission: no rule is asked and nothing is recorded', async () => {
    const parts = underRule('allow');
    const lines = parts.questions.conflicts.ask(conflict, signal);
    expect(parts.questions.actionOfQuestion(1)).toBeUndefined();
    expect(parts.questions.answerByRule(1)).toBe(false);
    parts.questions.choose(1, 1);
    expect(await lines).toEqual(['theirs']);
    expect([...parts.policy.decided, ...parts.policy.answers]).toEqual([]);
  });

  it('with the disk is asked about and stays open while the turn is cancelled, until the chat is over', async () => {
    const parts = someQuestions();
    parts.state.phase = 'cancelling';
    const lines = parts.questions.conflicts.ask(conflict, signal);
    parts.questions.cancelAll();
    expect(titles(parts)).toEqual(['/work/a']);
    parts.questions.cancelAll(true);
    await expect(lines).rejects.toThrow('was cancelled');
  });

  it('with the agent is not asked about while the turn is cancelled', async () => {
    const parts = someQuestions();
    parts.state.phase = 'cancelling';
    const lines = parts.questions.conflicts.ask({ ...conflict, cause: 'agent' }, signal);
    await expect(lines).rejects.toThrow('was cancelled');
    expect(titles(parts)).toEqual([]);
  });
});

describe('one of two elicitations', () => {
  it('is answered, and the other stays open', async () => {
    const { questions, state } = someQuestions();
    const outcomes: unknown[] = [];
    for (const url of ['https://a', 'https://b'])
      void questions.elicit(aPageRequest(url)).then((outcome) => outcomes.push(outcome));
    questions.answerPage(2, { action: 'decline' });
    await settle();
    expect(outcomes).toEqual([{ action: 'decline' }]);
    expect(state.questions.map(({ question }) => question.id)).toEqual([1]);
  });

  it('is filled in, and the other stays empty', async () => {
    const parts = someQuestions();
    const [first, second] = [aFormRequest(), aFormRequest()].map((form) => parts.questions.elicit(form));
    const act = (action: FormAction) =>
      parts.questions.applyFormAction(2, parts.state.questions[1]!.formProgress?.revision ?? 0, action);
    act({ kind: 'type', text: 'Ada' });
    act({ kind: 'cancel' });
    expect(await second).toEqual({ action: 'cancel' });
    expect(lastQuestion(parts)?.answer).toBe('cancelled');
    expect([...(parts.state.questions[0]?.formProgress?.answers ?? [])]).toEqual([]);
    parts.questions.cancelAll();
    expect(await first).toEqual({ action: 'cancel' });
  });
});
