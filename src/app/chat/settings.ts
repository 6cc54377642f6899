import type { Setting } from '../../model/agent.ts';
import type { SessionState } from '../../model/session.ts';
import type { Editor } from '../../ports/editor.ts';
import { settingPicker, settingsPicker } from '../../view/pickers/settings.ts';

/** What the user wants to set: a setting by its id, one of a category, or any. */
export interface SettingQuery {
  readonly id?: string;
  readonly category?: string;
}

/** Lets the user change a setting of the session, or first choose which. */
export function showSettings(chat: number, state: SessionState, query: SettingQuery, editor: Editor): void {
  const { id, category } = query;
  const found = matchingSettings(state.settings, query);
  const [first] = found;
  if (!first)
    return editor.notify('warn', `${state.agent.title} offers no ${category ?? id ?? 'setting'} to choose`);
  const isOne = found.length === 1 && (id ?? category) !== undefined;
  editor.send('picker.open', { chat, ...(isOne ? settingPicker(chat, first) : settingsPicker(chat, found)) });
}

// An agent may put more than the model into the category "model"; the setting with that id is preferred.
function matchingSettings(settings: readonly Setting[], { id, category }: SettingQuery): readonly Setting[] {
  if (id !== undefined) return settings.filter((setting) => setting.id === id);
  if (category === undefined) return settings;
  const all = settings.filter((setting) => setting.category === category);
  const named = all.filter((setting) => setting.id === category);
  return named.length > 0 ? named : all;
}
