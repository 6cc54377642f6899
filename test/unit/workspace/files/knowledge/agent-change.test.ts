import { describe, expect, it } from 'vitest';
import { resolveConflicts } from '../../../../../src/diff/conflict-markers.ts';
import {
  applyChange,
  conflictRegions,
  diskAfterChoice,
  hasConflict,
  partLines,
} from '../../../../../src/workspace/files/knowledge/agent-change.ts';
import { fc } from '../../../../support/property.ts';

const lines = (text: string) => text.split('');
const apply = (disk: string, buffer: string, read: string, written: string) =>
  applyChange(
    { disk: lines(disk), buffer: lines(buffer) },
    { read: lines(read), written: lines(written), isRepeated: read === written },
  );
const outcome = async (...texts: [string, string, string, string]) => {
  const parts = await apply(...texts);
  const [disk, buffer] = [partLines(parts, 'disk').join(''), partLines(parts, 'buffer').join('')];
  return hasConflict(parts) ? 'conflict' : `disk ${disk}, buffer ${buffer}`;
};

describe('a change of the agent in a file with unsaved text', () => {
  // The user has typed U in place of b, on disk it is abcdefg.
  it.each<[string, [string, string, string, string], string]>([
    [
      'text the agent has not read',
      ['abcdefg', 'aUcdefg', 'abcdefg', 'abcdXfg'],
      'disk abcdXfg, buffer aUcdXfg',
    ],
    ['text the agent repeats', ['abcdefg', 'aUcdefg', 'aUcdefg', 'aUcdXfg'], 'disk abcdXfg, buffer aUcdXfg'],
    ['added lines', ['abcdefg', 'abUcdefg', 'abUcdefg', 'abUcdXfg'], 'disk abcdXfg, buffer abUcdXfg'],
    ['removed lines', ['abcdefg', 'acdefg', 'acdefg', 'acdXfg'], 'disk abcdXfg, buffer acdXfg'],
    [
      'text the agent writes too',
      ['abcdefg', 'aUcdefg', 'abcdefg', 'aUcdXfg'],
      'disk aUcdXfg, buffer aUcdXfg',
    ],
    [
      'text typed since the agent read',
      ['abcdefg', 'aUVdefg', 'aUcdefg', 'aUcdefX'],
      'disk abcdefX, buffer aUVdefX',
    ],
    [
      'that it has written already',
      ['abcdXfg', 'aUcdXfg', 'abcdefg', 'abcdXfg'],
      'disk abcdXfg, buffer aUcdXfg',
    ],
    ['that it writes again', ['abcdXfg', 'aUcdXfg', 'abcdXfg', 'abcdXfg'], 'disk abcdXfg, buffer aUcdXfg'],
    ['that it has only read', ['abcdefg', 'aUcdefg', 'aUcdefg', 'aUcdefg'], 'disk abcdefg, buffer aUcdefg'],
  ])('keeps the unsaved text unsaved: %s', async (_, texts, expected) => {
    expect(await outcome(...texts)).toBe(expected);
  });

  it.each<[string, [string, string, string, string]]>([
    ['the agent changes unsaved lines it has not read', ['abcdefg', 'aUcdefg', 'abcdefg', 'aXcdefg']],
    ['the agent changes unsaved lines it has read', ['abcdefg', 'aUcdefg', 'aUcdefg', 'aXcdefg']],
    ['the agent reverts unsaved lines', ['abcdefg', 'aUcdefg', 'aUcdefg', 'abcdefg']],
    ['the agent adds lines next to unsaved lines', ['abcdefg', 'aUcdefg', 'aUcdefg', 'aUXcdefg']],
    [
      'the agent changes a line that unsaved lines below repeat, and the user has typed since',
      ['abRcd', 'abRLUTcd', 'abRLURcd', 'abXLURcd'],
    ],
    ['the agent changes one of the lines that are new on disk', ['DEFdefg', 'UEFdefg', 'abcdefg', 'DEXdefg']],
    ['the file is empty', ['', 'U', '', 'X']],
    ['the agent writes again a text, over unsaved lines', ['abcdefg', 'aUcdefg', 'aXcdefg', 'aXcdefg']],
  ])('is a conflict: %s', async (_, texts) => {
    expect(await outcome(...texts)).toBe('conflict');
  });

  it.each<[string, [string, string, string, string], string]>([
    ['elsewhere', ['Dbcdefg', 'DbUdefg', 'abcdefg', 'DbcdeXg'], 'disk DbcdeXg, buffer DbUdeXg'],
    ['in the same lines', ['aDcdefg', 'aUcdefg', 'aScdefg', 'aDcdeXg'], 'disk aDcdeXg, buffer aUcdeXg'],
    ['in a longer text', ['DEFdefg', 'UEFdefg', 'abcdefg', 'DEFdXfg'], 'disk DEFdXfg, buffer UEFdXfg'],
    ['where a line is repeated', ['dbbd', 'db', 'bb', 'dbbd'], 'disk dbbd, buffer db'],
    ['beside its own lines', ['DEFdefg', 'UEFdefg', 'abcdefg', 'DEFXefg'], 'disk DEFXefg, buffer UEFXefg'],
    [
      'beside its own lines, below added ones',
      ['aPQbcdDEFhij', 'aPQbcdUEFhij', 'abcdefghij', 'aPQbXdDEFYij'],
      'disk aPQbXdDEFYij, buffer aPQbXdUEFYij',
    ],
    [
      'beside its own lines, below removed ones',
      ['aPdDEFhij', 'aPdUEFhij', 'abcdefghij', 'aPdDEFYZj'],
      'disk aPdDEFYZj, buffer aPdUEFYZj',
    ],
  ])(
    'goes by the disk where the agent agrees with that and not with what it read: %s',
    async (_, texts, expected) => {
      expect(await outcome(...texts)).toBe(expected);
    },
  );

  it.each<['ours' | 'theirs' | 'both', string, string]>([
    ['ours', 'aUcdYfg', 'abcdYfg'],
    ['theirs', 'aXcdYfg', 'aXcdYfg'],
    ['both', 'aUXcdYfg', 'aXcdYfg'],
  ])('goes to the disk without the unsaved text after the choice: %s', async (side, buffer, disk) => {
    const parts = await apply('abcdefg', 'aUcdefg', 'abcdefg', 'aXcdYfg');
    const chosen = resolveConflicts(conflictRegions(parts), side);
    expect(chosen.join('')).toBe(buffer);
    expect((await diskAfterChoice(parts, chosen)).join('')).toBe(disk);
  });

  // Two conflicts: the user has typed U and V, the agent wrote X and Y there.
  it.each<[string, string, string]>([
    ['only the first of two is taken', 'aXcdVfg', 'aXcdefg'],
    ['only the second of two is taken', 'aUcdYfg', 'abcdYfg'],
    ['both are merged by hand', 'aUXcdVYfg', 'aXcdYfg'],
    ['the user has typed elsewhere', 'aUcZdVfg', 'abcdefg'],
    ['the user has typed elsewhere and taken both', 'aXcdYfgZ', 'aXcdYfg'],
  ])('has no unsaved text on disk after the choice where %s', async (_, chosen, disk) => {
    const parts = await apply('abcdefg', 'aUcdVfg', 'abcdefg', 'aXcdYfg');
    expect((await diskAfterChoice(parts, lines(chosen))).join('')).toBe(disk);
  });
});

