import { describe, expect, it } from 'vitest';
import {
  type ArgumentChoice,
  type CompletionSources,
  commandsForNeovim,
  completePrompt,
  mentionOf,
} from '../../../src/prompt/completion.ts';

const folders: Readonly<Record<string, readonly string[]>> = {
  '~/': ['.bashrc', '.config/', 'my notes/', 'notes.md', 'old-notes.md'],
  './': ['.env', 'ignored.log', 'src/'],
  '../': ['other/', 'this/'],
  '../other/': ['a.ts'],
  '/': ['etc/', 'tmp/'],
  '/etc/': ['hosts'],
};
const choices: Readonly<Record<string, readonly ArgumentChoice[]>> = {
  chat: [{ value: 'Fix the login' }, { value: 'Docs' }, { value: 'Why?' }, { value: 'a"b' }],
  buffer: [
    { value: '3', name: 'src/main.ts' },
    { value: '12', name: 'no name' },
  ],
  diff: [{ value: 'main' }, { value: 'origin/main' }],
};

const sources: CompletionSources = {
  commands: [
    { name: 'plan', description: 'Make a\nplan', hint: 'what for' },
    { name: 'memory show', description: 'Show it', hint: undefined },
    { name: 'memory add', description: 'Add to it', hint: 'what to add' },
  ],
  searchFiles: async (query) =>
    ['src/a.ts', 'my notes.md', 'src/', 'od"d.ts', 'new\nline.ts']
      .filter((path) => path.includes(query))
      .map((path) => ({ path, score: 1 })),
  listFolder: async (folder) => folders[folder] ?? [],
  listArguments: async (name) => choices[name] ?? [],
};

/** What is offered at `|`. */
async function offered(text: string): Promise<readonly string[]> {
  const cursor = text.indexOf('|');
  const line = text.lastIndexOf('\n', cursor) + 1;
  const whole = text.replace('|', '');
  const end = whole.indexOf('\n', cursor);
  const place = { text: end === -1 ? whole : whole.slice(0, end), column: cursor - line };
  return (await completePrompt(place, sources)).items.map((item) => item.text);
}

describe('completePrompt', () => {
  it.each([
    ['a path', 'see @a.ts|', ['@src/a.ts']],
    ['a path in another line', 'see\nthis: @a.ts|', ['@src/a.ts']],
    ['a path before other text', 'see @a.t| now', ['@src/a.ts']],
    ['a folder and what is in it', '@src/|', ['@src/a.ts', '@src/']],
    ['a path with a blank, in quotes', '@notes|', ['@"my notes.md"']],
    ['a path in an open quote', '@"my no|', ['@"my notes.md"']],
    ['a path in brackets', '(@a.ts|', ['@src/a.ts']],
    ['what is in the current folder, ignored files too', '@./|', ['@./ignored.log', '@./src/']],
    ['what is in the home folder', '@~/|', ['@"~/my notes/"', '@~/notes.md', '@~/old-notes.md']],
    [
      'names that begin with the letters first',
      '@~/No|',
      ['@~/notes.md', '@"~/my notes/"', '@~/old-notes.md'],
    ],
    ['hidden files after a dot', '@~/.|', ['@~/.bashrc', '@~/.config/', '@~/notes.md', '@~/old-notes.md']],
    ['what is in the parent', '@../|', ['@../other/', '@../this/']],
    ['what is in a folder of the parent', '@../other/|', ['@../other/a.ts']],
    ['what is in the root', '@/e|', ['@/etc/']],
    ['an absolute path', 'see @/etc/h|', ['@/etc/hosts']],
    ['a path from home in an open quote', '@"~/my|', ['@"~/my notes/"']],
    ['a name', '@diag|', ['@diagnostics']],
    ['a name that needs an argument', '@sym|', ['@symbol:']],
    ['an argument', '@diagnostics:all:e|', ['@diagnostics:all:error']],
    ['a buffer by its number', '@buffer:1|', ['@buffer:12']],
    ['a buffer by its name', '@buffer:main|', ['@buffer:3']],
    ['what a diff may compare with', '@diff:|', ['@diff:staged', '@diff:main', '@diff:origin/main']],
    ['a branch', '@diff:mai|', ['@diff:main', '@diff:origin/main']],
    ['a chat', '@chat:log|', ['@chat:"Fix the login"']],
    ['a title that ends with punctuation, in quotes', '@chat:why|', ['@chat:"Why?"']],
    ['a chat in an open quote', '@chat:"Fix t|', ['@chat:"Fix the login"']],
    ['a command', '/pl|', ['/plan']],
    ['a command of two words', '/memory s|', ['/memory show']],
    ['a command by a part of its name', '/add|', ['/memory add']],
  ])('offers %s', async (_, text, expected) => {
    expect(await offered(text)).toEqual(expected);
  });

  it.each([
    ['an e-mail address', 'ada@src|'],
    ['a code fence', '```\n@src|'],
    ['a code span', 'see `@src|`'],
    ['the lines of a path', '@src/a.ts:1|'],
    ['lines as in a link', '@src/a.ts#L1|'],
    ['a slash in a sentence', 'and /pl|'],
    ['a slash in the second line', 'and\n/pl|'],
    ['text after a mention', '@src/a.ts src|'],
    ['text after a closed quote', '@"my notes.md" a|'],
    ['the lines of a buffer', '@buffer:3:1|'],
    ['a folder that is not there', '@../nowhere/|'],
    ['the argument of an unknown name', '@nobody:"a|'],
  ])('offers nothing in %s', async (_, text) => {
    expect(await offered(text)).toEqual([]);
  });

  it('replaces everything from the @, in units of UTF-16', async () => {
    const { start, typed } = await completePrompt({ text: '😀 @a', column: 5 }, sources);
    expect({ start, typed }).toEqual({ start: 3, typed: '@a' });
  });

  it('shows the hint and the description of a command without control characters', async () => {
    const [item] = (await completePrompt({ text: '/pl', column: 3 }, sources)).items;
    expect(item).toMatchObject({ detail: 'Make a plan', documentation: '/plan what for\n\nMake a plan' });
  });

  it('offers files in use before the names if nothing is typed', async () => {
    expect((await offered('@|')).slice(0, 3)).toEqual(['@src/a.ts', '@"my notes.md"', '@src/']);
    expect(await offered('@|')).toContain('@selection');
  });
});

