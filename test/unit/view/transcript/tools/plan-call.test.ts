import { describe, expect, it } from 'vitest';
import type { SessionEvent, ToolPatch } from '../../../../../src/model/session-events.ts';
import { isWholeInChat, questionRest } from '../../../../../src/view/transcript/question.ts';
import { aQuestion, aToolCall } from '../../../../support/builders.ts';
import { lastEntry, textsOf } from '../../../../support/entry-lines.ts';
import { TranscriptHarness } from '../../../../support/transcript-harness.ts';

const prompt: SessionEvent = { kind: 'turn_started', text: 'plan it' };
const text = '## Steps\n1. Change **sum.py**\n\n```py\nx = 1\n```';
const options = [
  { id: 'y', name: 'Yes', kind: 'allow_once' },
  { id: 'n', name: 'No, keep planning', kind: 'reject_once' },
] as const;

const aPlanCall = (patch: Partial<ToolPatch> = {}) =>
  aToolCall({
    toolCallId: 'p',
    title: 'Approve Plan',
    toolKind: 'switch_mode',
    status: 'pending',
    content: [{ kind: 'text', text }],
    ...patch,
  });
const question: SessionEvent = {
  kind: 'question_asked',
  question: aQuestion({ id: 7, toolCallId: 'p', options }),
};
const answer = (optionIndex: number): SessionEvent => ({
  kind: 'question_settled',
  questionId: 7,
  answer: options[optionIndex]!.name,
  optionIndex,
});
const asking = (patch: Partial<ToolPatch> = {}) => new TranscriptHarness(prompt, aPlanCall(patch), question);
const shown = (harness: TranscriptHarness) => harness.lines.slice(4);

const plan = ['  ## Steps', '  1. Change **sum.py**', '', '  ```py', '  x = 1', '  ```'].map((line) =>
  line === '' ? '  ' : line,
);

describe('a plan that waits for approval', () => {
  it('is drawn once, below its call, and not again in the question', () => {
    expect(shown(asking())).toEqual([
      '○ mode    Approve Plan',
      ...plan,
      '',
      '? Tester wants to switch modes',
      '    Approve Plan',
      '  1 Yes',
      '  2 No, keep planning',
    ]);
  });

  it('is drawn as Markdown', () => {
    const harness = asking();
    const spans = JSON.stringify([...harness.drawAll()]);
    expect(spans).toContain('AcpHeading2');
    expect(spans).toContain('AcpBold');
  });

  it('stays open when it is rejected', () => {
    const harness = asking().happen(answer(1), { kind: 'turn_ended', stopReason: 'cancelled' });
    expect(shown(harness).slice(1, 1 + plan.length)).toEqual(plan);
    expect(shown(harness)).toContain('· asked to switch modes: Approve Plan  Rejected: No, keep planning');
  });

  it('folds when it is approved and the agent goes on', () => {
    const harness = asking().happen(answer(0), aPlanCall({ status: 'done' }));
    expect(shown(harness)[0]).toBe('✓ mode    Approve Plan');
    expect(shown(harness).join('\n')).not.toContain('sum.py');
  });

  it('is a part of the question if the chat does not show its call', () => {
    const lines = shown(asking({ isAskedOnly: true }));
    expect(lines).toEqual([
      '? Tester wants to switch modes',
      '    Approve Plan',
      ...plan,
      '  1 Yes',
      '  2 No, keep planning',
    ]);
  });

  it.each<[string, string, boolean, boolean]>([
    ['while it stands there whole', text, false, true],
    ['not while the user has closed it', text, true, false],
    ['not if it has too many lines', '- do\n'.repeat(500), false, false],
    ['not if it has too long a line', 'x'.repeat(3_000), false, false],
  ])('can be approved in the chat: %s', (_, given, isClosed, expected) => {
    const harness = asking({ content: [{ kind: 'text', text: given }] });
    if (isClosed) harness.view.toggle(lastEntry(harness.state, 'tool').id);
    expect(isWholeInChat(lastEntry(harness.state, 'question'), harness.view)).toBe(expected);
  });

  it.each([
    ['short', text, 'Change **sum.py**'],
    ['long', `${'- do\n'.repeat(500)}- the end`, '- the end'],
  ])('stands whole in a window of the question: %s', (_, given, expected) => {
    const harness = asking({ content: [{ kind: 'text', text: given }] });
    const lines = questionRest(lastEntry(harness.state, 'question'), harness.view);
    expect(textsOf(lines).join('\n')).toContain(expected);
  });
});
