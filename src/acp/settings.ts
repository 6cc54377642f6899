import { isRecord } from '../base.ts';
import type { AgentEvent } from '../session/events.ts';
import type { Setting, SettingChoice } from '../session/model.ts';
import { listOf, textOf } from './wire.ts';

type Wire = Record<string, unknown>;

/**
 * Reads what can be set about a session from whatever carries it. Options are used alone where there are any; the
 * `modes` and `models` of older agents stand in for them.
 */
export function settingsFrom(carrier: unknown): readonly Setting[] | undefined {
  if (!isRecord(carrier)) return undefined;
  const options = optionsIn(carrier.configOptions);
  if (options && !options.every(({ source }) => source === 'model')) return options;
  const models = options?.length ? options : listOf([carrier.models], modelsFrom);
  const older = [...listOf([carrier.modes], modesFrom), ...models];
  return older.length > 0 ? older : options;
}

// A list of which nothing can be read says nothing; an empty one says that there is nothing to set.
function optionsIn(list: unknown): readonly Setting[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const options = listOf(list, optionFrom);
  return options.length === 0 && list.length > 0 ? undefined : options;
}

function optionFrom(option: unknown): Setting | undefined {
  if (!isRecord(option)) return undefined;
  const id = textOf(option.id);
  const current = option.currentValue;
  if (id === undefined) return undefined;
  const facts = {
    id,
    name: textOf(option.name) ?? id,
    category: textOf(option.category),
    source: isModel(option) ? 'model' : 'option',
  } as const;
  if (option.type === 'boolean' && typeof current === 'boolean') return { ...facts, current, choices: [] };
  if (option.type !== 'select' || typeof current !== 'string') return undefined;
  return { ...facts, current, choices: listOf(option.options, (item) => item as Wire).flatMap(choicesFrom) };
}

// The models of an older agent come as an option that is not changed like one.
function isModel({ _meta }: Wire): boolean {
  return isRecord(_meta) && _meta['acp.nvim/method'] === 'session/set_model';
}

/** One choice, or those of a group. */
function choicesFrom(item: unknown): readonly SettingChoice[] {
  if (!isRecord(item)) return [];
  if (!Array.isArray(item.options)) return listOf([item], (choice) => choiceFrom(choice, 'value', undefined));
  const group = textOf(item.name) ?? textOf(item.group);
  return listOf(item.options, (choice) => choiceFrom(choice, 'value', group));
}

function choiceFrom(choice: unknown, key: string, group: string | undefined): SettingChoice | undefined {
  if (!isRecord(choice)) return undefined;
  const value = textOf(choice[key]);
  if (value === undefined) return undefined;
  return { value, name: textOf(choice.name) ?? value, description: textOf(choice.description), group };
}

function modesFrom(modes: unknown): Setting | undefined {
  if (!isRecord(modes)) return undefined;
  const choices = listOf(modes.availableModes, (mode) => choiceFrom(mode, 'id', undefined));
  const current = textOf(modes.currentModeId) ?? '';
  return { id: 'mode', name: 'Mode', category: 'mode', current, choices, source: 'mode' };
}

function modelsFrom(models: unknown): Setting | undefined {
  if (!isRecord(models)) return undefined;
  const choices = listOf(models.availableModels, (model) => choiceFrom(model, 'modelId', undefined));
  const current = textOf(models.currentModelId) ?? '';
  return { id: 'model', name: 'Model', category: 'model', current, choices, source: 'model' };
}

/** The request that changes a setting, but for its session. */
export function changeRequest(setting: Setting, value: string | boolean): { method: string; params: Wire } {
  switch (setting.source) {
    case 'option':
      return { method: 'session/set_config_option', params: optionParams(setting.id, value) };
    case 'mode':
      return { method: 'session/set_mode', params: { modeId: value } };
    case 'model':
      return { method: 'session/set_model', params: { modelId: value } };
  }
}

function optionParams(configId: string, value: string | boolean): Wire {
  return typeof value === 'boolean' ? { configId, type: 'boolean', value } : { configId, value };
}

/** What is known to have changed when the agent answers with nothing. */
export function changed(setting: Setting, value: string | boolean): AgentEvent {
  return { kind: 'setting', id: setting.id, value };
}
