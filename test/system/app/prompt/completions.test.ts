import { expect, it } from 'vitest';
import { PromptCompletion } from '../../../../src/app/prompt/completions.ts';
import { FileIndex } from '../../../../src/prompt/file-index.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { Deferred } from '../../../support/doubles/deferred.ts';
import { LogDouble } from '../../../support/doubles/log.ts';

/** The completion of a chat whose files are being listed for the first time. */
function duringFirstListing() {
  const listing = new Deferred<readonly string[]>();
  const clock = new ManualClock();
  const index = new FileIndex(() => listing.promise, clock, new LogDouble());
  const completion = new PromptCompletion(index, clock, {
    cwd: '/work',
    roots: ['/work'],
    commands: () => [],
    conversationNames: async () => [],
  });
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
