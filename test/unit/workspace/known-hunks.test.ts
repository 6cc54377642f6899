import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { HunkThread } from '../../../src/workspace/hunk-thread.ts';
import { hunksBetween as compare } from '../../../src/workspace/hunks.ts';
import { hunksBetween, prepareHunks } from '../../../src/workspace/known-hunks.ts';
import { buildOnce } from '../../support/build.ts';

const long = Array.from({ length: 50_000 }, (_, line) => `line ${line % 5_000}\n`);
const changed = long.map((line, at) => (at % 20 === 0 ? `changed ${at}\n` : line));
const program = path.resolve(import.meta.dirname, '../../../dist/hunk-worker.js');

describe('comparing long texts', () => {
  beforeAll(buildOnce, 60_000);

  it('is done in a thread when they are long, and found there afterwards', async () => {
    const thread = new HunkThread(program);
    await prepareHunks(long, changed, thread);
    const start = performance.now();
    const hunks = hunksBetween(long, changed);
    expect(performance.now() - start).toBeLessThan(5);
    expect(hunks).toEqual(compare(long, changed));
  });

  it('leaves no thread that would keep the process', async () => {
    const ports = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
    const before = ports();
    await new HunkThread(program).compare(long, changed);
    expect(ports()).toBe(before);
  });

  it('asks no thread when it is quick', async () => {
    const refuse = { compare: () => Promise.reject(new Error('asked')) };
    await prepareHunks(['a', 'b'], ['a', 'c'], refuse);
    await expect(prepareHunks([...long], changed, refuse)).rejects.toThrow('asked');
  });

  it('goes on without a thread where there is none', async () => {
    const missing = new HunkThread(path.join(program, 'none'));
    expect(await missing.compare(['a'], ['b'])).toEqual([{ from: 0, to: 1, lines: ['b'] }]);
  });
});
