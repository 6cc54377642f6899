import { isRecord, lookUp } from '../../base.ts';
import { textOf } from '../wire.ts';
import { snakeKeys } from './keys.ts';
import { applyRules, type Rule, renaming, type Wire, type Witness, withMeta } from './rules.ts';

const kinds = new Set<unknown>(['allow_once', 'allow_always', 'reject_once', 'reject_always']);

/** Source D: aliases of option kinds. */
const kindWords: Readonly<Record<string, string>> = {
  deny: 'reject_once',
  deny_always: 'reject_always',
  allow: 'allow_once',
};

/** Source E: ids and labels that name a kind; the whole text must match. */
const plainWords: Readonly<Record<string, string>> = {
  ...kindWords,
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

const optionRules: readonly Rule[] = [
  snakeKeys,
  renaming({ name: 'E: option id' }, { id: 'optionId' }),
  renaming({ name: 'B,D,E: option label' }, { label: 'name' }),
  {
    name: 'E: option without kind',
    applies: ({ kind }) => kind === undefined || kind === null,
    rewrite: (option) => withKind(option, kindByWords(option)),
  },
  {
    name: 'D: option kind',
    applies: ({ kind }) => !kinds.has(kind),
    rewrite: (option) => withKind(option, lookUp(kindWords, option.kind)),
  },
];

/** The canonical form of one option of a permission request. */
export function optionFrom(option: unknown, witness: Witness): unknown {
  return isRecord(option) ? applyRules(optionRules, option, witness) : option;
}

/** The option to answer with when nobody chose: one that surely refuses, if possible only this time. */
export function refusalAmong(options: unknown): string | undefined {
  const offered = (Array.isArray(options) ? options : []).filter(isRecord);
  const refusing = offered.filter(({ optionId }) =>
    offered.every((option) => option.optionId !== optionId || isStatedRefusal(option)),
  );
  const once = refusing.find(({ kind }) => kind === 'reject_once') ?? refusing[0];
  return textOf(once?.optionId);
}

// What is shown as a refusal because nobody knows what it does may well be a consent.
function isStatedRefusal({ kind, _meta }: Wire): boolean {
  const isAssumed = isRecord(_meta) && _meta['acp.nvim/kind'] !== undefined;
  return !isAssumed && typeof kind === 'string' && isRefusal(kind);
}

function withKind(option: Wire, kind: string | undefined): Wire {
  if (kind !== undefined) return { ...option, kind };
  const assumed = withMeta(option, { 'acp.nvim/kind': option.kind ?? 'unknown' });
  return { ...assumed, kind: 'reject_once' };
}

function kindByWords({ optionId, name }: Wire): string | undefined {
  const stated = [optionId, name]
    .map((words) => lookUp(plainWords, wordOf(words)))
    .filter((kind) => kind !== undefined);
  const isTwoFaced = stated.some(isRefusal) && !stated.every(isRefusal);
  return isTwoFaced ? undefined : (stated.find((kind) => kind.endsWith('always')) ?? stated[0]);
}

function isRefusal(kind: string): boolean {
  return kind.startsWith('reject');
}

function wordOf(words: unknown): string | undefined {
  return textOf(words)
    ?.trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
}
