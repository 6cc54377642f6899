import type { Setting } from '../../model/agent.ts';
import type { Picker } from '../../ports/dialogs.ts';
import { sanitiseLine } from '../sanitise.ts';
import { current } from '../signs.ts';

const other = ' ';

/** The values of a setting; the current one is marked. */
export function settingPicker(chat: number, setting: Setting): Picker {
  const choices =
    setting.choices.length > 0
      ? setting.choices.map(({ value, name, description, group }) => ({
          value,
          text: [group === undefined ? name : `${group}: ${name}`, description].filter(Boolean).join(' — '),
        }))
      : [
          { value: true, text: 'on' },
          { value: false, text: 'off' },
        ];
  const items = choices.map(({ value, text }) => ({
    label: `${value === setting.current ? current : other} ${sanitiseLine(text)}`,
    op: 'setting.change',
    payload: { chat, setting: setting.id, value },
  }));
  return { prompt: sanitiseLine(setting.name), kind: 'acp.setting', items };
}

/** All settings with their current values. */
export function settingsPicker(chat: number, settings: readonly Setting[]): Picker {
  const items = settings.map((setting) => ({
    label: `${sanitiseLine(setting.name)}: ${sanitiseLine(settingValue(setting))}`,
    op: 'setting.show',
    payload: { chat, setting: setting.id },
  }));
  return { prompt: 'Settings', kind: 'acp.setting', items };
}

/** The name of a setting's current value. */
export function settingValue({ current: value, choices }: Setting): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return choices.find((choice) => choice.value === value)?.name ?? value;
}
