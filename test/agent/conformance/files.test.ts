import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { it, type Workshop } from '../../support/agent-it.ts';
import { EditorDouble } from '../../support/doubles.ts';
import { meet } from '../../support/encounter.ts';
import { withoutTerminals } from '../../support/workspace.ts';

/** An agent with the files of a folder, in an editor that has none of them open. */
async function withFiles(workshop: Workshop) {
  const editor = new EditorDouble();
  editor.call = async () => null;
  const encounter = await meet(workshop, { workspace: withoutTerminals(editor) });
  await encounter.begin();
  const { agent } = encounter;
  const at = (name: string) => path.join(workshop.folder, name);
  return {
    at,
    read: (file: string, fields: object = {}) =>
      agent.ask('fs/read_text_file', { sessionId: 's1', path: file, ...fields }),
    write: (file: string, content: string) =>
      agent.ask('fs/write_text_file', { sessionId: 's1', path: file, content }),
  };
}

describe.concurrent('a file', () => {
  it.for<[object, string]>([
    [{}, 'one\ntwo\nthree\n'],
    [{ line: null, limit: null }, 'one\ntwo\nthree\n'],
    [{ line: 0 }, 'one\ntwo\nthree\n'],
    [{ line: 1, limit: 1 }, 'one\n'],
    [{ line: 2 }, 'two\nthree\n'],
    [{ line: 2, limit: 1 }, 'two\n'],
    [{ line: 3, limit: 99 }, 'three\n'],
    [{ line: 4 }, ''],
    [{ line: 99, limit: 1 }, ''],
    [{ limit: 0 }, ''],
  ])(
    'FS-2: is read from a line counted from 1, so many lines at most: %j',
    async ([fields, content], { workshop }) => {
      const { at, read } = await withFiles(workshop);
      fs.writeFileSync(at('a.txt'), 'one\ntwo\nthree\n');
      expect((await read(at('a.txt'), fields)).result).toEqual({ content });
    },
  );

  it('FS-3: is made by writing it, with the folders on the way', async ({ workshop }) => {
    const { at, write } = await withFiles(workshop);
    for (const name of ['new.txt', 'a/b/c/new.txt']) {
      expect((await write(at(name), 'hello\n')).result).toEqual({});
      expect(fs.readFileSync(at(name), 'utf8')).toBe('hello\n');
    }
  });

  it('FS-4: has an absolute path, and is told to be missing by its address', async ({ workshop }) => {
    const { at, read, write } = await withFiles(workshop);
    for (const relative of ['a.txt', './a.txt', '../a.txt', '', '~/a.txt']) {
      expect((await read(relative)).error?.code).toBe(-32602);
      expect((await write(relative, 'x')).error?.code).toBe(-32602);
    }
    const { error } = await read(at('a missing.txt'));
    expect(error?.code).toBe(-32002);
    expect(error?.data).toEqual({ uri: `file://${workshop.folder}/a%20missing.txt` });
  });
});
