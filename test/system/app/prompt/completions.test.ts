import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { PromptCompletion } from '../../../../src/app/prompt/completions.ts';
import { FileIndex } from '../../../../src/prompt/file-index.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { Deferred } from '../../../support/doubles/deferred.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { aFolder } from '../../../support/system/temp.ts';

function completionIn(
  cwd: string,
  index = new FileIndex(async () => [], new ManualClock(), new LogDouble()),
  clock = new ManualClock(),
): PromptCompletion {
  const context = { cwd, roots: [cwd], commands: () => [], conversationNames: async () => [] };
  return new PromptCompletion(index, clock, context);
}

/** The completion of a chat whose files are being listed for the first time. */
function duringFirstListing() {
  const listing = new Deferred<readonly string[]>();
  const clock = new ManualClock();
  const index = new FileIndex(() => listing.promise, clock, new LogDouble());
  const completion = completionIn('/work', index, clock);
  completion.prepare({ open: [], recent: [], buffers: [] });
  const offered = async (text: string) =>
    (await completion.complete({ text, column: text.length })).items.map((item) => item.text);
  return { listing, offered };
}

it('what is typed during the first listing is completed when the files are known', async () => {
  const { listing, offered } = duringFirstListing();
  const found = offered('@gre');
  listing.resolve(['src/greet.lua', 'src/other.lua']);
  expect(await found).toEqual(['@src/greet.lua']);
});

it('the names are offered during the first listing', async () => {
  expect(await duringFirstListing().offered('@')).toContain('@diagnostics');
});

it('a listing that takes long is not waited for', async () => {
  expect(await duringFirstListing().offered('@diag')).toEqual(['@diagnostics']);
});

it.each([
  ['one line of a file', 'a.ts', { first: 2, last: 2 }, 'two'],
  ['a file of one line without an end', 'b.ts', undefined, 'only'],
  ['the last lines of a range', 'a.ts', { first: 3, last: 9 }, 'three\n'],
  ['a place behind the end', 'a.ts', { first: 9, last: 9 }, undefined],
  ['an empty file', 'empty', undefined, undefined],
])('the preview of %s', async (_, name, range, expected) => {
  const cwd = aFolder();
  const texts = { 'a.ts': 'one\ntwo\nthree\n', 'b.ts': 'only', empty: '' };
  for (const [file, text] of Object.entries(texts)) fs.writeFileSync(path.join(cwd, file), text);
  expect(await completionIn(cwd).preview(name, range)).toBe(expected);
});
