import { describe, expect, it } from 'vitest';
import { type Choice, choiceLines } from '../../../../src/view/questions/choices.ts';
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

  it('with wide characters take two cells for each', () => {
    const wide: readonly Choice[] = [
      { kind: 'option', label: '許可する', index: 0 },
      { kind: 'option', label: 'No', index: 1 },
    ];
    expect(choiceLines(wide, 18)).toHaveLength(2);
    expect(choiceLines(wide, 19)).toHaveLength(1);
  });
});
