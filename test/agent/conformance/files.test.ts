import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { type AgentHarness, it } from '../../support/agents/agent-harness.ts';
import { aScenario } from '../../support/agents/session-scenario.ts';
import { answerWithoutBuffers, EditorDouble } from '../../support/doubles/editor.ts';
import { withoutTerminals } from '../../support/workspace/workspace.ts';

/** An agent with the files of a folder, none of which is open in the editor. */
async function withFiles(harness: AgentHarness) {
  const editor = new EditorDouble();
  editor.call = answerWithoutBuffers;
  const scenario = aScenario(harness, { workspace: withoutTerminals(editor) });
  await scenario.begin();
  const { agent } = scenario;
  const at = (name: string) => path.join(harness.folder, name);
  return {
    at,
    read: (file: string, fields: object = {}) =>
      agent.request('fs/read_text_file', { sessionId: 's1', path: file, ...fields }),
    write: (file: string, content: string) =>
      agent.request('fs/write_text_file', { sessionId: 's1', path: file, content }),
  };
}

describe.concurrent('a file request', () => {
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
    'FS-2: reads from a line counted from 1, up to a limit of lines: %j',
    async ([fields, content], { harness }) => {
      const { at, read } = await withFiles(harness);
      fs.writeFileSync(at('a.txt'), 'one\ntwo\nthree\n');
      expect((await read(at('a.txt'), fields)).result).toEqual({ content });
    },
  );

  it('FS-3: creates the file and its folders on write', async ({ harness }) => {
    const { at, write } = await withFiles(harness);
    for (const name of ['new.txt', 'a/b/c/new.txt']) {
      expect((await write(at(name), 'hello\n')).result).toEqual({});
      expect(fs.readFileSync(at(name), 'utf8')).toBe('hello\n');
    }
  });

  it('FS-4: needs an absolute path, and the error about a missing file contains its uri', async ({
    harness,
  }) => {
    const { at, read, write } = await withFiles(harness);
    for (const relative of ['a.txt', './a.txt', '../a.txt', '', '~/a.txt']) {
      expect((await read(relative)).error?.code).toBe(-32602);
      expect((await write(relative, 'x')).error?.code).toBe(-32602);
    }
    const { error } = await read(at('a missing.txt'));
    expect(error?.code).toBe(-32002);
    expect(error?.data).toEqual({ uri: `file://${harness.folder}/a%20missing.txt` });
  });
});
