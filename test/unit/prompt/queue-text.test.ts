import { describe, expect, it } from 'vitest';
import { trimBlankLines } from '../../../src/base/text.ts';
import { formatPrompt, parseQueue } from '../../../src/prompt/queue-text.ts';
import { fc } from '../../support/property.ts';

const formatQueue = (prompts: readonly string[]) => prompts.map(formatPrompt).join('\n');

describe('the queue as text', () => {
  it('is a list', () => {
    expect(formatQueue(['fix it', 'test it\n\n  with care', '- a list\n- of two'])).toBe(
      ['- fix it', '- test it', '', '    with care', '- - a list', '  - of two'].join('\n'),
    );
  });

  it('is read as it was written', () => {
    const lines = fc.array(fc.constantFrom('', ' ', '-', '- ', '- a', '  b', 'ü 😀', '\\', '---', '\t'));
    const prompt = lines.map((list) => list.join('\n'));
    fc.assert(
      fc.property(fc.array(prompt), (prompts) => {
        const kept = prompts.map(trimBlankLines).filter((text) => text !== '');
        expect(parseQueue(formatQueue(kept))).toEqual(kept);
      }),
    );
  });

  it.each<[string, string, readonly string[]]>([
    ['nothing', '', []],
    ['a line that was moved', '- two\n- one', ['two', 'one']],
    ['blank lines between prompts', '- one\n\n\n- two\n\n', ['one', 'two']],
    ['text without a bullet', 'one\ntwo', ['one\ntwo']],
    ['a line without an indent', '- one\ntwo\n- three', ['one\ntwo', 'three']],
    ['an empty item', '- one\n-\n- \n- two', ['one', 'two']],
  ])('accepts %s', (_, text, prompts) => expect(parseQueue(text)).toEqual(prompts));
});
