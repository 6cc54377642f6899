import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { DiffThread } from '../../../src/diff/diff-thread.ts';
import { cachedHunks, cacheHunks } from '../../../src/diff/hunk-cache.ts';
import { computeHunks } from '../../../src/diff/hunks.ts';
import { cpuTime } from '../../support/cpu-time.ts';
import { buildOnce } from '../../support/system/build.ts';

const long = Array.from({ length: 50_000 }, (_, line) => `line ${line % 5_000}\n`);
const changed = long.map((line, at) => (at % 20 === 0 ? `changed ${at}\n` : line));
const program = path.resolve(import.meta.dirname, '../../../dist/diff-worker.js');

describe('cacheHunks', () => {
  beforeAll(buildOnce, 60_000);

  it('compares long texts in the worker thread and caches the hunks', async () => {
    const thread = new DiffThread(program);
    await cacheHunks(long, changed, thread);
    const start = cpuTime();
    const hunks = cachedHunks(long, changed);
    // Computing them takes about 80.
    expect(cpuTime() - start).toBeLessThan(25);
    expect(hunks).toEqual(computeHunks(long, changed));
  });

  it('leaves no thread that keeps the process alive', async () => {
    const ports = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length;
    const before = ports();
    await new DiffThread(program).compare(long, changed);
    expect(ports()).toBe(before);
  });

  it('compares short texts without a thread', async () => {
    const refuse = { compare: () => Promise.reject(new Error('asked')) };
    await cacheHunks(['a', 'b'], ['a', 'c'], refuse);
    await expect(cacheHunks([...long], changed, refuse)).rejects.toThrow('asked');
  });

  it('compares in the main thread if the worker program is missing', async () => {
    const missing = new DiffThread(path.join(program, 'none'));
    expect(await missing.compare(['a'], ['b'])).toEqual([{ from: 0, to: 1, lines: ['b'] }]);
  });
});
