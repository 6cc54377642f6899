import { expect, it } from 'vitest';
import { rulesLines } from '../../../src/view/permissions.ts';

const none = { rules: [], problems: [], project: undefined, unreadable: [], allowsAll: false };

it('says what is asked about without a rule, and what is not', () => {
  const text = rulesLines(none).join('\n').replaceAll('\n# ', ' ');
  expect(text).toContain('asked about commands, about files outside of the folders of the session');
  expect(text).toContain('reads and writes through Neovim in the folders of the session is not asked about');
  expect(rulesLines({ ...none, allowsAll: true }).join()).not.toContain('There are no rules');
  expect(rulesLines({ ...none, unreadable: ['x: is a pipe'] }).join()).not.toContain('There are no rules');
});
