import { describe, expect, it } from 'vitest';
import type { Setting } from '../../../../src/model/agent.ts';
import { matchingSettings, valuesNamed, valuesWished } from '../../../../src/model/settings/setting-names.ts';

const choice = (value: string, name: string) => ({ value, name, description: undefined, group: undefined });
const model: Setting = {
  id: 'model',
  name: 'Model',
  category: 'model',
  current: 'sonnet',
  choices: [
    choice('default', 'Default (recommended)'),
    choice('sonnet', 'Sonnet 4.5'),
    choice('sonnet[1m]', 'Sonnet 4.5 (long)'),
    choice('anthropic/opus', 'Opus 4.5'),
  ],
  source: 'option',
};
const fast: Setting = {
  id: 'fast',
  name: 'Fast',
  category: undefined,
  current: false,
  choices: [],
  source: 'option',
};

describe('the values that a word names', () => {
  it.each<[string, readonly string[]]>([
    ['sonnet', ['sonnet']],
    ['Sonnet 4.5', ['sonnet']],
    ['SONNET 4.5', ['sonnet']],
    ['opus', ['anthropic/opus']],
    ['son', ['sonnet', 'sonnet[1m]']],
    ['long', ['sonnet[1m]']],
    ['4.5', ['sonnet', 'sonnet[1m]', 'anthropic/opus']],
    ['haiku', []],
    ['', []],
  ])('%s', (word, values) => expect(valuesNamed(model, word)).toEqual(values));

  it.each<[string | boolean, readonly boolean[]]>([
    ['on', [true]],
    ['OFF', [false]],
    ['true', [true]],
    [false, [false]],
    ['maybe', []],
  ])('of a setting that is on or off: %s', (word, values) => expect(valuesNamed(fast, word)).toEqual(values));

  it('are those with exactly this value if it is a value and not a name', () => {
    const query = { id: 'model' };
    expect(valuesWished(model, { query, value: 'sonnet', isExact: true })).toEqual(['sonnet']);
    expect(valuesWished(model, { query, value: 'opus', isExact: true })).toEqual([]);
  });
});

describe('the settings that are meant', () => {
  const ids = (query: object, ...settings: readonly Setting[]) =>
    matchingSettings(settings, query).map(({ id }) => id);
  const other: Setting = { ...model, id: 'provider' };

  it('are those with the id, else with the name', () => {
    expect(ids({ id: 'fast' }, model, fast)).toEqual(['fast']);
    expect(ids({ id: 'Fas' }, model, fast)).toEqual(['fast']);
  });

  it('are those of the category, and of these the one that is called like it', () => {
    expect(ids({ category: 'model' }, other, model, fast)).toEqual(['model']);
    expect(ids({ category: 'model' }, other, fast)).toEqual(['provider']);
  });

  it('are called like the category if none has it', () => {
    expect(ids({ category: 'model' }, fast, { ...model, category: undefined })).toEqual(['model']);
    expect(ids({ category: 'mode' }, fast, model)).toEqual([]);
  });
});
