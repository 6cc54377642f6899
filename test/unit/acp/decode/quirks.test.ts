import { expect, it } from 'vitest';
import { applyQuirks, quirksOf } from '../../../../src/acp/decode/quirks.ts';
import { aChunk } from '../../../support/builders.ts';

it.each([
  ['gemini-cli', '<session_context>\nThree files.'],
  ['gemini-cli', '[Function Response: read_file][Function Response: run_shell_command]'],
  ['@agentclientprotocol/claude-agent-acp', '[Request interrupted by user]'],
  ['@agentclientprotocol/claude-agent-acp', '[Request interrupted by user for tool use]'],
  ['Kimi Code CLI', '<system-reminder>\nThe previous turn was interrupted.\n</system-reminder>'],
])('a user message that %s generated is hidden: %s', (program, text) => {
  const quirks = quirksOf(program);
  expect(applyQuirks(aChunk(text, 'user'), quirks)).toEqual({ kind: 'nothing' });
  expect(applyQuirks(aChunk(text), quirks)).toEqual(aChunk(text));
  expect(applyQuirks(aChunk(`why "${text}"?`, 'user'), quirks)).toEqual(aChunk(`why "${text}"?`, 'user'));
});

it('a tool call placeholder of Gemini ends a message and is hidden', () => {
  const quirks = quirksOf('gemini-cli');
  const marked = aChunk('I write.[Function Call: read_file][Function Call: write_file]');
  expect(applyQuirks(marked, quirks)).toEqual({ ...aChunk('I write.'), isCompleteMessage: true });
  const quoted = aChunk('It says [Function Call: x] there.');
  expect(applyQuirks(quoted, quirks)).toEqual(quoted);
});
