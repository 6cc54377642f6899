import { isRecord, type JsonObject, lookUp } from '../../base/record.ts';

/** The documents that describe variants of the protocol, by their letter in doc/dialects.md. */
export const documents = {
  reverseEngineered: 'A',
  completeSpecification: 'B',
  oldSnapshot: 'C',
  adapterReference: 'D',
  overview: 'E',
} as const;

export type SourceDocument = (typeof documents)[keyof typeof documents];

export interface RuleInfo {
  /** As listed in doc/dialects.md: the letters of the documents, then the shape. */
  readonly name: string;
  /** Only an agent written after this document sends this shape. */
  readonly implies?: SourceDocument;
}

/** Rewrites one shape of a source document into the canonical one (ACP version 1). */
export interface RewriteRule extends RuleInfo {
  applies(value: JsonObject): boolean;
  rewrite(value: JsonObject): JsonObject;
}

export interface RuleObserver {
  ruleApplied(rule: RuleInfo): void;
}

/** Applies the rules in order. Returns the same object if no rule applies. */
export function applyRules(
  rules: readonly RewriteRule[],
  value: JsonObject,
  observer: RuleObserver,
): JsonObject {
  let current = value;
  for (const rule of rules) {
    if (!rule.applies(current)) continue;
    current = rule.rewrite(current);
    observer.ruleApplied(rule);
  }
  return current;
}

/** A rule that renames fields, unless the canonical name is present already. */
export function renameFields(rule: RuleInfo, aliases: Readonly<Record<string, string>>): RewriteRule {
  const nameOf = (value: JsonObject, key: string) => {
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

/** A copy with one field replaced, or the same object if the field has that value already. */
export function withField(value: JsonObject, key: string, field: unknown): JsonObject {
  return value[key] === field ? value : { ...value, [key]: field };
}

export function without(value: JsonObject, ...keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)));
}

/** The fields that are not undefined. */
export function defined(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined));
}

export function withMeta(value: JsonObject, meta: JsonObject): JsonObject {
  return { ...value, _meta: { ...(isRecord(value._meta) ? value._meta : {}), ...meta } };
}

/** Like `map`, but returns the same list if no item changed. Values that are not lists are returned as they are. */
export function mapSame(list: unknown, change: (item: unknown) => unknown): unknown {
  if (!Array.isArray(list)) return list;
  const changed = list.map(change);
  return changed.every((item, index) => item === list[index]) ? list : changed;
}
