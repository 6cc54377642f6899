import { expect, it } from 'vitest';
import { decodeTurnTokens } from '../../../../src/acp/decode/turn-tokens.ts';

it.each<[string, unknown, number | undefined]>([
  ['the total', { usage: { totalTokens: 30, inputTokens: 1, outputTokens: 2 } }, 30],
  ['input and output', { usage: { inputTokens: 10, outputTokens: 5 } }, 15],
  [
    'the quota of some agents',
    { _meta: { quota: { token_count: { input_tokens: 7, output_tokens: 2 } } } },
    9,
  ],
  ['nothing', { stopReason: 'end_turn' }, undefined],
  ['no numbers', { usage: { totalTokens: '30', inputTokens: -1, outputTokens: Number.NaN } }, undefined],
  ['no answer', undefined, undefined],
])('the tokens of a turn are read from %s', (_, answer, expected) => {
  expect(decodeTurnTokens(answer)).toBe(expected);
});
