import { describe, expect, it } from 'vitest';
import { joinPrompts, type Prompt, promptFrom, promptRecord, textPrompt } from '../../../src/model/prompt.ts';

const attached: Prompt = {
  text: 'look @a.ts',
  attachments: [{ kind: 'file', start: 5, end: 10, uri: 'file:///a.ts', name: 'a.ts' }],
};

describe('promptRecord', () => {
  it('has attachments only if there are any', () => {
    expect(promptRecord(textPrompt('go'))).toEqual({ text: 'go' });
    expect(promptRecord(attached)).toEqual(attached);
  });

  it('without attachments, as in earlier journals, is read as a prompt with none', () => {
    expect(promptFrom({ text: 'go' })).toEqual({ text: 'go', attachments: [] });
  });
});

it('joinPrompts keeps all texts, and the attachments at their mentions', () => {
  const joined = joinPrompts([textPrompt('first'), attached]);
  expect(joined.text).toBe('first\n\nlook @a.ts');
  const [{ start, end }] = joined.attachments as [Prompt['attachments'][number]];
  expect(joined.text.slice(start, end)).toBe('@a.ts');
});
