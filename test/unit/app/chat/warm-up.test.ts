import { expect, it } from 'vitest';
import { warmUp } from '../../../../src/app/chat/warm-up.ts';

it('draws a prompt and an answer', () => {
  const drawn = warmUp().toString();
  expect(drawn).toContain('A prompt');
  expect(drawn).toContain('An answer');
});
