import { describe, expect, it } from 'vitest';
import { decodeSettings, encodeSettingChange } from '../../../../src/acp/decode/settings.ts';
import { decodeUpdate } from '../../../../src/acp/decode/update.ts';

const modes = {
  currentModeId: 'ask',
  availableModes: [{ id: 'ask', name: 'Ask' }, { id: 'code', name: 'Code' }, 7],
};
const models = {
  currentModelId: 'm1',
  availableModels: [{ modelId: 'm1', name: 'One', description: 'small' }],
};
const select = {
  id: 'effort',
  name: 'Effort',
  category: 'thought_level',
  type: 'select',
  currentValue: 'low',
};
const flat = [{ value: 'low', name: 'Low' }, { value: 'high' }];
const grouped = [{ group: 'g', name: 'Group', options: flat }];

const model = {
  id: '_model',
  type: 'select',
  currentValue: 'm1',
  options: [],
  _meta: { 'acp.nvim/method': 'session/set_model' },
};

describe('decodeSettings', () => {
  it.each([
    ['returns undefined without settings', {}, undefined],
    ['returns undefined for null', null, undefined],
    ['returns no settings for empty options', { configOptions: [] }, []],
    [
      'keeps modes beside models as an option',
      { modes, models, configOptions: [model] },
      [
        ['mode', 'ask', ['ask', 'code'], 'mode'],
        ['_model', 'm1', [], 'model'],
      ],
    ],
    ['decodes modes', { modes }, [['mode', 'ask', ['ask', 'code'], 'mode']]],
    ['decodes models', { models }, [['model', 'm1', ['m1'], 'model']]],
    [
      'decodes modes and models',
      { modes, models },
      [
        ['mode', 'ask', ['ask', 'code'], 'mode'],
        ['model', 'm1', ['m1'], 'model'],
      ],
    ],
    [
      'prefers options to modes',
      { modes, configOptions: [{ ...select, options: flat }] },
      [['effort', 'low', ['low', 'high'], 'option']],
    ],
    [
      'decodes groups',
      { configOptions: [{ ...select, options: grouped }] },
      [['effort', 'low', ['low', 'high'], 'option']],
    ],
    [
      'decodes a boolean option',
      { configOptions: [{ id: 'fast', type: 'boolean', currentValue: true }] },
      [['fast', true, [], 'option']],
    ],
    [
      'leaves out options of an unknown type',
      { configOptions: [{ ...select, type: 'slider' }, 3, { type: 'boolean' }] },
      undefined,
    ],
    [
      'leaves out an option with a value of the wrong type',
      { configOptions: [{ ...select, currentValue: 4 }] },
      undefined,
    ],
    ['returns no settings for an empty list', { configOptions: [] }, []],
  ])('%s', (_, carrier, expected) => {
    const found = decodeSettings(carrier);
    const facts = found?.map(({ id, current, choices, source }) => [
      id,
      current,
      choices.map(({ value }) => value),
      source,
    ]);
    expect(facts).toEqual(expected);
  });

  it('keeps the names of groups and choices', () => {
    const [setting] = decodeSettings({ configOptions: [{ ...select, options: grouped }] }) ?? [];
    expect(setting?.choices[0]).toEqual({
      value: 'low',
      name: 'Low',
      description: undefined,
      group: 'Group',
    });
  });

  it.each([
    [
      'an option',
      { configOptions: [{ ...select, options: flat }] },
      'high',
      'session/set_config_option',
      { configId: 'effort', value: 'high' },
    ],
    [
      'a switch',
      { configOptions: [{ id: 'fast', type: 'boolean', currentValue: true }] },
      false,
      'session/set_config_option',
      { configId: 'fast', type: 'boolean', value: false },
    ],
    ['a mode', { modes }, 'code', 'session/set_mode', { modeId: 'code' }],
    ['a model', { models }, 'm1', 'session/set_model', { modelId: 'm1' }],
  ])('encodes the change of %s', (_, carrier, value, method, params) => {
    const [setting] = decodeSettings(carrier) ?? [];
    expect(encodeSettingChange(setting!, value)).toEqual({ method, params });
  });
});

describe('decodeSettings of an agent that sends too much', () => {
  const long = 'x'.repeat(100_000);
  const many = (make: (id: string) => object) =>
    Array.from({ length: 10_001 }, (_, index) => make(`${index}`));
  const choice = { value: 'low', name: long, description: long };
  const group = { name: long, options: [choice, { value: long }] };

  it('cuts names, and leaves out ids and values that are too long to be one', () => {
    const configOptions = [
      { ...select, name: long, options: [group] },
      { ...select, id: long },
      { ...select, currentValue: long },
    ];
    const settings = decodeSettings({ configOptions });
    expect(settings).toMatchObject([{ id: 'effort', current: 'low', choices: [{ value: 'low' }] }]);
    expect(JSON.stringify(settings).length).toBeLessThan(4 * 33_000);
    expect(decodeSettings({ modes: { ...modes, currentModeId: long } })).toMatchObject([{ current: '' }]);
    expect(decodeUpdate({ sessionUpdate: 'current_mode_update', currentModeId: long }).kind).toBe('unknown');
  });

  it('keeps the first settings and the first choices', () => {
    const configOptions = many((id) => ({ ...select, id }));
    expect(decodeSettings({ configOptions })).toHaveLength(100);
    const lists = [
      { configOptions: [{ ...select, options: many((value) => ({ value })) }] },
      { modes: { currentModeId: '1', availableModes: many((id) => ({ id })) } },
      { models: { currentModelId: '1', availableModels: many((modelId) => ({ modelId })) } },
    ];
    expect(lists.map((list) => decodeSettings(list)?.[0]?.choices.length)).toEqual([10_000, 10_000, 10_000]);
  });
});
