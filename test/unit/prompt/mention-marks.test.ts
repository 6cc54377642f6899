import { describe, expect, it } from 'vitest';
import { findMentionMarks, isNearMiss } from '../../../src/prompt/mention-marks.ts';
import { PromptSourcesDouble } from '../../support/doubles/prompt-sources.ts';

function sources() {
  const made = new PromptSourcesDouble();
  for (const name of ['a.ts', 'Makefile']) made.addText(`/work/${name}`, '');
  return made;
}

describe('findMentionMarks', () => {
  it.each([
    ['a file', 'see @a.ts now', [0, 4, 9, 1]],
    ['lines of a file', '@a.ts:1-2', [0, 0, 9, 1]],
    ['a file that is missing', '@src/b.ts', [0, 0, 9, 0]],
    ['a word that is a file', '@Makefile', [0, 0, 9, 1]],
    ['a word that is no file', 'ask @alice', []],
    ['a misspelt name', '@diagnotics', [0, 0, 11, 0]],
    ['the beginning of a name', '@diagn', []],
    ['a name', '@this and\n@diff:main', [0, 0, 5, 1, 1, 0, 10, 1]],
    ['a severity', '@diagnostics:all:error', [0, 0, 22, 1]],
    ['a severity that there is not', '@diagnostics:fatal', [0, 0, 18, 0]],
    ['columns in bytes', 'größe 😀 @a.ts\nü@x @a.ts', [0, 13, 18, 1, 1, 5, 10, 1]],
    ['an open quote', '@"a file', []],
    ['an e-mail address', 'ann@example.org', []],
    ['a decorator', '@Component({})', []],
    ['code', '```\n@a.ts\n```\n`@a.ts`', []],
  ])('%s', async (_, text, marks) => {
    expect(await findMentionMarks(text, sources())).toEqual(marks);
  });

  it('looks for each file once, and for no more than 500 mentions', async () => {
    const asked: (readonly string[])[] = [];
    const counting = {
      cwd: '/work',
      findExisting: (paths: readonly string[]) => {
        asked.push(paths);
        return Promise.resolve(new Set(paths));
      },
    };
    const marks = await findMentionMarks('@a.ts @b.ts '.repeat(5_000), counting);
    expect(marks).toHaveLength(500 * 4);
    expect(asked).toEqual([['/work/a.ts', '/work/b.ts']]);
  });
});

describe('isNearMiss', () => {
  it.each(['bufer', 'buffre', 'selektion', 'visibel', 'quikfix'])('%s is a misspelt name', (word) => {
    expect(isNearMiss(word)).toBe(true);
  });

  it.each(['alice', 'todo', 'th', 'selec', 'override', 'param', 'Bufer', 'hello'])('%s is none', (word) => {
    expect(isNearMiss(word)).toBe(false);
  });

  // Two letters are swapped only if both are the other's.
  it.each(['locals', 'tixs', 'hxis', 'uxxfer'])('%s, with half a swap, is none', (word) => {
    expect(isNearMiss(word)).toBe(false);
  });
});
