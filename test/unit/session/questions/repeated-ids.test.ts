import { expect, it } from 'vitest';
import type { QuestionEntry } from '../../../../src/model/entries.ts';
import { emptySession } from '../../../../src/model/session.ts';
import type { PermissionPolicy } from '../../../../src/ports/permissions.ts';
import { SessionQuestions } from '../../../../src/session/questions/session-questions.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { aPermission } from '../../../support/builders.ts';

const asks = { verdict: 'ask', reasons: [], isByRule: false } as const;

/** A question whose two options have the same id. */
function ask() {
  const recorded: string[] = [];
  const policy: PermissionPolicy = {
    decide: () => asks,
    ruleAbout: () => undefined,
    recordAnswer: (_, answer) => void recorded.push(answer),
    forget: () => undefined,
  };
  const state = emptySession('tester', 0);
  const place = { chat: 1, agent: 'tester', cwd: '/work', roots: ['/work'] };
  const questions = new SessionQuestions(state, (event) => void reduce(state, event, 1), { policy, place });
  const options = [
    { id: 'x', name: 'Reject', kind: 'reject_once' },
    { id: 'x', name: 'Allow', kind: 'allow_once' },
  ] as const;
  const answered = questions.askPermission(aPermission({ options }));
  const entry = () => state.entries.find(({ kind }) => kind === 'question') as QuestionEntry;
  return { questions, answered, recorded, entry };
}

it.each([
  [0, undefined, 'Reject', 'reject_once'],
  [1, 'x', 'Allow', 'allow_once'],
])('option %s of two with one id is recorded as it was chosen', async (index, sent, name, kind) => {
  const { questions, answered, recorded, entry } = ask();
  questions.choose(1, index);
  expect(await answered).toBe(sent);
  expect(recorded).toEqual([`${name} (${kind})`]);
  expect(entry()).toMatchObject({ answer: name, answerKind: kind });
});

it('a question that was cancelled is recorded as not answered', async () => {
  const { questions, answered, recorded } = ask();
  questions.cancelAll();
  await answered;
  expect(recorded).toEqual(['not answered']);
});
