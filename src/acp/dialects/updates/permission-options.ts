import type { JsonObject } from '../../../base/record.ts';
import { isRecord, lookUp } from '../../../base/record.ts';
import { asString } from '../../decode/fields.ts';
import { isRejection } from '../../decode/rejecting-option.ts';
import { snakeKeys } from '../keys.ts';
import { applyRules, type RewriteRule, type RuleObserver, renameFields, withMeta } from '../rules.ts';

const optionKinds = new Set<unknown>(['allow_once', 'allow_always', 'reject_once', 'reject_always']);

/** Document D: aliases of option kinds. */
const kindAliases: Readonly<Record<string, string>> = {
  deny: 'reject_once',
  deny_always: 'reject_always',
  allow: 'allow_once',
};

/** Document E: ids and labels that name a kind. The whole text must match. */
const kindByWord: Readonly<Record<string, string>> = {
  ...kindAliases,
  allow_once: 'allow_once',
  once: 'allow_once',
  allow_always: 'allow_always',
  always_allow: 'allow_always',
  always: 'allow_always',
  reject: 'reject_once',
  reject_once: 'reject_once',
  deny_once: 'reject_once',
  no: 'reject_once',
  reject_always: 'reject_always',
  always_reject: 'reject_always',
  always_deny: 'reject_always',
};

const optionRules: readonly RewriteRule[] = [
  snakeKeys,
  renameFields({ name: 'E: option id' }, { id: 'optionId' }),
  renameFields({ name: 'B,D,E: option label' }, { label: 'name' }),
  {
    name: 'E: option without kind',
    applies: ({ kind }) => kind === undefined || kind === null,
    rewrite: (option) => withKind(option, kindByWords(option)),
  },
  {
    name: 'D: option kind',
    applies: ({ kind }) => !optionKinds.has(kind),
    rewrite: (option) => withKind(option, lookUp(kindAliases, option.kind)),
  },
];

/** The canonical form of one option of a permission request. */
export function canonicalOption(option: unknown, observer: RuleObserver): unknown {
  return isRecord(option) ? applyRules(optionRules, option, observer) : option;
}

function withKind(option: JsonObject, kind: string | undefined): JsonObject {
  if (kind !== undefined) return { ...option, kind };
  const assumed = withMeta(option, { 'acp.nvim/kind': option.kind ?? 'unknown' });
  return { ...assumed, kind: 'reject_once' };
}

function kindByWords({ optionId, name }: JsonObject): string | undefined {
  const stated = [optionId, name]
    .map((words) => lookUp(kindByWord, normaliseWord(words)))
    .filter((kind) => kind !== undefined);
  const isContradictory = stated.some(isRejection) && !stated.every(isRejection);
  return isContradictory ? undefined : (stated.find((kind) => kind.endsWith('always')) ?? stated[0]);
}

function normaliseWord(words: unknown): string | undefined {
  return asString(words)
    ?.trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}