describe('a change of the agent in a file without unsaved text', () => {
  const written = async (disk: string, read: string, text: string, ...earlier: readonly string[]) => {
    const change = { read: lines(read), written: lines(text), isRepeated: read === text };
    const parts = await applyChange(
      { disk: lines(disk), buffer: lines(disk) },
      { ...change, earlier: earlier.map(lines) },
    );
    const [saved, shown] = [partLines(parts, 'disk').join(''), partLines(parts, 'buffer').join('')];
    expect(saved).toBe(shown);
    return hasConflict(parts) ? 'conflict' : saved;
  };

  it.each<[string, [disk: string, read: string, text: string], string]>([
    ['again what was taken back', ['abcdefg', 'aXcdefg', 'aXcdefg'], 'aXcdefg'],
    ['over a line that was saved since', ['aScdefg', 'abcdefg', 'aXcdefg'], 'aXcdefg'],
    ['beside a line that was saved since', ['aScdefg', 'abcdefg', 'abXdefg'], 'aSXdefg'],
    ['around a line that was saved since', ['abScdefg', 'abcdefg', 'aXYdefg'], 'aXYdefg'],
    ['above a line that was added since', ['abScdefg', 'abcdefg', 'aXcdefg'], 'aXScdefg'],
    ['below a line that was added since', ['abScdefg', 'abcdefg', 'abXdefg'], 'abSXdefg'],
    ['more where a line was added since', ['abScdefg', 'abcdefg', 'abXcdefg'], 'abSXcdefg'],
    ['more after a line that it must know', ['abScdefg', 'abcdefg', 'abSXcdefg'], 'abSXcdefg'],
    ['over a line that was removed since', ['acdefg', 'abcdefg', 'aXcdefg'], 'aXcdefg'],
    ['elsewhere than a line that was removed since', ['acdefg', 'abcdefg', 'abcdXfg'], 'acdXfg'],
    ['elsewhere than a line that was saved since', ['aScdefg', 'abcdefg', 'abcdXfg'], 'aScdXfg'],
  ])('is written: %s', async (_, texts, expected) => {
    expect(await written(...texts)).toBe(expected);
  });

  it.each<[string, [disk: string, read: string, text: string], readonly string[], string]>([
    ['what was taken back, and more', ['abcdefg', 'aXcdefg', 'aXcdYfg'], ['abcdefg'], 'aXcdYfg'],
    ['one of two lines', ['abcdefg', 'aXYdefg', 'aXcdYfg'], ['abcdefg'], 'aXcdYfg'],
    ['beside a line of the user', ['abSdefg', 'aXcdefg', 'aXcdYfg'], ['abcdefg'], 'aXSdYfg'],
    ['a text before the last one', ['abcdefg', 'aXcdefg', 'aXcdYfg'], ['abcdefg', 'aZcdefg'], 'aXcdYfg'],
    ['not what the user has written there', ['aScdefg', 'aXcdefg', 'aXcdYfg'], ['abcdefg'], 'aScdYfg'],
  ])('writes again what somebody took back: %s', async (_, texts, earlier, expected) => {
    expect(await written(...texts, ...earlier)).toBe(expected);
  });
});

