import { replaceInvisible, visibleSubstitute } from '../base/invisible-characters.ts';
import { shorten } from '../base/text.ts';
import type { SlashCommand } from '../model/agent.ts';
import { codeRanges } from './code-ranges.ts';
import type { FileMatch } from './file-search.ts';
import { isFolderPath, matchNames, splitFolderPath } from './folder-paths.ts';
import { findMentionName, type MentionName, mentionNames } from './mention-names.ts';
import { findMentions } from './mentions.ts';

export interface CompletionItem {
  readonly kind: 'file' | 'folder' | 'name' | 'argument' | 'chat' | 'command';
  readonly label: string;
  /** What it is, in one line. */
  readonly detail: string;
  /** Replaces the text from `Completions.start` to the cursor. */
  readonly text: string;
  /** What else to say about it. A file is read when the user looks at it. */
  readonly documentation?: string;
  /** The path of a file, relative to the folder of the chat or absolute. */
  readonly path?: string;
}

export interface Completions {
  /** Where the completed text begins in the line of the cursor, in UTF-16 units. */
  readonly start: number;
  /** The text from there to the cursor. */
  readonly typed: string;
  /** The best first. */
  readonly items: readonly CompletionItem[];
}

/** What a prompt may contain, as far as it is known now. */
export interface CompletionSources {
  readonly commands: readonly SlashCommand[];
  searchFiles(query: string, limit: number): Promise<readonly FileMatch[]>;
  /** The names in a folder as it is written, such as `~/notes/`; those of folders end with a slash. */
  listFolder(folder: string): Promise<readonly string[]>;
  /** What may follow a name and a colon at the moment, beside its fixed choices. */
  listArguments(name: string): Promise<readonly ArgumentChoice[]>;
}

export interface ArgumentChoice {
  readonly value: string;
  /** What it stands for if the value does not say it; found by the typed text too. */
  readonly name?: string;
}

/** Where the user types. */
export interface CompletionPlace {
  /** The prompt up to the end of the cursor's line. */
  readonly text: string;
  /** The cursor in its line, in UTF-16 units. */
  readonly column: number;
}

const maxItems = 60;
/** Agents name commands and describe them as they like. */
const maxCommands = 200;
const maxName = 200;
const maxDetail = 200;
const maxDocumentation = 2_000;
/** Files that stand above the names before anything is typed. */
const firstFiles = 4;
const nothing: Completions = { start: 0, typed: '', items: [] };

