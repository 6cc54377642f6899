import { expect, it } from 'vitest';
import { settingWords } from '../../../../src/app/settings/chat-settings.ts';
import type { Setting } from '../../../../src/model/agent.ts';

const aSetting = (id: string, values: readonly string[]): Setting => ({
  ...{ id, name: id, category: undefined, current: values[0] ?? '', source: 'option' },
  choices: values.map((value) => ({ value, name: value, description: undefined, group: undefined })),
});

it('settingWords has a limited number of short words', () => {
  const many = Array.from({ length: 4_000 }, (_, index) => `value ${index}`);
  const settings = [aSetting('a', ['x'.repeat(201), 'short']), aSetting('b', many), aSetting('c', many)];
  const counts = (settingWords(settings) as { values: string[] }[]).map(({ values }) => values.length);
  expect(counts).toEqual([1, 4_000, 999]);
});
