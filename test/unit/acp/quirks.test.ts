import { expect, it } from 'vitest';
import { meantBy, quirksOf } from '../../../src/acp/quirks.ts';
import { aChunk } from '../../support/builders.ts';

it.each([
  ['gemini-cli', '<session_context>\nThree files.'],
  ['gemini-cli', '[Function Response: read_file][Function Response: run_shell_command]'],
  ['@agentclientprotocol/claude-agent-acp', '[Request interrupted by user]'],
  ['@agentclientprotocol/claude-agent-acp', '[Request interrupted by user for tool use]'],
  ['Kimi Code CLI', '<system-reminder>\nThe previous turn was interrupted.\n</system-reminder>'],
])('what %s says in the name of the user is not shown: %s', (program, text) => {
  const quirks = quirksOf(program);
  expect(meantBy(aChunk(text, 'user'), quirks)).toEqual({ kind: 'nothing' });
  expect(meantBy(aChunk(text), quirks)).toEqual(aChunk(text));
  expect(meantBy(aChunk(`why "${text}"?`, 'user'), quirks)).toEqual(aChunk(`why "${text}"?`, 'user'));
});

it('a mark of Gemini for a tool call ends a message and is not shown', () => {
  const quirks = quirksOf('gemini-cli');
  const marked = aChunk('I write.[Function Call: read_file][Function Call: write_file]');
  expect(meantBy(marked, quirks)).toEqual({ ...aChunk('I write.'), isWhole: true });
  const quoted = aChunk('It says [Function Call: x] there.');
  expect(meantBy(quoted, quirks)).toEqual(quoted);
});
