import { describe, expect, it } from 'vitest';
import { AcpError } from '../../../../src/base/errors.ts';
import type { Question } from '../../../../src/model/entries.ts';
import { QuestionQueue } from '../../../../src/session/questions/question-queue.ts';
import { aPermission } from '../../../support/builders.ts';
import { aFormRequest, aPageRequest } from '../../../support/forms.ts';

function someQuestions() {
  const settled: [number, string][] = [];
  const asked: Question[] = [];
  const questions = new QuestionQueue((id, answer) => settled.push([id, answer]), 1);
  const ask = (fields = {}) =>
    questions.askPermission(aPermission(fields), (question) => asked.push(question));
  return { questions, ask, asked, settled };
}

describe('an answer to a permission question', () => {
  it.each([
    [0, 'yes', 'Allow once'],
    [1, 'always', 'Always allow'],
    [2, 'no', 'Reject'],
  ])('at position %s settles it with the option %s', async (index, optionId, name) => {
    const { questions, ask, settled } = someQuestions();
    const answered = ask();
    expect(questions.choose(1, index)).toBe(true);
    expect(await answered).toBe(optionId);
    expect(settled).toEqual([[1, name]]);
  });

  it.each([3, -1, 0.5])('at the invalid position %s is ignored', (index) => {
    const { questions, ask, settled } = someQuestions();
    void ask();
    expect(questions.choose(1, index)).toBe(false);
    expect(settled).toEqual([]);
  });

  it.each<[string, number, string | undefined, string]>([
    ['the allowing option is sent', 0, 'same', 'Reject'],
    ['the ambiguous refusal is sent as cancelled', 1, undefined, 'Allow'],
    ['a neutral option is sent', 2, 'other', 'Maybe'],
    ['an ambiguous refusal with a neutral id is sent as cancelled', 3, undefined, 'No'],
  ])('with options that share an id: %s', async (_, index, optionId, name) => {
    const { questions, ask, settled } = someQuestions();
    const options = [
      { id: 'same', name: 'Reject', kind: 'allow_always' },
      { id: 'same', name: 'Allow', kind: 'reject_once' },
      { id: 'other', name: 'Maybe', kind: 'other' },
      { id: 'other', name: 'No', kind: 'reject_always' },
    ] as const;
    const answered = ask({ options });
    questions.choose(1, index);
    expect(await answered).toBe(optionId);
    expect(settled).toEqual([[1, name]]);
  });

  it('counts once', async () => {
    const { questions, ask, settled } = someQuestions();
    const answered = ask();
    questions.choose(1, 0);
    questions.choose(1, 2);
    questions.cancelAll();
    expect(await answered).toBe('yes');
    expect(settled).toHaveLength(1);
  });

  it('to an unknown question is ignored', () => {
    const { questions, settled } = someQuestions();
    questions.choose(7, 0);
    expect(settled).toEqual([]);
  });

  it('settles only its own question', async () => {
    const { questions, ask, asked } = someQuestions();
    const answers = [ask(), ask(), ask()];
    questions.choose(2, 0);
    questions.choose(3, 2);
    questions.choose(1, 1);
    expect(await Promise.all(answers)).toEqual(['always', 'yes', 'no']);
    expect(asked.map(({ id }) => id)).toEqual([1, 2, 3]);
  });
});

