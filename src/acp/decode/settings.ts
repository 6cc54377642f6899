import { isRecord, type JsonObject } from '../../base/record.ts';
import type { Setting, SettingChoice } from '../../model/agent.ts';
import type { AgentEvent } from '../../model/session-events.ts';
import { asLabel, asString, mapList } from './fields.ts';

/** The winbar, the status and the completion of Neovim get them with every change. */
const maxSettings = 100;
const maxChoices = 10_000;
/** A value is sent back as it is, so it can't be cut. */
const maxValue = 1_000;

/**
 * Decodes the settings in a response or an update. Without `configOptions`, the `modes` and `models` of older agents are
 * used.
 */
export function decodeSettings(carrier: unknown): readonly Setting[] | undefined {
  if (!isRecord(carrier)) return undefined;
  const options = decodeConfigOptions(carrier.configOptions);
  if (options && !options.every(({ source }) => source === 'model')) return options;
  const models = options?.length ? options : mapList([carrier.models], decodeModels);
  const older = [...mapList([carrier.modes], decodeModes), ...models];
  return older.length > 0 ? older : options;
}

// A list without a valid item is ignored; an empty list means that there are no settings.
function decodeConfigOptions(list: unknown): readonly Setting[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const options = mapList(list.slice(0, maxSettings), decodeConfigOption);
  return options.length === 0 && list.length > 0 ? undefined : options;
}

function decodeConfigOption(option: unknown): Setting | undefined {
  if (!isRecord(option)) return undefined;
  const id = asSettingValue(option.id);
  const current = option.currentValue;
  if (id === undefined) return undefined;
  const facts = {
    id,
    name: asLabel(option.name) ?? id,
    category: asSettingValue(option.category),
    source: isModelOption(option) ? 'model' : 'option',
  } as const;
  if (option.type === 'boolean' && typeof current === 'boolean') return { ...facts, current, choices: [] };
  const value = asSettingValue(current);
  if (option.type !== 'select' || value === undefined) return undefined;
  return {
    ...facts,
    current: value,
    choices: mapList(option.options, decodeChoiceGroup).flat().slice(0, maxChoices),
  };
}

// Dialects convert the models of older agents to an option, but it is changed by session/set_model.
function isModelOption({ _meta }: JsonObject): boolean {
  return isRecord(_meta) && _meta['acp.nvim/method'] === 'session/set_model';
}

/** An id or a value; undefined if it is so long that no agent means it as one. */
export function asSettingValue(value: unknown): string | undefined {
  const text = asString(value);
  return text !== undefined && text.length <= maxValue ? text : undefined;
}

/** Decodes one choice, or the choices of a group. */
function decodeChoiceGroup(item: unknown): readonly SettingChoice[] {
  if (!isRecord(item)) return [];
  if (!Array.isArray(item.options))
    return mapList([item], (choice) => decodeSettingChoice(choice, 'value', undefined));
  const group = asLabel(item.name) ?? asLabel(item.group);
  return mapList(item.options, (choice) => decodeSettingChoice(choice, 'value', group));
}

function decodeSettingChoice(
  choice: unknown,
  key: string,
  group: string | undefined,
): SettingChoice | undefined {
  if (!isRecord(choice)) return undefined;
  const value = asSettingValue(choice[key]);
  if (value === undefined) return undefined;
  return { value, name: asLabel(choice.name) ?? value, description: asLabel(choice.description), group };
}

function decodeFirst<T>(list: unknown, decode: (item: unknown) => T | undefined): readonly T[] {
  return mapList(Array.isArray(list) ? list.slice(0, maxChoices) : [], decode);
}

function decodeModes(modes: unknown): Setting | undefined {
  if (!isRecord(modes)) return undefined;
  const choices = decodeFirst(modes.availableModes, (mode) => decodeSettingChoice(mode, 'id', undefined));
  const current = asSettingValue(modes.currentModeId) ?? '';
  return { id: 'mode', name: 'Mode', category: 'mode', current, choices, source: 'mode' };
}

function decodeModels(models: unknown): Setting | undefined {
  if (!isRecord(models)) return undefined;
  const choices = decodeFirst(models.availableModels, (model) =>
    decodeSettingChoice(model, 'modelId', undefined),
  );
  const current = asSettingValue(models.currentModelId) ?? '';
  return { id: 'model', name: 'Model', category: 'model', current, choices, source: 'model' };
}

/** The request that changes a setting, without the session id. */
export function encodeSettingChange(
  setting: Setting,
  value: string | boolean,
): { method: string; params: JsonObject } {
  switch (setting.source) {
    case 'option':
      return { method: 'session/set_config_option', params: optionParams(setting.id, value) };
    case 'mode':
      return { method: 'session/set_mode', params: { modeId: value } };
    case 'model':
      return { method: 'session/set_model', params: { modelId: value } };
  }
}

function optionParams(configId: string, value: string | boolean): JsonObject {
  return typeof value === 'boolean' ? { configId, type: 'boolean', value } : { configId, value };
}

/** The change to report when the agent does not return the new settings. */
export function settingChangeEvent(setting: Setting, value: string | boolean): AgentEvent {
  return { kind: 'setting', id: setting.id, value };
}
