import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyChange,
  diskAfterChoice,
  hasConflict,
  linesOf,
  regionsOf,
} from '../../../src/workspace/agent-change.ts';
import { resolved } from '../../../src/workspace/conflict.ts';

const lines = (text: string) => text.split('');
const apply = (disk: string, buffer: string, read: string, written: string) =>
  applyChange({ disk: lines(disk), buffer: lines(buffer) }, { read: lines(read), written: lines(written) });
const outcome = async (...texts: [string, string, string, string]) => {
  const parts = await apply(...texts);
  const [disk, buffer] = [linesOf(parts, 'disk').join(''), linesOf(parts, 'buffer').join('')];
  return hasConflict(parts) ? 'conflict' : `disk ${disk}, buffer ${buffer}`;
};

describe('a change of the agent in a file with unsaved text', () => {
  // The user has typed U in place of b, on disk it is abcdefg.
  it.each<[string, [string, string, string, string], string]>([
    ['that it has not read', ['abcdefg', 'aUcdefg', 'abcdefg', 'abcdXfg'], 'disk abcdXfg, buffer aUcdXfg'],
    ['that it gives back', ['abcdefg', 'aUcdefg', 'aUcdefg', 'aUcdXfg'], 'disk abcdXfg, buffer aUcdXfg'],
    ['in added lines', ['abcdefg', 'abUcdefg', 'abUcdefg', 'abUcdXfg'], 'disk abcdXfg, buffer abUcdXfg'],
    ['in removed lines', ['abcdefg', 'acdefg', 'acdefg', 'acdXfg'], 'disk abcdXfg, buffer acdXfg'],
    ['that it wrote too', ['abcdefg', 'aUcdefg', 'abcdefg', 'aUcdXfg'], 'disk aUcdXfg, buffer aUcdXfg'],
    ['typed since it read', ['abcdefg', 'aUVdefg', 'aUcdefg', 'aUcdefX'], 'disk abcdefX, buffer aUVdefX'],
    [
      'that it has written already',
      ['abcdXfg', 'aUcdXfg', 'abcdefg', 'abcdXfg'],
      'disk abcdXfg, buffer aUcdXfg',
    ],
  ])('leaves it unsaved: %s', async (_, texts, expected) => {
    expect(await outcome(...texts)).toBe(expected);
  });

  it.each<[string, [string, string, string, string]]>([
    ['it has not read', ['abcdefg', 'aUcdefg', 'abcdefg', 'aXcdefg']],
    ['it has read', ['abcdefg', 'aUcdefg', 'aUcdefg', 'aXcdefg']],
    ['it takes back', ['abcdefg', 'aUcdefg', 'aUcdefg', 'abcdefg']],
    ['it writes beside', ['abcdefg', 'aUcdefg', 'aUcdefg', 'aUXcdefg']],
    ['there is nothing on disk', ['', 'U', '', 'X']],
  ])('is a conflict in lines that %s', async (_, texts) => {
    expect(await outcome(...texts)).toBe('conflict');
  });

  it.each<[string, [string, string, string, string], string]>([
    ['elsewhere', ['Dbcdefg', 'DbUdefg', 'abcdefg', 'DbcdeXg'], 'disk DbcdeXg, buffer DbUdeXg'],
    ['in the same lines', ['aDcdefg', 'aUcdefg', 'aScdefg', 'aDcdeXg'], 'disk aDcdeXg, buffer aUcdeXg'],
    ['in a longer text', ['DEFdefg', 'UEFdefg', 'abcdefg', 'DEFdXfg'], 'disk DEFdXfg, buffer UEFdXfg'],
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
  ])('comes alone to the disk after the choice: %s', async (side, buffer, disk) => {
    const parts = await apply('abcdefg', 'aUcdefg', 'abcdefg', 'aXcdYfg');
    const chosen = resolved(regionsOf(parts), side);
    expect(chosen.join('')).toBe(buffer);
    expect((await diskAfterChoice(parts, chosen)).join('')).toBe(disk);
  });
});

describe('whatever is unsaved and whatever the agent writes', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 });
  const insert = (base: readonly string[], at: number, word: string) =>
    base.toSpliced(at % (base.length + 1), 0, word);

  it('the user’s line stays in the buffer and off the disk, and the agent’s is in both', async () => {
    const number = fc.nat({ max: 20 });
    await fc.assert(
      fc.asyncProperty(text, number, number, fc.boolean(), async (disk, user, agent, hasRead) => {
        const buffer = insert(disk, user, 'U');
        const read = hasRead ? buffer : disk;
        const parts = await applyChange({ disk, buffer }, { read, written: insert(read, agent, 'X') });
        const [saved, shown] = [linesOf(parts, 'disk'), linesOf(parts, 'buffer')];
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
