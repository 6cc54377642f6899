import type { Setting } from '../agent.ts';
import type { SettingValue } from './setting-names.ts';

/** Modes and options of known agents with which they do everything without a question. */
const asksNothingNames = ['bypasspermissions', 'yolo', 'fullaccess', 'autopilot', 'allowall', 'autoapprove'];
/** Modes of known agents with which they still ask, but not about changes of files, or not if they see no danger. */
const asksLessNames = ['acceptedits', 'autoedit', 'auto', 'dontask', 'workspacewrite', 'agent'];
const yes = ['on', 'true', 'yes', 'enabled'];

/** Whether a value makes the agent ask nothing. Such a value is chosen by the user each time, never by a key or a file. */
export function asksNothing({ id }: Pick<Setting, 'id'>, value: SettingValue): boolean {
  const isOn = value === true || (typeof value === 'string' && yes.includes(value.toLowerCase()));
  return isNamed(isOn ? id : String(value), asksNothingNames);
}

/** Whether the agent asks less than with the first value of the setting, with which it starts by itself. */
export function asksLess(setting: Setting): boolean {
  if (setting.category === 'model') return false;
  if (asksNothing(setting, setting.current)) return true;
  return isMode(setting) && !isFirstValue(setting) && isNamed(String(setting.current), asksLessNames);
}

/** Whether a setting says how the agent works. Some agents have several, and not all of them a category. */
export function isMode({ id, category, current }: Setting): boolean {
  return typeof current === 'string' && (category === 'mode' || /(^|[_-])mode$/i.test(id));
}

export function isFirstValue({ choices, current }: Setting): boolean {
  return choices[0]?.value === current;
}

// Ids are compared, because the names are in any language.
function isNamed(word: string, names: readonly string[]): boolean {
  const plain = word.toLowerCase().replaceAll(/[^a-z]/g, '');
  return names.some((name) => plain.endsWith(name));
}
