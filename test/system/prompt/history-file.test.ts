import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { HistoryFile } from '../../../src/prompt/history-file.ts';
import { LogDouble } from '../../support/doubles/log.ts';
import { aFolder } from '../../support/system/temp.ts';

const texts = async (file: HistoryFile) => (await file.read()).map(({ text }) => text);

function aHistory(folder = path.join(aFolder(), 'history'), project = '/project') {
  const log = new LogDouble();
  return { folder, log, history: new HistoryFile(folder, project, log) };
}

describe('a history file', () => {
  it('returns the newest prompt first, with line breaks, and equal neighbours once', async () => {
    const { folder, history } = aHistory();
    history.append('one', 1);
    history.append('two\nlines', 2);
    history.append('two\nlines', 3);
    // Another Neovim does not know what was appended last.
    aHistory(folder).history.append('two\nlines', 4);
    history.append('one', 5);
    expect(await texts(history)).toEqual(['one', 'two\nlines', 'one']);
    expect((await history.read())[0]).toEqual({ text: 'one', at: 5 });
  });

  it('keeps the projects apart', async () => {
    const { folder, history } = aHistory();
    history.append('mine', 1);
    expect(await texts(aHistory(folder, '/other').history)).toEqual([]);
  });

  it('skips lines that are damaged, incomplete or of another kind', async () => {
    const { history } = aHistory();
    history.append('one', 1);
    fs.appendFileSync(
      history.file,
      '\n{"at":2,"te\n[]\n{"text":7}\n{"text":" "}\nnull\n{"text":"undated"}\n{"at":3',
    );
    history.append('two', 4);
    expect(await texts(history)).toEqual(['two', 'undated', 'one']);
  });

  it('stays below a megabyte and keeps the newest prompts', async () => {
    const { folder, history } = aHistory();
    const long = 'x'.repeat(10_000);
    for (let index = 0; index < 200; index += 1) history.append(`${index} ${long}`, index);
    const sizes = fs.readdirSync(folder).map((name) => fs.statSync(path.join(folder, name)).size);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(1024 * 1024 + 20_000);
    const kept = await texts(history);
    expect(kept[0]).toMatch(/^199 /);
    expect(kept.length).toBeGreaterThan(50);
    expect(kept.map((text) => parseInt(text, 10))).toEqual(kept.map((_, index) => 199 - index));
  });

  it('does not remember a prompt of more than 64 KB', async () => {
    const { history } = aHistory();
    history.append('x'.repeat(64 * 1024 + 1), 1);
    expect(await texts(history)).toEqual([]);
  });

  it('loses nothing when several processes write at once', async () => {
    const { folder, history } = aHistory();
    const script = path.join(aFolder(), 'writer.mjs');
    const input = path.resolve(import.meta.dirname, '../../../src/prompt/history-file.ts');
    const bundle = await rolldown({ input, platform: 'node' });
    await bundle.write({ file: script });
    const loop = `
      const { HistoryFile } = await import(process.argv[1]);
      const [, , folder, name] = process.argv;
      const history = new HistoryFile(folder, '/project', { error: console.error });
      for (let index = 0; index < 100; index += 1) history.append(name + ' ' + index + ' é'.repeat(800), index);`;
    const writers = ['a', 'b', 'c'].map((name) =>
      spawn(process.execPath, ['--input-type=module', '-e', loop, script, folder, name]),
    );
    await Promise.all(writers.map((writer) => once(writer, 'exit')));
    const kept = await texts(history);
    for (const name of ['a', 'b', 'c']) {
      const own = kept.filter((text) => text.startsWith(`${name} `));
      expect(own.map((text) => Number(text.split(' ')[1]))).toEqual(own.map((_, index) => 99 - index));
    }
    expect(kept).toHaveLength(300);
    expect(fs.readdirSync(folder)).toHaveLength(2);
  });

  it('forgets everything when it is cleared', async () => {
    const { folder, history } = aHistory();
    history.append('one', 1);
    const before = await history.version();
    await history.clear();
    expect(await history.version()).not.toBe(before);
    expect(fs.readdirSync(folder)).toEqual([]);
    history.append('one', 2);
    expect(await texts(history)).toEqual(['one']);
  });

  it('of the project that was not used for longest is deleted when there are too many', () => {
    const { folder, history } = aHistory();
    fs.mkdirSync(folder, { recursive: true });
    for (let index = 0; index < 205; index += 1) {
      const file = path.join(folder, `${index}.jsonl`);
      fs.writeFileSync(file, '');
      fs.utimesSync(file, index + 1, index + 1);
    }
    history.append('one', 1);
    const names = fs.readdirSync(folder);
    expect(names).toHaveLength(200);
    expect(names).toContain('204.jsonl');
    expect(names).not.toContain('5.jsonl');
  });

  it('that cannot be written is reported in the log only', () => {
    const folder = path.join(aFolder(), 'file');
    fs.writeFileSync(folder, '');
    const { history, log } = aHistory(folder);
    history.append('one', 1);
    expect(log.lines.join('\n')).toContain('could not remember the prompt');
  });
});
