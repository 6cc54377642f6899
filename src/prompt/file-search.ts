import fuzzysort from 'fuzzysort';
import { type FileList, nameStart } from './file-index.ts';

/** What the user works with, relative to the folder of the list. */
export interface FileHints {
  /** Files with a buffer, the one used last first. */
  readonly open: readonly string[];
  /** Other files that were used before, the last one first. */
  readonly recent: readonly string[];
  /** The file that the user was in before the prompt. */
  readonly current: string | undefined;
}

export interface FileMatch {
  readonly path: string;
  readonly score: number;
}

/** How many paths are scored. The others match worse by a rule that costs less. */
const maxScored = 400;
/** What is used decides between matches of about the same quality. */
const weights = { open: 0.3, recent: 0.15, near: 0.1, folder: -0.1, length: -0.0005 };
/** Where the letters are, from the best to the worst; how close they are together adds at most 1. */
const places = { nameAtWord: 1, nameTogether: 0.8, pathAtWord: 0.6, scattered: 0 };
/** Matches that are worse than this share of the best one are left out. */
const leastShare = 0.65;

/** The last query of a list: a longer query has fewer matches, and all of them are among those. */
interface LastQuery {
  readonly query: string;
  readonly matches: readonly number[];
}

const lastQueries = new WeakMap<FileList, LastQuery>();

/** The paths that match a query best, the best first. */
export function searchFiles(
  list: FileList,
  query: string,
  hints: FileHints,
  limit: number,
): readonly FileMatch[] {
  const bonus = bonusOf(hints);
  const matches = query === '' ? withoutQuery(list, hints) : withQuery(list, query.toLowerCase(), hints);
  const scored = matches.map((path) => ({ path, quality: qualityOf(path, query) }));
  const least = leastShare * scored.reduce((most, { quality }) => Math.max(most, quality), 0);
  return scored
    .filter(({ quality }) => quality > 0 && quality >= least)
    .map(({ path, quality }) => ({ path, score: quality + preferenceOf(path) + bonus(path) }))
    .sort((one, other) => other.score - one.score || compare(one.path, other.path))
    .slice(0, limit);
}

function compare(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1);
}

/** Of two equal matches, the shorter path is likelier, and a file is likelier than a folder. */
function preferenceOf(path: string): number {
  return weights.length * Math.min(path.length, 200) + (path.endsWith('/') ? weights.folder : 0);
}

/** How well a path matches; 0 if it does not. */
function qualityOf(path: string, query: string): number {
  if (query === '') return 0.01;
  const slash = query.lastIndexOf('/');
  const found =
    slash === -1
      ? nameQuality(nameOf(path), query)
      : partsQuality(path, query.slice(0, slash), query.slice(slash + 1));
  return found >= places.nameTogether ? found : Math.max(found, pathQuality(path, query));
}

/** `chat/pro`: the last part is looked for in the name, the rest in the folders. */
function partsQuality(path: string, folders: string, last: string): number {
  const name = nameOf(path);
  const inName = last === '' ? 0 : nameQuality(name, last);
  if (inName < places.nameTogether) return 0;
  const inFolders = folders === '' ? 0 : match(folders, path.slice(0, -name.length))?.score;
  return inFolders === undefined ? 0 : inName + inFolders;
}

function nameQuality(name: string, query: string): number {
  const found = match(query, name);
  if (!found) return 0;
  const [first = 0] = found.indexes;
  if (isWordStart(name, first)) return places.nameAtWord + found.score;
  return (isTogether(name, query) ? places.nameTogether : places.scattered) + found.score;
}

function pathQuality(path: string, query: string): number {
  const score = match(query, path)?.score ?? 0.01;
  const at = path.toLowerCase().indexOf(query.toLowerCase());
  return score + (at !== -1 && isWordStart(path, at) ? places.pathAtWord : places.scattered);
}

function match(
  query: string,
  target: string,
): { score: number; indexes: ArrayLike<number> & Iterable<number> } | null {
  return fuzzysort.single(query, fuzzysort.prepare(target));
}

function isTogether(name: string, query: string): boolean {
  return name.toLowerCase().includes(query.toLowerCase());
}

/** After a separator, or a capital after a small letter. */
function isWordStart(text: string, at: number): boolean {
  if (at === 0) return true;
  const [before, letter] = [text[at - 1]!, text[at]!];
  return !/[\p{L}\p{N}]/u.test(before) || (/\p{Lu}/u.test(letter) && !/\p{Lu}/u.test(before));
}

