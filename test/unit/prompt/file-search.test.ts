import { describe, expect, it } from 'vitest';
import { fileList } from '../../../src/prompt/file-index.ts';
import { type FileHints, searchFiles } from '../../../src/prompt/file-search.ts';

const files = [
  'README.md',
  'doc/chat.svg',
  'lua/acp/chat/prompt.lua',
  'lua/acp/operations.lua',
  'src/app/chat/chat.ts',
  'src/app/operations.ts',
  'src/nvim/render-loop.ts',
  'src/prompt/completion.ts',
  'test/nvim/prompt.test.ts',
  'test/unit/nvim/render-loop.test.ts',
];
const noHints: FileHints = { open: [], recent: [], current: undefined };

async function search(query: string, hints: Partial<FileHints> = {}): Promise<readonly string[]> {
  const list = await fileList(files);
  return searchFiles(list, query, { ...noHints, ...hints }, 20).map(({ path }) => path);
}

describe('searchFiles', () => {
  it.each([
    ['the name', 'render-loop.ts', 'src/nvim/render-loop.ts'],
    ['letters of the name', 'rndrloop', 'src/nvim/render-loop.ts'],
    ['letters of folders and name', 'luachatpr', 'lua/acp/chat/prompt.lua'],
    ['a part of the path', 'chat/pro', 'lua/acp/chat/prompt.lua'],
    ['other case', 'readme', 'README.md'],
    ['a folder', 'src/app/ch', 'src/app/chat/'],
  ])('finds a path by %s', async (_, query, expected) => {
    expect((await search(query)).slice(0, 2)).toContain(expected);
  });

  it('finds nothing if a letter is missing', async () => {
    expect(await search('xyz')).toEqual([]);
  });

  it('prefers an open file, also one that the list leaves out', async () => {
    expect((await search('operations', { open: ['lua/acp/operations.lua'] }))[0]).toBe(
      'lua/acp/operations.lua',
    );
    expect((await search('operations', { open: ['src/app/operations.ts'] }))[0]).toBe(
      'src/app/operations.ts',
    );
    expect(await search('.env', { open: ['.env.local'] })).toEqual(['.env.local']);
  });

  it('prefers a file that was used before, and one near the current file', async () => {
    expect((await search('operations', { recent: ['lua/acp/operations.lua'] }))[0]).toBe(
      'lua/acp/operations.lua',
    );
    const near = { current: 'lua/acp/commands.lua' };
    expect((await search('operations', near))[0]).toBe('lua/acp/operations.lua');
  });

  it('begins with the files in use and those at the top if nothing is typed', async () => {
    const found = await search('', { open: ['src/prompt/completion.ts'], current: 'src/app/host.ts' });
    expect(found[0]).toBe('src/prompt/completion.ts');
    expect(found).toEqual(expect.arrayContaining(['README.md', 'src/', 'src/app/operations.ts']));
    expect(found).not.toContain('doc/chat.svg');
  });

  it('finds the same with a query that grows as with one that is typed at once', async () => {
    const list = await fileList(files);
    for (const query of ['r', 're', 'ren', 'render']) searchFiles(list, query, noHints, 20);
    const grown = searchFiles(list, 'render', noHints, 20).map(({ path }) => path);
    expect(grown).toEqual(await search('render'));
    expect(searchFiles(list, 'read', noHints, 20).map(({ path }) => path)).toEqual(await search('read'));
  });
});
