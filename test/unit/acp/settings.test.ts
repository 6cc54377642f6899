import { describe, expect, it } from 'vitest';
import { changeRequest, settingsFrom } from '../../../src/acp/settings.ts';

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

describe('what an agent lets the user set', () => {
  it.each([
    ['nothing', {}, undefined],
    ['no object', null, undefined],
    ['empty options', { configOptions: [] }, []],
    [
      'models as an option hide no modes',
      { modes, models, configOptions: [model] },
      [
        ['mode', 'ask', ['ask', 'code'], 'mode'],
        ['_model', 'm1', [], 'model'],
      ],
    ],
    ['modes alone', { modes }, [['mode', 'ask', ['ask', 'code'], 'mode']]],
    ['models alone', { models }, [['model', 'm1', ['m1'], 'model']]],
    [
      'both of old',
      { modes, models },
      [
        ['mode', 'ask', ['ask', 'code'], 'mode'],
        ['model', 'm1', ['m1'], 'model'],
      ],
    ],
    [
      'options before modes',
      { modes, configOptions: [{ ...select, options: flat }] },
      [['effort', 'low', ['low', 'high'], 'option']],
    ],
    [
      'groups',
      { configOptions: [{ ...select, options: grouped }] },
      [['effort', 'low', ['low', 'high'], 'option']],
    ],
    [
      'on or off',
      { configOptions: [{ id: 'fast', type: 'boolean', currentValue: true }] },
      [['fast', true, [], 'option']],
    ],
    [
      'kinds unknown here',
      { configOptions: [{ ...select, type: 'slider' }, 3, { type: 'boolean' }] },
      undefined,
    ],
    ['a value of the wrong kind', { configOptions: [{ ...select, currentValue: 4 }] }, undefined],
    ['an empty list', { configOptions: [] }, []],
  ])('%s', (_, carrier, expected) => {
    const found = settingsFrom(carrier);
    const facts = found?.map(({ id, current, choices, source }) => [
      id,
      current,
      choices.map(({ value }) => value),
      source,
    ]);
    expect(facts).toEqual(expected);
  });

  it('keeps the names of groups and choices', () => {
    const [setting] = settingsFrom({ configOptions: [{ ...select, options: grouped }] }) ?? [];
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
  ])('is changed by the request its kind wants: %s', (_, carrier, value, method, params) => {
    const [setting] = settingsFrom(carrier) ?? [];
    expect(changeRequest(setting!, value)).toEqual({ method, params });
  });
});
