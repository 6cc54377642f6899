import { SerialQueue } from '../../base/serial-queue.ts';
import type { Setting } from '../../model/agent.ts';
import { asksNothing } from '../../model/settings/permissive-modes.ts';
import {
  matchingSettings,
  namedValues,
  type SettingQuery,
  valuesNamed,
} from '../../model/settings/setting-names.ts';
import type { Editor } from '../../ports/editor.ts';
import type { HostOptions } from '../../ports/options.ts';
import type { Session } from '../../session/session.ts';
import { settingPicker, settingsPicker } from '../../view/pickers/settings.ts';
import { sanitiseLine } from '../../view/sanitise.ts';

interface SettingPorts {
  readonly editor: Editor;
  readonly options: { get(): Pick<HostOptions, 'models' | 'modes'> };
}

/** Lets the user change the settings of a chat: from a list, by name, or one after the other with a key. */
export class ChatSettings {
  private readonly chat: number;
  private readonly session: Session;
  private readonly ports: SettingPorts;
  /** A key may be pressed again before the agent has answered. */
  private readonly cycles = new SerialQueue();

  constructor(chat: number, session: Session, ports: SettingPorts) {
    this.chat = chat;
    this.session = session;
    this.ports = ports;
  }

  /** Lets the user choose a value, or first the setting. */
  show(query: SettingQuery): void {
    const { chat, ports } = this;
    const { settings } = this.session.state;
    const found = matchingSettings(settings, query);
    const [first] = found;
    if (!first) return this.warnOfNone(query);
    const isOne = found.length === 1 && (query.id ?? query.category) !== undefined;
    ports.editor.send('picker.open', {
      chat,
      ...(isOne ? settingPicker(chat, first) : settingsPicker(chat, found)),
    });
  }

  /** Changes a setting to the value that a word names; several values are offered as a list. */
  async choose(query: SettingQuery, word: string): Promise<void> {
    const { session, chat, ports } = this;
    const { settings, phase, agent } = session.state;
    if (settings.length === 0 && phase === 'starting') return session.settings.wish(query, word);
    const [setting, ...others] = matchingSettings(settings, query);
    if (!setting) return this.warnOfNone(query);
    if (others.length > 0 && query.id !== undefined) {
      return ports.editor.send('picker.open', { chat, ...settingsPicker(chat, [setting, ...others]) });
    }
    const [value, ...otherValues] = valuesNamed(setting, word);
    if (value === undefined) {
      const offered = wordsOf(setting).join(', ');
      const name = sanitiseLine(setting.name);
      return ports.editor.notify('warn', `${agent.title} has no ${name} "${word}"; it offers ${offered}`);
    }
    if (otherValues.length === 0) return session.changeSetting(setting.id, value);
    const meant = setting.choices.filter((choice) => [value, ...otherValues].includes(choice.value));
    ports.editor.send('picker.open', { chat, ...settingPicker(chat, { ...setting, choices: meant }) });
  }

  /** Changes the mode or the model to the next one of those that the user switches between. */
  cycle(category: 'mode' | 'model'): Promise<void> {
    return this.cycles.run(async () => {
      const [setting] = matchingSettings(this.session.state.settings, { category });
      if (!setting) return this.warnOfNone({ category });
      const values = this.cycleOf(setting, category);
      const next = values[(values.indexOf(String(setting.current)) + 1) % values.length];
      if (next !== undefined && next !== setting.current) {
        return this.session.changeSetting(setting.id, next);
      }
      this.ports.editor.notify('info', `there is no other ${category} to switch to`);
    });
  }

  private cycleOf(setting: Setting, category: 'mode' | 'model'): readonly string[] {
    const { modes, models } = this.ports.options.get();
    const favourites = category === 'mode' ? modes : models;
    const named = favourites.flatMap((word) => valuesNamed(setting, word).slice(0, 1).map(String));
    if (named.length > 0) return [...new Set(named)];
    return setting.choices.map(({ value }) => value).filter((value) => !asksNothing(setting, value));
  }

  private warnOfNone({ id, category }: SettingQuery): void {
    const { agent, settings } = this.session.state;
    const offered = settings.map((setting) => sanitiseLine(setting.id)).join(', ');
    const problem =
      id !== undefined && offered !== ''
        ? `has no option "${id}"; it offers ${offered}`
        : `offers no ${category ?? id ?? 'setting'} to choose`;
    this.ports.editor.notify('warn', `${agent.title} ${problem}`);
  }
}

/** Neovim gets all words again with each change of a setting. */
const maxWords = 5_000;
const maxWord = 200;

/** What completes the names of settings and of their values in Neovim, which also has the values if this host exits. */
export function settingWords(settings: readonly Setting[]): readonly object[] {
  const ofCategory = (category: string) => matchingSettings(settings, { category })[0]?.id;
  const [mode, model] = [ofCategory('mode'), ofCategory('model')];
  let left = maxWords;
  return settings.map((setting) => {
    const words = wordsOf(setting).filter((word) => word.length <= maxWord);
    const values = words.slice(0, left);
    left -= values.length;
    return {
      id: sanitiseLine(setting.id),
      category: setting.id === mode ? 'mode' : setting.id === model ? 'model' : undefined,
      values,
      current: setting.current,
    };
  });
}

function wordsOf(setting: Setting): readonly string[] {
  return namedValues(setting).map(({ names }) => sanitiseLine(names[0] ?? ''));
}
