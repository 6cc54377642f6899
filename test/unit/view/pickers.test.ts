import { expect, it } from 'vitest';
import { loginRunPicker } from '../../../src/view/pickers.ts';

it('a login shows where each word of its command and each value ends', () => {
  const { prompt } = loginRunPicker({ chat: 1, run: 1 }, 'Agent', {
    id: 'a',
    name: 'A',
    description: undefined,
    kind: 'terminal',
    command: ['agent', '--name', 'a b', 'login'],
    env: { HOME: '/x PATH=/y' },
  });
  expect(prompt).toContain("HOME='/x PATH=/y' agent --name 'a b' login");
});
