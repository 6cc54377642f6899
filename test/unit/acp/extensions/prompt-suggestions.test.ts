import { describe, expect, it } from 'vitest';
import {
  decodeQwenSuggestion,
  decodeSuggestions,
} from '../../../../src/acp/extensions/prompt-suggestions.ts';

const update = (suggestions: unknown, sessionUpdate = 'session_info_update') => ({
  sessionUpdate,
  _meta: { promptSuggestions: { suggestions } },
});

describe('suggestions for the next prompt', () => {
  it.each<[string, unknown, readonly string[] | undefined]>([
    ['texts', update([{ text: 'run the tests' }, { text: 'commit' }]), ['run the tests', 'commit']],
    ['none', update([]), []],
    ['what is no text', update([{ text: 1 }, 'x', null, { text: '' }, { text: 'ok' }]), ['ok']],
    ['another update', update([{ text: 'a' }], 'plan'), undefined],
    ['an update without them', { sessionUpdate: 'session_info_update', title: 'T' }, undefined],
    ['a wrong shape', update('a'), undefined],
    ['no object', null, undefined],
  ])('of %s', (_, wire, expected) => expect(decodeSuggestions(wire)).toEqual(expected));

  it('of Qwen Code are a notification', () => {
    expect(decodeQwenSuggestion({ v: 1, sessionId: 's', suggestion: 'commit' })).toEqual(['commit']);
    expect(decodeQwenSuggestion({ v: 1, sessionId: 's' })).toEqual([]);
  });
});
