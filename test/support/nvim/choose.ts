import type { Session } from '../../../src/session/session.ts';

/** Chooses an option in place of the user. Returns false if the question or the option does not exist. */
export function choose({ state, questions }: Session, questionId: number, optionId: string): boolean {
  const entry = state.questions.find(({ question }) => question.id === questionId);
  const index = entry?.question.options.findIndex(({ id }) => id === optionId) ?? -1;
  return questions.choose(questionId, index);
}
