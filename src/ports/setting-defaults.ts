import type { Setting } from '../model/agent.ts';
import type { SettingValue, SettingWish } from '../model/settings/setting-names.ts';

/** What new sessions of an agent start with, besides what is configured for the agent. */
export interface SettingDefaults {
  /** The values that the user chose last. */
  remembered(agent: string): readonly SettingWish[];
  /** The user has chosen a value. */
  remember(agent: string, setting: Setting, value: SettingValue): void;
  /** The agent does not offer a value. False if the user knows that already. */
  noteUnknown(agent: string, wish: SettingWish): boolean;
}
