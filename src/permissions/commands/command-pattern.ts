import path from 'node:path';
import { isQuietAssignment } from '../../model/tools/quiet-variables.ts';
import type { CommandPattern, Rule } from '../rule.ts';
import type { ShellCommand, ShellWord } from '../shell/shell.ts';

/** Whether a rule is about a command, by its words and the variables that are set for it. */
export function matchesCommand({ command: pattern, verdict }: Rule, command: ShellCommand): boolean {
  if (!pattern) return false;
  if (verdict !== 'allow' && pattern.assignments.length === 0) {
    const wanted = { ...pattern, words: withLowerCase(pattern.words) };
    return [command.words, withoutFolder(command.words)].some((words) =>
      matchesWords(wanted, withLowerCase(words)),
    );
  }
  const counting = command.assignments.filter(
    (text) => pattern.assignments.includes(text) || !isQuietAssignment(text),
  );
  if (!isSameList(pattern.assignments, counting)) return false;
  return matchesWords(pattern, command.words);
}

/**
 * Whether a command may be what a pattern is about: its words are there in the same order, with others between them, or
 * may become so when the shell replaces wildcards. `isAnywhere`: the program may be a later word, which another starts.
 */
export function mayMatch(pattern: CommandPattern, words: readonly ShellWord[], isAnywhere: boolean): boolean {
  const tokens = isAnywhere ? words.flatMap(tokensOf) : words;
  const starts = isAnywhere ? tokens.map((_, at) => tokens.slice(at)) : [tokens];
  return starts.some((given) => mayMatchFromStart(pattern, withLowerCase(withoutFolder(given))));
}

function mayMatchFromStart(pattern: CommandPattern, given: readonly ShellWord[]): boolean {
  const [program, ...wanted] = withLowerCase(pattern.words);
  const [own, ...rest] = given;
  if (!program || !own || !mayBecome(program, own)) return false;
  let at = 0;
  for (const word of rest) {
    // An open word stands for any number of words, also for none.
    if (word.isOpen) return true;
    const next = wanted[at];
    if (next && mayBecome(next, word)) at += 1;
    else if (!pattern.isOpen && !word.text.startsWith('-')) return false;
  }
  return at === wanted.length;
}

function mayBecome(pattern: ShellWord, word: ShellWord): boolean {
  if (!word.isGlob) return matchesWord(pattern, word);
  const expression = word.text.replaceAll(/\[[^\]]*\]|[?*]|[\\^$.|+(){}[\]]/g, (part) =>
    part === '*' ? '.*' : part === '?' || part.length > 1 ? '.' : `\\${part}`,
  );
  return pattern.isGlob === true || new RegExp(`^${expression}$`, 's').test(pattern.text);
}

function tokensOf(word: ShellWord): readonly ShellWord[] {
  if (word.isOpen || word.isGlob) return [word];
  return word.text
    .split(/[\s;&|()<>{}=!`'"]+/)
    .filter((text) => text !== '')
    .map((text) => ({ text }));
}

// `deny run curl *` is also about `/usr/bin/curl` and `X=1 curl`.
function withoutFolder([program, ...rest]: readonly ShellWord[]): readonly ShellWord[] {
  return program ? [{ ...program, text: path.basename(program.text) }, ...rest] : [];
}

// Some file systems ignore case, so `CURL` may start `curl`.
function withLowerCase([program, ...rest]: readonly ShellWord[]): readonly ShellWord[] {
  return program ? [{ ...program, text: program.text.toLowerCase() }, ...rest] : [];
}

function matchesWords({ words, isOpen }: CommandPattern, given: readonly ShellWord[]): boolean {
  if (isOpen ? given.length < words.length : given.length !== words.length) return false;
  return words.every((word, index) => matchesWord(word, given[index]!));
}

function matchesWord(pattern: ShellWord, word: ShellWord): boolean {
  if (word.isOpen) return false;
  if (!pattern.isGlob) return !word.isGlob && pattern.text === word.text;
  return matchesText(pattern.text, word.text);
}

/** `*` stands for any text. */
export function matchesText(pattern: string, text: string): boolean {
  const expression = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${expression.join('.*')}$`, 's').test(text);
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
