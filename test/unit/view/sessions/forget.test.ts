import { expect, it } from 'vitest';
import { forgetPicker } from '../../../../src/view/sessions/forget.ts';

const firstLine = (isOpen: boolean) => {
  const item = { title: 'Fix the redirect', agent: 'tester', updatedAt: 0, isOpen, files: [] };
  const { body } = forgetPicker({ ask: 1, what: 'this session', items: [item], inUse: 0, now: 60_000 });
  return body?.lines[0];
};

it.for([
  ['will be closed', true, '  Fix the redirect  tester · 1 m ago · its chat will be closed'],
  ['is not open', false, '  Fix the redirect  tester · 1 m ago'],
] as const)('the list of what is deleted names a session whose chat %s', ([, isOpen, line]) => {
  expect(firstLine(isOpen)).toBe(line);
});
