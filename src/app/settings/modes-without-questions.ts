import type { Setting } from '../../model/agent.ts';
import type { SettingValue } from '../../model/setting-names.ts';

/** Modes and options of known agents with which they do everything without a question. */
const names = ['bypasspermissions', 'yolo', 'fullaccess', 'autopilot', 'allowall', 'autoapprove'];
const yes = ['on', 'true', 'yes', 'enabled'];

/** Whether a value makes the agent ask nothing. Such a value is chosen by the user each time, never by a key or a file. */
export function asksNothing({ id }: Pick<Setting, 'id'>, value: SettingValue): boolean {
  const isOn = value === true || (typeof value === 'string' && yes.includes(value.toLowerCase()));
  return isNamed(isOn ? id : String(value));
}

function isNamed(word: string): boolean {
  const plain = word.toLowerCase().replaceAll(/[^a-z]/g, '');
  return names.some((name) => plain.endsWith(name));
}
