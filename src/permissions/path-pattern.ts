import { comparablePath } from '../model/run-files.ts';

/**
 * Whether a path matches a pattern: `*` stands for text without a slash, `?` for one such character, `**` between slashes
 * for any folders, `{a,b}` for one of several texts. Everything else stands for itself, also brackets and quotes.
 */
export function matchesPathPattern(pattern: string, file: string): boolean {
  return expressionOf(pattern).test(file);
}

/** The same for a file system that ignores case, or ways to write a letter. Only rules that do not allow compare so. */
export function matchesSimilarPath(pattern: string, file: string): boolean {
  return matchesPathPattern(comparablePath(pattern), comparablePath(file));
}

export function hasWildcard(pattern: string): boolean {
  return /[*?{]/.test(pattern);
}

const cache = new Map<string, RegExp>();
const maxCached = 1_000;

function expressionOf(pattern: string): RegExp {
  const known = cache.get(pattern);
  if (known) return known;
  if (cache.size >= maxCached) cache.clear();
  const expression = new RegExp(`^${folderExpression(pattern)}$`, 'su');
  cache.set(pattern, expression);
  return expression;
}

// `**` includes no folder at all, so the slash beside it goes with it: `a/**/b` is also `a/b`, and `a/**` is also `a`.
function folderExpression(pattern: string): string {
  const parts = pattern.split('/').reduce<string[]>((all, part) => {
    // Several in a row mean the same as one, and would take long to compare.
    if (part !== '**' || all.at(-1) !== '**') all.push(part);
    return all;
  }, []);
  if (parts.join('/') === '**') return '.*';
  return parts.map((part, at) => partExpression(part, at, parts)).join('');
}

function partExpression(part: string, at: number, parts: readonly string[]): string {
  const isFirst = at === 0;
  const isLast = at === parts.length - 1;
  const slash = isFirst || (parts[at - 1] === '**' && at === 1) ? '' : '/';
  if (part !== '**') return slash + textExpression(part);
  if (isFirst) return '(?:[^/]+/)*';
  return isLast ? '(?:/.*)?' : '(?:/[^/]+)*';
}

function textExpression(text: string): string {
  // A name is never empty.
  if (text === '*') return '[^/]+';
  let expression = '';
  let depth = 0;
  const isBalanced = hasPairedBraces(text);
  for (const character of text) {
    if (character === '*') expression += expression.endsWith('[^/]*') ? '' : '[^/]*';
    else if (character === '?') expression += '[^/]';
    else if (isBalanced && character === '{') [expression, depth] = [`${expression}(?:`, depth + 1];
    else if (isBalanced && character === '}') [expression, depth] = [`${expression})`, depth - 1];
    else if (depth > 0 && character === ',') expression += '|';
    else expression += character.replace(/[\\^$.|?*+()[\]{}/]/, '\\$&');
  }
  return expression;
}

function hasPairedBraces(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '{') depth += 1;
    if (character === '}') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}
