import fs from 'node:fs';
import { expect } from 'vitest';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { trackFiles } from '../support/workspace/tracked-files.ts';

const starts = {
  'without a last line end': 'one\ntwo',
  'with DOS line ends, but none at the end': 'one\r\ntwo',
  'with a byte order mark': '\ufeffone\ntwo',
  'with a last line end': 'one\ntwo\n',
  'with Mac line ends': 'one\rtwo\r',
  empty: '',
};
const writes = ['agent\n', 'agent', 'one\nagent\n', 'one\r\nagent\r\n'];
const ways = ['not open', 'open', 'opened afterwards'] as const;
type Files = Awaited<ReturnType<typeof trackFiles>>;

async function reject({ changes }: Files): Promise<void> {
  await changes.scan();
  await changes.decisions.decide({ verdict: 'reject', scope: 'session' });
}

async function restore({ changes }: Files): Promise<void> {
  await changes.checkpoints.restore(
    changes.ledger.checkpoints.find(({ kind }) => kind === 'prompt')!.id,
    true,
  );
}

const ends = { reject, restore };

async function startWith(nvim: TestNvim, content: string) {
  await nvim.command('silent %bwipeout!');
  const files = await trackFiles(nvim);
  fs.writeFileSync(files.at('a.txt'), content);
  return files;
}

const cases = Object.keys(starts).flatMap((start) =>
  ways.flatMap((way) => Object.keys(ends).map((end) => [start, way, end] as const)),
) as [keyof typeof starts, (typeof ways)[number], keyof typeof ends][];

it.for(['fixendofline', 'nofixendofline'])(
  'a reject or restore gives back the bytes of a file, and its undo the bytes of the agent, with %s',
  { timeout: 120_000 },
  async (option, { start }) => {
    const nvim = await start();
    await nvim.command(`set noswapfile ${option}`);
    for (const [name, way, end] of cases) {
      for (const written of writes) {
        for (const isByItself of [false, true]) {
          const files = await startWith(nvim, starts[name]);
          const what = JSON.stringify([name, way, end, written, isByItself]);
          if (way === 'open') await nvim.command('silent edit a.txt');
          await files.changes.beginTurn('go');
          if (isByItself) fs.writeFileSync(files.at('a.txt'), written);
          else await files.write('a.txt', written);
          const changed = files.onDisk('a.txt');
          await files.changes.scan();
          if (way === 'opened afterwards') await nvim.command('silent edit a.txt');
          await ends[end](files);
          expect(files.onDisk('a.txt'), what).toBe(starts[name]);
          if (end === 'reject') {
            await files.changes.decisions.undo();
            expect(files.onDisk('a.txt'), what).toBe(changed);
          }
          expect(files.conflicts, what).toEqual([]);
          await files.changes.end();
        }
      }
    }
  },
);

it.for([
  ['neither the file nor the agent', 'one\ntwo\nthree', 'one\ntwo\nTHREE', 'one\ntwo\nTHREE'],
  ['the agent only', 'one\ntwo\nthree', 'one\ntwo\nTHREE\n', 'one\ntwo\nTHREE\n'],
  ['the file only', 'one\ntwo\nthree\n', 'one\ntwo\nTHREE', 'one\ntwo\nTHREE'],
] as const)(
  'the disk gets the last line end that the agent wrote, also beside unsaved text: %s',
  async ([, before, written, after], { start }) => {
    const nvim = await start();
    for (const isUnsaved of [false, true]) {
      const files = await startWith(nvim, before);
      await nvim.command('silent edit a.txt');
      if (isUnsaved) await nvim.command('call setline(1, "mine")');
      expect(await files.read('a.txt')).toBe(isUnsaved ? before.replace('one', 'mine') : before);
      await files.write('a.txt', isUnsaved ? written.replace('one', 'mine') : written);
      expect(files.onDisk('a.txt')).toBe(after);
      expect(files.conflicts).toEqual([]);
      await files.changes.end();
    }
  },
);

it('a line end that the user’s own save adds is theirs', async ({ start }) => {
  const nvim = await start();
  const files = await startWith(nvim, 'one\ntwo');
  await nvim.command('silent edit a.txt');
  await files.changes.beginTurn('go');
  await files.write('a.txt', 'ONE\ntwo');
  await nvim.command('silent write');
  await files.changes.onSaved(files.at('a.txt'));
  expect(await files.read('a.txt')).toBe('ONE\ntwo\n');
  await reject(files);
  expect(files.onDisk('a.txt')).toBe('one\ntwo\n');
  expect(await nvim.lua('return vim.bo.fixendofline')).toBe(true);
  await files.changes.end();
});

it('a file with Mac line ends is no conflict, and other lines stay', async ({ start }) => {
  const nvim = await start();
  const files = await startWith(nvim, 'one\rtwo\r');
  await nvim.command('silent edit a.txt');
  expect(await files.read('a.txt')).toBe('one\rtwo\r');
  await files.write('a.txt', 'one\rTWO\r');
  expect(files.onDisk('a.txt')).toBe('one\rTWO\r');
  expect(files.conflicts).toEqual([]);
  await files.changes.end();
});
