import { isRecord, lookUp } from '../../base.ts';

export type Wire = Readonly<Record<string, unknown>>;

/** The documents that describe variants of the protocol; see doc/dialects.md. */
export type Source = 'A' | 'B' | 'C' | 'D' | 'E';

/** The name of a rule, as in doc/dialects.md. */
export interface Named {
  readonly name: string;
  /** The source an agent must have been written after, once this was seen of it. */
  readonly tells?: Source;
}

/** Rewrites one shape of one source into the canonical one. */
export interface Rule extends Named {
  applies(value: Wire): boolean;
  rewrite(value: Wire): Wire;
}

export interface Witness {
  note(rule: Named): void;
}

/** Applies the rules in order; what none of them is about comes back as the very same object. */
export function applyRules(rules: readonly Rule[], value: Wire, witness: Witness): Wire {
  let current = value;
  for (const rule of rules) {
    if (!rule.applies(current)) continue;
    current = rule.rewrite(current);
    witness.note(rule);
  }
  return current;
}

/** A rule that gives fields their canonical names, unless those are there already. */
export function renaming(rule: Named, aliases: Readonly<Record<string, string>>): Rule {
  const nameOf = (value: Wire, key: string) => {
    const name = lookUp(aliases, key);
    return name !== undefined && value[name] === undefined ? name : undefined;
  };
  return {
    ...rule,
    applies: (value) => Object.keys(value).some((key) => nameOf(value, key) !== undefined),
    rewrite: (value) =>
      Object.fromEntries(Object.entries(value).map(([key, field]) => [nameOf(value, key) ?? key, field])),
  };
}

/** The same object with one field changed, the very same one if that is no change. */
export function withField(value: Wire, key: string, field: unknown): Wire {
  return value[key] === field ? value : { ...value, [key]: field };
}

export function without(value: Wire, ...keys: readonly string[]): Wire {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

/** The fields that have a value. */
export function defined(fields: Wire): Wire {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined));
}

export function withMeta(value: Wire, meta: Wire): Wire {
  return { ...value, _meta: { ...(isRecord(value._meta) ? value._meta : {}), ...meta } };
}

/** Like `map`, but the very same list comes back if no item changed, and so does what is no list. */
export function mapSame(list: unknown, change: (item: unknown) => unknown): unknown {
  if (!Array.isArray(list)) return list;
  const changed = list.map(change);
  return changed.every((item, index) => item === list[index]) ? list : changed;
}
