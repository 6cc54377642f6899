import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/session/model.ts';
import { Questions } from '../../../src/session/questions.ts';
import { aPermission } from '../../support/builders.ts';

function someQuestions() {
  const settled: [number, string][] = [];
  const asked: Question[] = [];
  const questions = new Questions((id, answer) => settled.push([id, answer]), 1);
  const ask = (fields = {}) => questions.add(aPermission(fields), (question) => asked.push(question));
  return { questions, ask, asked, settled };
}

describe('an answer', () => {
  it.each([
    [0, 'yes', 'Allow once'],
    [1, 'always', 'Always allow'],
    [2, 'no', 'Reject'],
  ])('%s settles it with the option at that place: %s', async (index, optionId, name) => {
    const { questions, ask, settled } = someQuestions();
    const answered = ask();
    expect(questions.choose(1, index)).toBe(true);
    expect(await answered).toBe(optionId);
    expect(settled).toEqual([[1, name]]);
  });

  it.each([3, -1, 0.5])('%s is at no place of the list and settles nothing', (index) => {
    const { questions, ask, settled } = someQuestions();
    void ask();
    expect(questions.choose(1, index)).toBe(false);
    expect(settled).toEqual([]);
  });

  it.each<[string, number, string | undefined, string]>([
    ['the consent is told', 0, 'same', 'Reject'],
    ['the refusal is cancelled', 1, undefined, 'Allow'],
    ['what neither allows nor refuses is told', 2, 'other', 'Maybe'],
    ['the refusal beside it is cancelled too', 3, undefined, 'No'],
  ])('of options that share an id is the one that was chosen: %s', async (_, index, optionId, name) => {
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

  it('is taken once', async () => {
    const { questions, ask, settled } = someQuestions();
    const answered = ask();
    questions.choose(1, 0);
    questions.choose(1, 2);
    questions.cancelAll();
    expect(await answered).toBe('yes');
    expect(settled).toHaveLength(1);
  });

  it('to a question nobody asked is nothing', () => {
    const { questions, settled } = someQuestions();
    questions.choose(7, 0);
    expect(settled).toEqual([]);
  });

  it('settles the question it is about', async () => {
    const { questions, ask, asked } = someQuestions();
    const answers = [ask(), ask(), ask()];
    questions.choose(2, 0);
    questions.choose(3, 2);
    questions.choose(1, 1);
    expect(await Promise.all(answers)).toEqual(['always', 'yes', 'no']);
    expect(asked.map(({ id }) => id)).toEqual([1, 2, 3]);
  });
});

describe('a question that is cancelled', () => {
  it('is settled with no option, as are all others', async () => {
    const { questions, ask, settled } = someQuestions();
    const answers = [ask(), ask()];
    questions.cancelAll();
    expect(await Promise.all(answers)).toEqual([undefined, undefined]);
    expect(settled).toEqual([
      [1, 'cancelled'],
      [2, 'cancelled'],
    ]);
  });

  it('by the agent is settled with no option', async () => {
    const { ask, settled } = someQuestions();
    const withdrawal = new AbortController();
    const answered = ask({ withdrawn: withdrawal.signal });
    withdrawal.abort();
    expect(await answered).toBeUndefined();
    expect(settled).toEqual([[1, 'taken back']]);
  });

  it('by the agent before it could be asked is settled all the same', async () => {
    const { ask, settled } = someQuestions();
    expect(await ask({ withdrawn: AbortSignal.abort() })).toBeUndefined();
    expect(settled).toEqual([[1, 'taken back']]);
  });

  it('after it was answered stays answered', async () => {
    const { questions, ask, settled } = someQuestions();
    const withdrawal = new AbortController();
    const answered = ask({ withdrawn: withdrawal.signal });
    questions.choose(1, 0);
    withdrawal.abort();
    expect(await answered).toBe('yes');
    expect(settled).toHaveLength(1);
  });
});