it('a change that is not repeated keeps what was saved since', async () => {
  const [disk, read] = [lines('aSc'), lines('abc')];
  const parts = await applyChange({ disk, buffer: disk }, { read, written: read });
  expect(partLines(parts, 'disk')).toEqual(disk);
});

it('a change of every line has one part', async () => {
  expect(await apply('a', 'U', 'a', 'X')).toHaveLength(1);
});

describe('for any unsaved text and any change of the agent', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 });
  const insert = (base: readonly string[], at: number, word: string) =>
    base.toSpliced(at % (base.length + 1), 0, word);

  it('the user’s line is only in the buffer, and the agent’s line is in both', async () => {
    const number = fc.nat({ max: 20 });
    await fc.assert(
      fc.asyncProperty(text, number, number, fc.boolean(), async (disk, user, agent, hasRead) => {
        const buffer = insert(disk, user, 'U');
        const read = hasRead ? buffer : disk;
        const parts = await applyChange({ disk, buffer }, { read, written: insert(read, agent, 'X') });
        const [saved, shown] = [partLines(parts, 'disk'), partLines(parts, 'buffer')];
        expect(shown).toContain('U');
        expect(saved).not.toContain('U');
        if (hasConflict(parts)) return;
        expect(saved.filter((line) => line !== 'X')).toEqual(disk);
        expect(shown.filter((line) => line !== 'X')).toEqual(buffer);
        expect([saved, shown].map((lines) => lines.includes('X'))).toEqual([true, true]);
      }),
    );
  });
});