const plain = /(?:^|[\s([{<"'`,;])@([^\s"]*)$/;
const quoted = /(?:^|[\s([{<'`,;])@(?:([a-z]+):)?"([^"]*)$/;
const lineSuffix = /(?::\d*(?:-\d*)?|#L?\d*(?:-L?\d*)?)$/;

/** What may stand at the cursor: slash commands at the start of the prompt, and mentions. */
export async function completePrompt(
  { text, column }: CompletionPlace,
  sources: CompletionSources,
): Promise<Completions> {
  const lineStart = text.lastIndexOf('\n') + 1;
  const before = text.slice(lineStart, lineStart + column);
  if (lineStart === 0 && before.startsWith('/'))
    return { start: 0, typed: before, items: commandItems(before, sources.commands) };
  const match = quoted.exec(before) ?? plain.exec(before);
  if (!match) return nothing;
  const start = before.indexOf('@', match.index);
  if (isCode(text, lineStart + start)) return nothing;
  const typed = before.slice(start);
  return { start, typed, items: (await mentionItems(match, sources)).slice(0, maxItems) };
}

function isCode(text: string, at: number): boolean {
  return codeRanges(text).some(({ start, end }) => start <= at && at < end);
}

function isReadable({ name }: SlashCommand): boolean {
  return name.length <= maxName && replaceInvisible(name, () => ' ') === name;
}

/** The commands for Neovim, which offers them when the host does not answer. It gets them again with other state. */
export function commandsForNeovim(commands: readonly SlashCommand[]): readonly SlashCommand[] {
  return commands.filter(isReadable).map(({ name, description, hint }) => ({
    name: oneLine(name),
    description: oneLine(description, maxDetail),
    hint: hint && oneLine(hint, maxDetail),
  }));
}

/** Commands that begin with what is typed; without one, those that contain it. A command may have several words. */
function commandItems(typed: string, commands: readonly SlashCommand[]): readonly CompletionItem[] {
  const query = typed.slice(1).toLowerCase();
  const beginning = commands.filter(({ name }) => name.toLowerCase().startsWith(query));
  const found =
    beginning.length > 0 ? beginning : commands.filter(({ name }) => name.toLowerCase().includes(query));
  return found
    .filter(isReadable)
    .slice(0, maxCommands)
    .map(({ name, description, hint }) => ({
      kind: 'command',
      label: `/${oneLine(name)}`,
      detail: oneLine(description, maxDetail),
      text: `/${oneLine(name)}`,
      documentation: [`/${name}${hint === undefined ? '' : ` ${hint}`}`, description]
        .map((text) => oneLine(text))
        .join('\n\n'),
    }));
}

async function mentionItems(
  match: RegExpExecArray,
  sources: CompletionSources,
): Promise<readonly CompletionItem[]> {
  const isQuoted = match.length === 3;
  const [first = '', second = ''] = [match[1], match[2]];
  if (isQuoted)
    return first === '' ? pathItems(second, sources, true) : argumentItems(first, second, sources);
  const colon = first.indexOf(':');
  if (colon > 0 && findMentionName(first.slice(0, colon)))
    return argumentItems(first.slice(0, colon), first.slice(colon + 1), sources);
  if (lineSuffix.test(first)) return [];
  const names = nameItems(first);
  const paths = await pathItems(first, sources, false);
  if (first !== '') return [...names, ...paths];
  return [...paths.slice(0, firstFiles), ...names, ...paths.slice(firstFiles)];
}

function nameItems(query: string): readonly CompletionItem[] {
  return mentionNames
    .filter(({ name }) => name.startsWith(query.toLowerCase()))
    .map(({ name, argument, description, details = description }) => ({
      kind: 'name',
      label: argument === 'required' ? `@${name}:…` : `@${name}`,
      detail: description,
      text: argument === 'required' ? `@${name}:` : `@${name}`,
      documentation: details,
    }));
}

async function argumentItems(
  name: string,
  query: string,
  sources: CompletionSources,
): Promise<readonly CompletionItem[]> {
  const known = findMentionName(name);
  if (!known) return [];
  const needle = query.toLowerCase();
  const choices = [
    ...(known.choices ?? []).map((value) => ({ value })),
    ...(await sources.listArguments(name)),
  ];
  const found = choices.filter(
    (choice) => !choice.value.includes('"') && wordsOf(choice).some((word) => word.includes(needle)),
  );
  const beginning = found.filter((choice) => wordsOf(choice).some((word) => word.startsWith(needle)));
  return [...new Set([...beginning, ...found])].map((choice) => argumentItem(known, choice));
}

function wordsOf({ value, name }: ArgumentChoice): readonly string[] {
  return [value, ...(name === undefined ? [] : [name])].map((word) => word.toLowerCase());
}

function argumentItem(known: MentionName, { value, name }: ArgumentChoice): CompletionItem {
  const plainText = `@${known.name}:${value}`;
  const text = isMentionWith(plainText, value) ? plainText : `@${known.name}:"${value}"`;
  const kind = known.name === 'chat' ? 'chat' : 'argument';
  return { kind, label: text, detail: oneLine(name ?? known.description), text };
}

/** Punctuation at the end of a branch or a title would belong to the sentence. */
function isMentionWith(text: string, argument: string): boolean {
  const [mention] = findMentions(text);
  return (
    mention?.end === text.length && mention.target.kind === 'named' && mention.target.argument === argument
  );
}

async function pathItems(
  query: string,
  sources: CompletionSources,
  isQuoted: boolean,
): Promise<readonly CompletionItem[]> {
  const paths = isFolderPath(query)
    ? await pathsInFolder(query, sources)
    : (await sources.searchFiles(query, maxItems)).map(({ path }) => path);
  return paths.flatMap((path) => {
    const text = mentionOf(path, isQuoted);
    if (text === undefined) return [];
    const isFolder = path.endsWith('/');
    return { kind: isFolder ? 'folder' : 'file', label: path, detail: '', text, path } as const;
  });
}

async function pathsInFolder(query: string, sources: CompletionSources): Promise<readonly string[]> {
  const { folder, part } = splitFolderPath(query);
  const names = matchNames(await sources.listFolder(folder), part);
  return names.slice(0, maxItems).map((name) => folder + name);
}

/** How a prompt mentions a path; undefined if it can't, because of a quote or a control character in the name. */
export function mentionOf(path: string, isQuoted = false): string | undefined {
  if (/[\p{Cc}"]/u.test(path)) return undefined;
  const text = `@${path}`;
  return !isQuoted && isMentionOf(text, path) ? text : `@"${path}"`;
}

function isMentionOf(text: string, path: string): boolean {
  const [mention] = findMentions(text);
  return (
    mention?.end === text.length &&
    mention.target.kind === 'path' &&
    mention.target.path === path &&
    mention.target.range === undefined
  );
}

function oneLine(text: string, length = maxDocumentation): string {
  const visible = replaceInvisible(shorten(text, length), (character) =>
    /\p{Cc}/u.test(character) ? ' ' : visibleSubstitute(character),
  );
  return visible.replace(/\s+/g, ' ').trim();
}
