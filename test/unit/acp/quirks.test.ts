import { expect, it } from 'vitest';
import { meantBy, quirksOf } from '../../../src/acp/quirks.ts';
import { aChunk } from '../../support/builders.ts';

it.each([
  ['gemini-cli', '<session_context>\nThree files.'],
  ['@agentclientprotocol/claude-agent-acp', '[Request interrupted by user]'],
  ['@agentclientprotocol/claude-agent-acp', '[Request interrupted by user for tool use]'],
  ['Kimi Code CLI', '<system-reminder>\nThe previous turn was interrupted.\n</system-reminder>'],
])('what %s says in the name of the user is not shown: %s', (program, text) => {
  const quirks = quirksOf(program);
  expect(meantBy(aChunk(text, 'user'), quirks)).toEqual({ kind: 'nothing' });
  expect(meantBy(aChunk(text), quirks)).toEqual(aChunk(text));
  expect(meantBy(aChunk(`why "${text}"?`, 'user'), quirks)).toEqual(aChunk(`why "${text}"?`, 'user'));
});
