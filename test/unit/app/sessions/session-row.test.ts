import { expect, it } from 'vitest';
import { lastLineOf } from '../../../../src/app/sessions/session-row.ts';
import { aChunk } from '../../../support/builders.ts';
import { TranscriptHarness } from '../../../support/transcript-harness.ts';

it.each([
  ['the last line', 'one\ntwo\n\n', 'two'],
  ['no end of a code block', 'so:\n```js\nrun();\n```\n', 'run();'],
  ['no line of a table', '| a |\n| b |\n|---|\n', '| b |'],
  ['nothing if there are no words', '```\n', undefined],
])('shows %s', (_, text, expected) => {
  expect(lastLineOf(new TranscriptHarness(aChunk(text)).state)).toBe(expected);
});