function bonusOf({ open, recent, current }: FileHints): (path: string) => number {
  const bonuses = new Map<string, number>();
  for (const [index, path] of recent.entries()) bonuses.set(path, weights.recent / (1 + index / 20));
  for (const [index, path] of open.entries()) bonuses.set(path, weights.open / (1 + index / 20));
  const folders = current?.split('/').slice(0, -1) ?? [];
  return (path) => (bonuses.get(path) ?? 0) + weights.near * nearness(path, folders);
}

/** The share of the folders of the current file that a path has too. */
function nearness(path: string, folders: readonly string[]): number {
  if (folders.length === 0) return 0;
  const others = path.split('/');
  let common = 0;
  while (common < folders.length && common < others.length - 1 && folders[common] === others[common])
    common += 1;
  return common / folders.length;
}

/** What may be wanted before anything is typed: the files in use, then those at the top and near the current file. */
function withoutQuery({ paths }: FileList, { open, recent, current }: FileHints): readonly string[] {
  const here = current?.slice(0, current.lastIndexOf('/') + 1);
  const isAround = (path: string) =>
    path.indexOf('/') === -1 || path.indexOf('/') === path.length - 1 || isDirectlyIn(path, here);
  return [...new Set([...open, ...recent, ...paths.filter(isAround).slice(0, maxScored)])];
}

function isDirectlyIn(path: string, folder: string | undefined): boolean {
  return (
    folder !== undefined &&
    folder !== '' &&
    path.startsWith(folder) &&
    path.indexOf('/', folder.length) === -1
  );
}

/** Open files are found too if the list leaves them out, because they are new or ignored. */
function withQuery(list: FileList, query: string, { open }: FileHints): readonly string[] {
  const opened = open.filter((path) => hasLetters(path.toLowerCase(), query));
  return [...new Set([...opened, ...matchesOf(list, query)])];
}

/** The paths that contain the letters of the query in order: at most `maxScored`, the likely ones first. */
function matchesOf(list: FileList, query: string): readonly string[] {
  const last = lastQueries.get(list);
  const isLonger = last !== undefined && query.startsWith(last.query);
  const { lower, names, paths } = list;
  const wanted = query.slice(query.lastIndexOf('/') + 1);
  const matches: number[] = [];
  const tiers: number[][] = [[], [], [], [], []];
  const consider = (index: number) => {
    const tier = tierOf(lower[index]!, names[index]!, query, wanted);
    if (tier === undefined) return;
    matches.push(index);
    tiers[tier]!.push(index);
  };
  if (isLonger) for (const index of last.matches) consider(index);
  else for (let index = 0; index < lower.length; index += 1) consider(index);
  lastQueries.set(list, { query, matches });
  const chosen: number[] = [];
  for (const tier of tiers) chosen.push(...shortest(tier, lower, maxScored - chosen.length));
  return chosen.map((index) => paths[index]!);
}

/** At most so many of these paths. Sorting all of them would take longer. */
function shortest(indexes: readonly number[], paths: readonly string[], count: number): readonly number[] {
  if (indexes.length <= count) return indexes;
  if (count <= 0) return [];
  const counts: number[] = [];
  for (const index of indexes) {
    const { length } = paths[index]!;
    counts[length] = (counts[length] ?? 0) + 1;
  }
  let longest = 0;
  for (let sum = 0; sum < count; longest += 1) sum += counts[longest] ?? 0;
  const chosen = indexes.filter((index) => paths[index]!.length < longest);
  return chosen.sort((one, other) => paths[one]!.length - paths[other]!.length).slice(0, count);
}

function hasLetters(path: string, query: string, from = 0): boolean {
  let at = from - 1;
  for (let index = 0; index < query.length; index += 1) {
    at = path.indexOf(query[index]!, at + 1);
    if (at === -1) return false;
  }
  return true;
}

/** `wanted` is the part of the query that is looked for in the name. Undefined if letters are missing. */
function tierOf(path: string, name: number, query: string, wanted: string): 0 | 1 | 2 | 3 | 4 | undefined {
  const isInName = wanted !== '' && hasLetters(path, wanted, name);
  if (!(isInName && wanted === query) && !hasLetters(path, query)) return undefined;
  if (!isInName) return path.includes(query) ? 3 : 4;
  const found = path.indexOf(wanted, name);
  if (found === -1) return 2;
  return found === name ? 0 : 1;
}

function nameOf(path: string): string {
  return path.slice(nameStart(path));
}
