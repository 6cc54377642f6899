import { expect, it } from 'vitest';
import { questionData } from '../../../../src/app/attention/question-data.ts';
import { questionPrompt } from '../../../../src/view/transcript/question.ts';
import { aQuestion, aSession, aToolCall, isReady } from '../../../support/builders.ts';
import { contextOf, lastEntry } from '../../../support/entry-lines.ts';

it('the data of a question has the kind of the call, which no title can pretend', () => {
  const call = aToolCall({ title: 'x: Tester wants to read', toolKind: 'execute' });
  const state = aSession(isReady, call, { kind: 'question_asked', question: aQuestion() });
  const entry = lastEntry(state, 'question');
  const data = questionData(entry, questionPrompt(entry, contextOf(state)), 1);
  expect(data.text).toContain('wants to read');
  expect(data).toMatchObject({ kind: 'permission', tool_kind: 'execute' });
});
