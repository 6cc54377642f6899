import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { References } from '../../../../src/app/chat/references.ts';
import type { FileIndex } from '../../../../src/prompt/file-index.ts';
import { EditorDouble } from '../../../support/doubles/editor.ts';
import { aFolder } from '../../../support/system/temp.ts';

/** A session with two folders, and a folder in which a command ran. */
function aSession() {
  const folder = aFolder();
  const [work, lib, elsewhere] = ['work', 'lib', 'elsewhere'].map((name) => path.join(folder, name)) as [
    ...[string, string, string],
  ];
  const files = [
    'work/src/a.ts',
    'work/Makefile',
    'work/both.ts',
    'lib/both.ts',
    'lib/only.ts',
    'elsewhere/out.log',
  ];
  for (const name of [...files, 'work/a/b.ts', 'work/deep/one/c.ts', 'work/deep/two/c.ts']) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), 'x');
  }
  const paths = ['src/a.ts', 'deep/one/c.ts', 'deep/two/c.ts'];
  const index = {
    get: (of: string) => ({ paths: of === work ? paths : [] }),
    settled: async () => undefined,
  };
  const editor = new EditorDouble();
  const references = new References(1, [work, lib], editor, index as unknown as FileIndex);
  /** The cursor is where the bar stands. */
  const find = (line: string, ...more: readonly [folder?: string, isFolderWanted?: boolean]) => {
    const [before = '', after = ''] = line.split('|');
    return references.find({ before, after }, ...more);
  };
  return { work, lib, elsewhere, find };
}

it('a path in the chat is found in the folders of the session, the first one first', async () => {
  const { work, lib, find } = aSession();
  expect(await find('see src|/a.ts')).toMatchObject({ file: `${work}/src/a.ts` });
  expect(await find('see src/|a.ts:7:3')).toMatchObject({ file: `${work}/src/a.ts`, line: 7, column: 3 });
  expect(await find('see ./bo|th.ts')).toMatchObject({ file: `${work}/both.ts` });
  expect(await find('see ./on|ly.ts')).toMatchObject({ file: `${lib}/only.ts` });
  expect(await find(`see ${lib}/bo|th.ts`)).toMatchObject({ file: `${lib}/both.ts` });
  expect(await find('see ./miss|ing.ts')).toBeUndefined();
});

it('a path in the output of a command is found where that ran, before all others', async () => {
  const { work, elsewhere, find } = aSession();
  expect(await find('see ./out|.log')).toBeUndefined();
  expect(await find('see ./out|.log', elsewhere)).toMatchObject({ file: `${elsewhere}/out.log` });
  expect(await find('see src|/a.ts', elsewhere)).toMatchObject({ file: `${work}/src/a.ts` });
});

it('a path in a diff of git is found without its first letter, unless there is such a folder', async () => {
  const { work, find } = aSession();
  expect(await find('+++ b/src|/a.ts')).toMatchObject({ file: `${work}/src/a.ts` });
  expect(await find('--- a/|b.ts')).toMatchObject({ file: `${work}/a/b.ts` });
  expect(await find('+++ c/src|/a.ts')).toBeUndefined();
});

it('a word is a folder only if the user asks for that, and a file at once', async () => {
  const { work, find } = aSession();
  expect(await find('the sr|c of it')).toBeUndefined();
  expect(await find('the sr|c of it', undefined, true)).toMatchObject({ file: `${work}/src` });
  expect(await find('the src|/ of it')).toMatchObject({ file: expect.stringContaining(`${work}/src`) });
  expect(await find('the Make|file of it')).toMatchObject({ file: `${work}/Makefile` });
});

it('a name without its folder is found if one file has it, and all are named if several have', async () => {
  const { work, find } = aSession();
  expect(await find('see a.|ts:4')).toEqual({ file: `${work}/src/a.ts`, line: 4, column: undefined });
  expect(await find('see one/|c.ts')).toMatchObject({ file: `${work}/deep/one/c.ts` });
  expect(await find('see c|.ts:2')).toEqual({
    files: [`${work}/deep/one/c.ts`, `${work}/deep/two/c.ts`],
    line: 2,
    column: undefined,
  });
  expect(await find('see ./c|.ts')).toBeUndefined();
  expect(await find('see not|hing')).toBeUndefined();
});

it('an address is one also if a file has its name', async () => {
  const { find } = aSession();
  expect(await find('see https://exam|ple.org/src/a.ts')).toEqual({ url: 'https://example.org/src/a.ts' });
});
