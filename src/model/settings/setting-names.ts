import type { Setting } from '../agent.ts';

/** Which setting is meant: one by its id, one of a category, or any. */
export interface SettingQuery {
  readonly id?: string | undefined;
  readonly category?: string | undefined;
}

export type SettingValue = Setting['current'];

/** A value that a session should have, if its agent offers it. */
export interface SettingWish {
  readonly query: SettingQuery;
  /** The value, or a name of it. */
  readonly value: SettingValue;
  /** The value is one that the agent offered before, not a name of it. */
  readonly isExact?: true;
  /** Where the wish comes from, such as `agents.claude.mode`. Without it nothing is said if the agent has no such value. */
  readonly source?: string;
}

/** The settings that are meant. An agent may put more than the model into the category "model"; that id is preferred. */
export function matchingSettings(
  settings: readonly Setting[],
  { id, category }: SettingQuery,
): readonly Setting[] {
  if (id !== undefined) return findByName(settings, (setting) => [setting.id, setting.name], id);
  if (category === undefined) return settings;
  const all = settings.filter((setting) => setting.category === category);
  const named = (all.length > 0 ? all : settings).filter((setting) => setting.id === category);
  return named.length > 0 ? named : all;
}

/** A value of a setting and the names that the user may write for it; the first one completes. */
interface NamedValue {
  readonly value: SettingValue;
  readonly names: readonly string[];
}

/** The values that are wished: several if a name stands for more than one. */
export function valuesWished(setting: Setting, { value, isExact }: SettingWish): readonly SettingValue[] {
  if (!isExact) return valuesNamed(setting, value);
  return namedValues(setting).flatMap((named) => (named.value === value ? [value] : []));
}

/** The values of a setting that a word names. */
export function valuesNamed(setting: Setting, word: SettingValue): readonly SettingValue[] {
  return findByName(namedValues(setting), ({ names }) => names, String(word)).map(({ value }) => value);
}

export function namedValues({ choices, current }: Setting): readonly NamedValue[] {
  if (typeof current !== 'boolean')
    return choices.map(({ value, name }) => ({ value, names: [value, name] }));
  return [
    { value: true, names: ['on', 'true'] },
    { value: false, names: ['off', 'false'] },
  ];
}

// An exact name counts first, then one in other letter case, then the beginning of names, then a part of them.
function findByName<T>(
  items: readonly T[],
  namesOf: (item: T) => readonly string[],
  word: string,
): readonly T[] {
  if (word === '') return [];
  const lower = word.toLowerCase();
  const tests: readonly ((name: string) => boolean)[] = [
    (name) => name === word,
    (name) => name.toLowerCase() === lower,
    (name) => name.toLowerCase().startsWith(lower),
    (name) => name.toLowerCase().includes(lower),
  ];
  for (const test of tests) {
    const found = items.filter((item) => namesOf(item).some(test));
    if (found.length > 0) return found;
  }
  return [];
}
