import { expect, it } from 'vitest';
import { loginRunPicker } from '../../../src/view/pickers.ts';
import { checkpointPicker } from '../../../src/view/restore.ts';
import { sessionsPicker } from '../../../src/view/session-pickers.ts';

const columns = 80;
const long = 'a first prompt that goes on and on '.repeat(5);
const numbered = (label: string | undefined) => `1: ${label}`.length;

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

it('a session with a long first prompt takes one row of 80 columns', () => {
  const item = {
    agent: 'opencode',
    sessionId: 's',
    cwd: '/p',
    title: undefined,
    firstPrompt: long,
    updatedAt: 0,
    open: undefined,
    files: [],
    isKept: true,
  };
  const { items } = sessionsPicker([item], 'open', { cwd: '/p', home: '/h', now: 0 });
  expect(numbered(items[0]?.label)).toBeLessThanOrEqual(columns);
});

it('a checkpoint with a long prompt takes one row of 80 columns', () => {
  const { items } = checkpointPicker(1, [{ id: 1, at: 0, prompt: long, changed: 12 }]);
  expect(numbered(items[0]?.label)).toBeLessThanOrEqual(columns);
});
