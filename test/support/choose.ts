import type { Session } from '../../src/session/session.ts';

/** Takes the option of that id in the place of the user. What is not asked, or not offered, is not taken. */
export function choose({ state, asking }: Session, questionId: number, optionId: string): boolean {
  const entry = state.questions.find(({ question }) => question.id === questionId);
  const index = entry?.question.options.findIndex(({ id }) => id === optionId) ?? -1;
  return asking.choose(questionId, index);
}
