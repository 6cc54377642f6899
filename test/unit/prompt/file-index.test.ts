import { expect, it } from 'vitest';
import { FileIndex } from '../../../src/prompt/file-index.ts';
import { ManualClock } from '../../support/doubles/clock.ts';
import { Deferred } from '../../support/doubles/deferred.ts';
import { LogDouble } from '../../support/doubles/log.ts';

function index(lists: readonly (readonly string[] | Promise<readonly string[]>)[]) {
  const clock = new ManualClock();
  const log = new LogDouble();
  const asked: string[] = [];
  const files = new FileIndex(
    async (folder) => {
      asked.push(folder);
      return lists[asked.length - 1] ?? [];
    },
    clock,
    log,
  );
  return { files, clock, log, asked };
}

it('answers from memory, first with nothing, then with the files and their folders', async () => {
  const { files, asked } = index([['a/b/c.ts', 'd.ts']]);
  expect(files.get('/w')).toBeUndefined();
  expect(files.get('/w')).toBeUndefined();
  await files.settled('/w');
  expect(files.get('/w')?.paths).toEqual(['a/b/c.ts', 'd.ts', 'a/b/', 'a/']);
  expect(asked).toEqual(['/w']);
});

it('lists again when the list is old, and answers with the old one meanwhile', async () => {
  const { files, clock, asked } = index([['a.ts'], ['a.ts', 'b.ts']]);
  files.get('/w');
  await files.settled('/w');
  clock.advance(2_000);
  files.get('/w');
  expect(asked).toHaveLength(1);
  clock.advance(2_000);
  expect(files.get('/w')?.paths).toEqual(['a.ts']);
  await files.settled('/w');
  expect(files.get('/w')?.paths).toEqual(['a.ts', 'b.ts']);
});

it('lists again also after the system clock was set back', async () => {
  const { files, clock, asked } = index([['a.ts'], ['b.ts']]);
  files.get('/w');
  await files.settled('/w');
  clock.setBack(3_600_000);
  clock.advance(4_000);
  files.get('/w');
  await files.settled('/w');
  expect(asked).toHaveLength(2);
});

it('keeps the list object if nothing has changed', async () => {
  const { files, clock } = index([['a.ts'], ['a.ts']]);
  files.get('/w');
  await files.settled('/w');
  const before = files.get('/w');
  clock.advance(10_000);
  files.get('/w');
  await files.settled('/w');
  expect(files.get('/w')).toBe(before);
});

it('logs a listing that fails, and tries again later', async () => {
  const { files, clock, log } = index([Promise.reject(new Error('no')), ['a.ts']]);
  files.get('/w');
  await files.settled('/w');
  expect(log.lines).toEqual(['error could not list the files of /w: Error: no']);
  clock.advance(10_000);
  files.get('/w');
  await files.settled('/w');
  expect(files.get('/w')?.paths).toEqual(['a.ts']);
});

it('ends after the listing that runs, and starts no other', async () => {
  const first = new Deferred<readonly string[]>();
  const { files, asked } = index([first.promise]);
  files.get('/w');
  const end = files.end();
  first.resolve(['a.ts']);
  await end;
  expect(files.get('/w')).toBeUndefined();
  files.get('/other');
  expect(asked).toEqual(['/w']);
});
