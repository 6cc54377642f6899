import { describe, expect, it } from 'vitest';
import { completePrompt } from '../../../src/prompt/completion.ts';
import { mentionNames } from '../../../src/prompt/mention-names.ts';
import { findMentions } from '../../../src/prompt/mentions.ts';
import { cpuTime } from '../../support/cpu-time.ts';

/** What the text mentions, as words. */
function mentioned(text: string): readonly string[] {
  return findMentions(text).map(({ target, start, end }) => {
    expect(text[start]).toBe('@');
    expect(end).toBeGreaterThan(start);
    if (target.kind === 'named') return [target.name.name, target.argument].filter(Boolean).join(' ');
    const { first, last } = target.range ?? {};
    return first === undefined ? target.path : `${target.path} ${first} ${last}`;
  });
}

describe('findMentions', () => {
  it.each([
    ['a path', 'see @src/a.ts please', ['src/a.ts']],
    ['a path at the end of a sentence', 'see @src/a.ts.', ['src/a.ts']],
    ['a line', '@a.ts:10', ['a.ts 10 10']],
    ['lines', '@a.ts:10-20', ['a.ts 10 20']],
    ['lines in the wrong order', '@a.ts:20-10', ['a.ts 10 20']],
    ['lines as in a link', '@a.ts#L10-L20, @a.ts#L3', ['a.ts 10 20', 'a.ts 3 3']],
    ['a path in brackets', '(@a.ts)', ['a.ts']],
    ['a path with brackets', '@app/[id]/(group)/page.tsx!', ['app/[id]/(group)/page.tsx']],
    ['a path with blanks', '@"my file.txt":3-4, and', ['my file.txt 3 4']],
    ['a path below the home folder', '@~/notes.md', ['~/notes.md']],
    ['several', '@a.ts @b.ts\n@c.ts', ['a.ts', 'b.ts', 'c.ts']],
    ['a word, which may be a file', '@Makefile', ['Makefile']],
    ['a name', '@selection', ['selection']],
    ['a name with an argument', '@diagnostics:all:error.', ['diagnostics all:error']],
    ['a name with blanks in its argument', '@chat:"Fix the login" now', ['chat Fix the login']],
    ['an address', '@url:https://example.org/a?b=c#d', ['url https://example.org/a?b=c#d']],
    ['a name without its argument', '@symbol', ['symbol']],
    ['a register that is called by punctuation', '@register:* @mark:.', ['register *', 'mark .']],
    ['a register at the end of a sentence', '@register:a.', ['register a']],
    ['a name in capitals, which is a path', '@Buffer', ['Buffer']],
  ])('finds %s', (_, text, expected) => {
    expect(mentioned(text)).toEqual(expected);
  });

  it.each([
    ['an e-mail address', 'write to ann@example.org'],
    ['a decorator with arguments', "@Component({ selector: 'a' })"],
    ['a package with a scope and a version', 'npm i @scope/name@1.2.3'],
    ['an @ alone', 'a @ b @'],
    ['an @ in a code span', 'what is `@a.ts`?'],
    ['an @ in a code block', '```ts\n@a.ts\n```'],
    ['an @ in a code block that is not closed', '~~~\n@a.ts'],
    ['an @ after another', '@@a.ts'],
    ['punctuation', '@...'],
  ])('finds nothing in %s', (_, text) => {
    expect(mentioned(text)).toEqual([]);
  });

  it('finds a mention after code', () => {
    expect(mentioned('`@no` @a.ts\n```\n@no.ts\n```\n@b.ts')).toEqual(['a.ts', 'b.ts']);
  });

  it('knows a word that is only a mention if there is such a file', () => {
    const isWord = (text: string) =>
      findMentions(text).map(({ target }) => 'isWord' in target && target.isWord);
    expect(isWord('@alice @a.ts @src/a')).toEqual([true, false, false]);
  });

  it.each([
    ['mentions', '@a.ts '],
    ['brackets', '@a)))))))))))'],
    ['backticks', '` `` ```x '],
    ['quotes', '@"a'],
  ])('takes linear time for many %s', (_, part) => {
    const timeOf = (count: number) => {
      const text = part.repeat(count);
      const start = cpuTime();
      findMentions(text);
      return cpuTime() - start;
    };
    timeOf(1_000);
    expect(timeOf(50_000)).toBeLessThan(2_000);
  });
});

describe('the names of mentions', () => {
  it('are unique and have a description', () => {
    expect(new Set(mentionNames.map(({ name }) => name)).size).toBe(mentionNames.length);
    expect(mentionNames.filter(({ description }) => description === '')).toEqual([]);
  });

  // A chat at 120 columns has 51; a menu there loses the sign of the prompt, its own edges and a few typed words.
  it('fit into a menu of 42 cells with their description', async () => {
    const noFiles = {
      commands: [],
      searchFiles: async () => [],
      listFolder: async () => [],
      listArguments: async () => [],
    };
    const { items } = await completePrompt({ text: '@', column: 1 }, noFiles);
    const width = Math.max(...items.map(({ label }) => label.length));
    expect(items.filter(({ detail }) => width + 1 + detail.length > 42)).toEqual([]);
    expect(items).toHaveLength(mentionNames.length);
  });
});