describe('mentionOf', () => {
  it.each([
    ['a path', 'src/a.ts', '@src/a.ts'],
    ['a blank', 'a b.ts', '@"a b.ts"'],
    ['the name of something else', 'buffer', '@"buffer"'],
    ['a full stop at its end', 'a.', '@"a."'],
    ['a number like a line', 'a:10', '@"a:10"'],
    ['an @', 'pkg@1.2/a.ts', '@"pkg@1.2/a.ts"'],
    ['a quote', 'a"b', undefined],
    ['a newline', 'a\nb', undefined],
  ])('of a path with %s', (_, path, expected) => {
    expect(mentionOf(path)).toBe(expected);
  });
});

describe('the commands of an agent', () => {
  const complete = async (commands: CompletionSources['commands']) =>
    (await completePrompt({ text: '/', column: 1 }, { ...sources, commands })).items;

  it('are not all offered if there are very many', async () => {
    const many = Array.from({ length: 50_000 }, (_, at) => ({ name: `c${at}`, description: '', hint: '' }));
    expect(await complete(many)).toHaveLength(200);
  });

  it('are described in few and visible characters', async () => {
    const description = `\u001b[31m red \u202Etxt${'x'.repeat(200_000)}`;
    const [item] = await complete([{ name: 'go', description, hint: 'y'.repeat(100_000) }]);
    expect(item).toMatchObject({ label: '/go', detail: expect.stringMatching(/^\[31m red \ufffdtxtx+…$/) });
    expect(JSON.stringify(item).length).toBeLessThan(5_000);
  });

  it('are left out if their name can not be read', async () => {
    const names = ['a\u202Eb', 'a\u001b]0;x', 'x'.repeat(5_000), 'good'];
    const items = await complete(names.map((name) => ({ name, description: '', hint: undefined })));
    expect(items.map(({ label }) => label)).toEqual(['/good']);
  });
});

it('Neovim gets short commands, and none whose name is long or has control characters', () => {
  const long = 'x'.repeat(10_000);
  const commands = [
    { name: 'plan', description: `a\nb ${long}`, hint: `\u001b[2J${long}` },
    ...[long, 'a\nb', 'a\u202e'].map((name) => ({ name, description: '', hint: undefined })),
  ];
  const [plan, ...others] = commandsForNeovim(commands);
  expect(others.map(({ name }) => name)).toEqual(['a b']);
  expect(plan).toMatchObject({ name: 'plan', description: expect.stringMatching(/^a b x+…$/) });
  expect(plan?.hint).toMatch(/^[^\u001b]{1,2}2Jx+…$/);
  expect(JSON.stringify(plan).length).toBeLessThan(500);
});
