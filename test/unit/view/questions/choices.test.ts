import { describe, expect, it } from 'vitest';
import { type Choice, choiceLines, questionChoices } from '../../../../src/view/questions/choices.ts';
import { textsOf } from '../../../support/entry-lines.ts';

const choices = ['Allow once', 'Always allow', 'Reject'].map(
  (label, index): Choice => ({ kind: 'option', label, index }),
);

describe('the choices of a question', () => {
  it.each<[string, number | undefined, readonly string[]]>([
    [
      'one per line if the width is not known',
      undefined,
      ['  1 Allow once', '  2 Always allow', '  3 Reject'],
    ],
    ['one per line in a narrow window', 20, ['  1 Allow once', '  2 Always allow', '  3 Reject']],
    ['as many as fit', 33, ['  1 Allow once   2 Always allow', '  3 Reject']],
    ['all in one line of exactly their width', 42, ['  1 Allow once   2 Always allow   3 Reject']],
    ['not all in a line that is one cell too short', 41, ['  1 Allow once   2 Always allow', '  3 Reject']],
  ])('stand: %s', (_, width, lines) => {
    expect(textsOf(choiceLines(choices, width))).toEqual(lines);
  });

  it.each([
    ['Skip it', 'reject_once', 'Skip it'],
    ['Yes, and auto-accept edits', 'allow_always', 'Yes, and auto-accept edits'],
    ['Mystery', 'allow_always', 'Mystery (allows always)'],
    ['Аllow', 'reject_once', 'Аllow (rejects)'],
    ['Notify me', 'allow_once', 'Notify me (allows once)'],
    ['Mystery', 'other', 'Mystery'],
    ['Reject', 'allow_always', 'Reject (allows always)'],
    ['Allow', 'reject_once', 'Allow (rejects)'],
  ] as const)('say what they do if their name does not: %s, %s', (name, kind, label) => {
    const question = { id: 1, toolCallId: 'c', options: [{ id: 'x', name, kind }] };
    const entry = { id: 1, at: 0, kind: 'question', question, tool: undefined, answer: undefined } as const;
    expect(questionChoices(entry)[0]).toMatchObject({ label });
  });

  it('have a fixed order: what comes and goes is the last one', () => {
    const option = { id: 'x', name: 'Reject', kind: 'reject_once' } as const;
    const question = { id: 1, toolCallId: 'c', options: [option] };
    const entry = { id: 1, at: 0, kind: 'question', question, tool: undefined, answer: undefined } as const;
    const offers = { alike: 3, canMakeRule: true, canPreview: true };
    expect(questionChoices(entry, offers).map(({ label }) => label)).toEqual([
      'Reject',
      'Make a rule …',
      'See the change first',
      'All 3 like this …',
    ]);
  });

  it('with wide characters take two cells for each', () => {
    const wide: readonly Choice[] = [
      { kind: 'option', label: '許可する', index: 0 },
      { kind: 'option', label: 'No', index: 1 },
    ];
    expect(choiceLines(wide, 18)).toHaveLength(2);
    expect(choiceLines(wide, 19)).toHaveLength(1);
  });
});