describe('a cancelled question', () => {
  it('is settled without an option, like all others', async () => {
    const { questions, ask, settled } = someQuestions();
    const answers = [ask(), ask()];
    questions.cancelAll();
    expect(await Promise.all(answers)).toEqual([undefined, undefined]);
    expect(settled).toEqual([
      [1, 'cancelled'],
      [2, 'cancelled'],
    ]);
  });

  it('that the agent withdraws is settled without an option', async () => {
    const { ask, settled } = someQuestions();
    const withdrawal = new AbortController();
    const answered = ask({ withdrawn: withdrawal.signal });
    withdrawal.abort();
    expect(await answered).toBeUndefined();
    expect(settled).toEqual([[1, 'withdrawn']]);
  });

  it('that the agent has withdrawn before it was asked is settled too', async () => {
    const { ask, settled } = someQuestions();
    expect(await ask({ withdrawn: AbortSignal.abort() })).toBeUndefined();
    expect(settled).toEqual([[1, 'withdrawn']]);
  });

  it('that was answered before keeps its answer', async () => {
    const { questions, ask, settled } = someQuestions();
    const withdrawal = new AbortController();
    const answered = ask({ withdrawn: withdrawal.signal });
    questions.choose(1, 0);
    withdrawal.abort();
    expect(await answered).toBe('yes');
    expect(settled).toHaveLength(1);
  });

  it.each([
    ['an agent', false, undefined, 'withdrawn'],
    ['the plugin', true, undefined, 'obsolete'],
    ['an agent, in favour of a newer version', false, new AcpError('superseded', 'newer'), ''],
    ['the plugin, in favour of a newer version', true, new AcpError('superseded', 'newer'), ''],
  ])('that is withdrawn by %s says so', async (_, isOurs, reason, answer) => {
    const { ask, asked, settled } = someQuestions();
    const withdrawal = new AbortController();
    const answered = ask({ withdrawn: withdrawal.signal, isOurs });
    withdrawal.abort(reason);
    expect(await answered).toBeUndefined();
    expect(settled).toEqual([[1, answer]]);
    expect(asked[0]?.isOurs).toBe(isOurs || undefined);
  });

  it('is one of the agent; that of the plugin stays until the chat is over', () => {
    const { questions, ask, settled } = someQuestions();
    void ask({ isOurs: true });
    void ask();
    questions.cancelAll();
    expect(settled).toEqual([[2, 'cancelled']]);
    questions.cancelAll(true);
    expect(settled).toEqual([
      [2, 'cancelled'],
      [1, 'cancelled'],
    ]);
  });
});

describe('what is told about an answer', () => {
  const told: unknown[][] = [];
  const aQueue = () => {
    told.length = 0;
    return new QuestionQueue((...facts) => told.push(facts), 1);
  };

  it('names the option by id and position', () => {
    const questions = aQueue();
    void questions.askPermission(aPermission(), () => undefined);
    questions.choose(1, 2, ', by a rule');
    expect(told).toEqual([[1, 'Reject, by a rule', false, { optionId: 'no', optionIndex: 2 }]]);
  });

  it('names an option that was not among those to choose from only by its id', () => {
    const questions = aQueue();
    void questions.askPermission(aPermission(), () => undefined);
    questions.settleOutsideOptions(1, 'merged', 'merged by hand');
    expect(told).toEqual([[1, 'merged by hand', false, { optionId: 'merged', optionIndex: undefined }]]);
  });

  it.each([
    [{ action: 'accept' } as const, undefined, 'answered', true],
    [{ action: 'accept' } as const, 'done', 'done', false],
    [{ action: 'decline' } as const, undefined, 'declined', false],
    [{ action: 'cancel' } as const, undefined, 'cancelled', false],
  ])('to a page is how it ended: %j %s', (outcome, answer, said, isAwaited) => {
    const questions = aQueue();
    void questions.askElicitation(aPageRequest(), () => undefined);
    questions.settleElicitation(1, outcome, answer);
    expect(told).toEqual([[1, said, isAwaited, { optionId: undefined, optionIndex: undefined }]]);
  });

  it('is nothing for a form that is not open', () => {
    const questions = aQueue();
    questions.settleElicitation(7, { action: 'accept' });
    expect(told).toEqual([]);
  });

  it('to a form is none of its options, because it has none', () => {
    const questions = aQueue();
    const asked: Question[] = [];
    void questions.askElicitation(aFormRequest(), (question) => asked.push(question));
    expect(asked).toMatchObject([{ id: 1, options: [] }]);
  });

  it('to a form is awaited by nobody', () => {
    const questions = aQueue();
    void questions.askElicitation(aFormRequest(), () => undefined);
    questions.settleElicitation(1, { action: 'accept' });
    expect(told).toMatchObject([[1, 'answered', false, {}]]);
  });

  it('to a page that is done is about that one of two', () => {
    const questions = aQueue();
    const other = aPageRequest('https://b');
    void questions.askElicitation(aPageRequest(), () => undefined);
    const elicitation = { ...other.elicitation, pageId: 'page-2' } as typeof other.elicitation;
    void questions.askElicitation({ ...other, elicitation }, () => undefined);
    void questions.askPermission(aPermission(), () => undefined);
    void questions.askElicitation(aFormRequest(), () => undefined);
    questions.finishPage('page-2');
    expect(told).toMatchObject([[2, 'done', false, {}]]);
  });
});
