import type { LineRange } from '../model/prompt.ts';
import { codeRanges } from './code-ranges.ts';
import { findMentionName, type MentionName } from './mention-names.ts';

/** An `@` in a prompt and what follows it. */
export interface Mention {
  /** The `@`, and the character after the mention. */
  readonly start: number;
  readonly end: number;
  readonly target: MentionTarget;
}

export type MentionTarget =
  | {
      readonly kind: 'path';
      readonly path: string;
      readonly range: LineRange | undefined;
      /** One word without a slash or a dot, as in `@alice`: it is a mention only if there is such a file. */
      readonly isWord: boolean;
    }
  | {
      readonly kind: 'named';
      readonly name: MentionName;
      readonly argument: string | undefined;
    };

/** Before a mention: the beginning, a blank, or an opening bracket or quote. An e-mail address has a letter there. */
const opening = /[\s([{<"'`,;]/;
const quoted = /"([^"\n]+)"/y;
const plain = /[^\s"]+/y;
const namePrefix = /([a-z]+):(?=")/y;
const rangeSuffix = /(?::(\d+)(?:-(\d+))?|#L(\d+)(?:-L?(\d+))?)$/;
const rangeAfterQuote = /(?::(\d+)(?:-(\d+))?|#L(\d+)(?:-L?(\d+))?)(?![\w])/y;
/** Marks and registers are called by punctuation too. */
const oneCharacter = /^(mark|register):\S$/;
const closers: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '>': '<' };

/** The mentions in a text. Code between backticks has none. The time is linear in the length of the text. */
export function findMentions(text: string): readonly Mention[] {
  const mentions: Mention[] = [];
  const code = codeRanges(text);
  let nextCode = 0;
  for (let at = text.indexOf('@'); at !== -1; ) {
    while (nextCode < code.length && code[nextCode]!.end <= at) nextCode += 1;
    const range = code[nextCode];
    const mention = range && range.start <= at ? undefined : mentionAt(text, at);
    if (mention) mentions.push(mention);
    at = text.indexOf('@', mention ? mention.end : at + 1);
  }
  return mentions;
}

function mentionAt(text: string, start: number): Mention | undefined {
  if (start > 0 && !opening.test(text[start - 1]!)) return undefined;
  return quotedMention(text, start) ?? plainMention(text, start);
}

/** `@"a path":10-20` or `@chat:"a title"`. */
function quotedMention(text: string, start: number): Mention | undefined {
  const prefix = matchAt(namePrefix, text, start + 1);
  const from = start + 1 + (prefix?.[0].length ?? 0);
  const quote = matchAt(quoted, text, from);
  if (!quote) return undefined;
  const end = from + quote[0].length;
  if (prefix) {
    const name = findMentionName(prefix[1]!);
    if (!name || name.argument === 'none') return undefined;
    return { start, end, target: { kind: 'named', name, argument: quote[1] } };
  }
  const suffix = matchAt(rangeAfterQuote, text, end);
  return {
    start,
    end: end + (suffix?.[0].length ?? 0),
    target: { kind: 'path', path: quote[1]!, range: rangeOf(suffix), isWord: false },
  };
}

function plainMention(text: string, start: number): Mention | undefined {
  const match = matchAt(plain, text, start + 1);
  const written = match?.[0] ?? '';
  const word = oneCharacter.test(written) ? written : withoutPunctuation(written);
  if (word === '') return undefined;
  const end = start + 1 + word.length;
  const target = namedTarget(word) ?? pathTarget(word);
  return target && { start, end, target };
}

function namedTarget(word: string): MentionTarget | undefined {
  const colon = word.indexOf(':');
  const name = findMentionName(colon === -1 ? word : word.slice(0, colon));
  if (!name) return undefined;
  const argument = colon === -1 ? undefined : word.slice(colon + 1);
  const isFitting =
    argument === undefined ? name.argument !== 'required' : name.argument !== 'none' && argument !== '';
  return isFitting ? { kind: 'named', name, argument } : undefined;
}

function pathTarget(word: string): MentionTarget | undefined {
  const suffix = rangeSuffix.exec(word);
  const path = suffix ? word.slice(0, suffix.index) : word;
  // A decorator with arguments, or another `@` as in a package with a scope and a version.
  if (path === '' || /^\w+\(/.test(path) || path.includes('@')) return undefined;
  return { kind: 'path', path, range: rangeOf(suffix), isWord: /^[\w-]+$/.test(path) };
}

/** Punctuation at the end belongs to the sentence, and so does a bracket that was opened before the mention. */
function withoutPunctuation(word: string): string {
  const counts = new Map<string, number>();
  for (const character of word) counts.set(character, (counts.get(character) ?? 0) + 1);
  let end = word.length;
  for (; end > 0; end -= 1) {
    const last = word[end - 1]!;
    const opener = closers[last];
    const isOpenedBefore = opener !== undefined && (counts.get(last) ?? 0) > (counts.get(opener) ?? 0);
    if (!isOpenedBefore && !/[.,;:!?'`*_]/.test(last)) break;
    counts.set(last, counts.get(last)! - 1);
  }
  return word.slice(0, end);
}

function rangeOf(match: RegExpExecArray | null | undefined): LineRange | undefined {
  const first = match?.[1] ?? match?.[3];
  if (first === undefined) return undefined;
  const last = match?.[2] ?? match?.[4] ?? first;
  const [one, other] = [Math.max(1, Number(first)), Math.max(1, Number(last))];
  return { first: Math.min(one, other), last: Math.max(one, other) };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
