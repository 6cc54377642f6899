import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/session/model.ts';
import { Questions } from '../../../src/session/questions.ts';
import { aPermission, permissionOptions } from '../../support/builders.ts';

function someQuestions() {
  const settled: [number, string][] = [];
  const asked: Question[] = [];
  const questions = new Questions((id, answer) => settled.push([id, answer]));
  const ask = (fields = {}) => questions.add(aPermission(fields), (question) => asked.push(question));
  return { questions, ask, asked, settled };
}

describe('an answer', () => {
  it.each([
    ['yes', 'yes', 'Allow once'],
    ['always', 'always', 'Always allow'],
    ['no', 'no', 'Reject'],
    [undefined, 'no', 'Reject'],
    ['never offered', 'no', 'Reject'],
  ])('%s settles it with the option %s', async (chosen, optionId, name) => {
    const { questions, ask, settled } = someQuestions();
    const answered = ask();
    questions.answer(1, chosen);
    expect(await answered).toBe(optionId);
    expect(settled).toEqual([[1, name]]);
  });

  it.each([undefined, 'never offered'])('%s is no consent when nothing can be rejected', async (chosen) => {
    const { questions, ask, settled } = someQuestions();
    const options = permissionOptions.filter(({ kind }) => kind.startsWith('allow'));
    const answered = ask({ options });
    questions.answer(1, chosen);
    expect(await answered).toBeUndefined();
    expect(settled).toEqual([[1, 'not answered']]);
  });

  it('does not reject for ever when the user only closed the picker', async () => {
    const { questions, ask } = someQuestions();
    const answered = ask({ options: [{ id: 'never', name: 'Never', kind: 'reject_always' }] });
    questions.answer(1, undefined);
    expect(await answered).toBeUndefined();
  });

  it('is taken once', async () => {
    const { questions, ask, settled } = someQuestions();
    const answered = ask();
    questions.answer(1, 'yes');
    questions.answer(1, 'no');
    questions.cancelAll();
    expect(await answered).toBe('yes');
    expect(settled).toHaveLength(1);
  });

  it('to a question nobody asked is nothing', () => {
    const { questions, settled } = someQuestions();
    questions.answer(7, 'yes');
    expect(settled).toEqual([]);
  });

  it('settles the question it is about', async () => {
    const { questions, ask, asked } = someQuestions();
    const answers = [ask(), ask(), ask()];
    questions.answer(2, 'yes');
    questions.answer(3, 'no');
    questions.answer(1, 'always');
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
    questions.answer(1, 'yes');
    withdrawal.abort();
    expect(await answered).toBe('yes');
    expect(settled).toHaveLength(1);
  });
});
