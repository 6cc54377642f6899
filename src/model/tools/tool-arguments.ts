import { isRecord } from '../../base/record.ts';
import { isPlainShell, shellQuote } from '../../base/shell.ts';
import type { Diff } from '../entries.ts';

/** A command in the arguments of a tool call: a shell line, or a program and its arguments. */
export type CommandArgument = string | readonly string[];

const lineNames = ['command', 'cmd', 'script', 'commands', 'argv'] as const;
export const folderArgumentNames: readonly string[] = [
  'cwd',
  'workdir',
  'working_directory',
  'workingDirectory',
  'directory',
  'dir',
];
export const urlArgumentNames: readonly string[] = ['url', 'uri', 'urls'];
/** Arguments of which one is the command, or a part of it. */
export const commandLikeNames: readonly string[] = [
  ...lineNames,
  'args',
  'arguments',
  'shell_command',
  'code',
];

/** The commands in the arguments of a tool call, under any of the known names. */
export function commandsIn(rawInput: unknown): readonly CommandArgument[] {
  return namedCommands(rawInput)?.commands ?? [];
}

/** The names of the arguments that `commandsIn` returns completely. */
export function commandArgumentNames(rawInput: unknown): readonly string[] {
  return namedCommands(rawInput)?.names ?? [];
}

interface NamedCommands {
  readonly commands: readonly CommandArgument[];
  readonly names: readonly string[];
}

// Each argument is visited once: agents may nest command lists.
function namedCommands(rawInput: unknown): NamedCommands | undefined {
  if (!isRecord(rawInput)) return undefined;
  for (const name of lineNames) {
    const named = commandsNamed(name, rawInput);
    if (named) return name === 'commands' ? named : withList(named, rawInput);
  }
  return undefined;
}

/** With the list that some agents send beside a command. Most repeat the command there. */
function withList(named: NamedCommands, rawInput: Record<string, unknown>): NamedCommands {
  const list = commandsNamed('commands', rawInput);
  if (!list || list.names.length === 0) return named;
  const known = named.commands.map(commandArgumentText);
  const others = list.commands.filter((command) => !known.includes(commandArgumentText(command)));
  return { commands: [...named.commands, ...others], names: [...named.names, ...list.names] };
}

function commandsNamed(name: string, rawInput: Record<string, unknown>): NamedCommands | undefined {
  const { [name]: value, args } = rawInput;
  if (typeof value === 'string') {
    if (value.trim() === '') return undefined;
    if (!isWords(args)) return { commands: [value], names: [name] };
    return { commands: [args.length > 0 ? [value, ...args] : value], names: [name, 'args'] };
  }
  if (!Array.isArray(value) || value.length === 0) return undefined;
  if (name !== 'commands') return isWords(value) ? { commands: [value], names: [name] } : undefined;
  return commandsOfList(value, name);
}

function commandsOfList(list: readonly unknown[], name: string): NamedCommands | undefined {
  const commands: CommandArgument[] = [];
  let isComplete = true;
  for (const item of list) {
    const isCommand = typeof item === 'string' || isWords(item);
    const named = isCommand ? { commands: [item], names: [] } : namedCommands(item);
    if (!named) return undefined;
    commands.push(...named.commands);
    isComplete &&= isCommand || Object.keys(item as object).every((key) => named.names.includes(key));
  }
  return { commands, names: isComplete ? [name] : [] };
}

/** A command as the user would type it. */
export function commandArgumentText(command: CommandArgument): string {
  if (typeof command === 'string') return command;
  const [shell = '', option = '', line] = command;
  const isLine = isPlainShell(shell) && /^-l?c$/.test(option) && command.length === 3;
  return isLine ? line! : command.map(shellQuote).join(' ');
}

const pathNames = [
  'path',
  'file_path',
  'filePath',
  'file',
  'filename',
  'fileName',
  'absolute_path',
  'absolutePath',
  'target_file',
  'targetFile',
  'filepath',
];
const otherPathNames = [
  'paths',
  'files',
  'source',
  'source_path',
  'sourcePath',
  'destination',
  'destination_path',
  'destinationPath',
  'old_path',
  'oldPath',
  'new_path',
  'newPath',
  'notebook_path',
  'dir_path',
  'dirPath',
  'directory_path',
  'folder',
];
/** The names of arguments with files and folders, for calls that run no command. */
export const pathArgumentNames: readonly string[] = [...pathNames, ...otherPathNames, ...folderArgumentNames];
const oldNames = ['old_text', 'old_string', 'oldText', 'oldString', 'old_str', 'oldStr', 'search'];
const newNames = ['new_text', 'new_string', 'newText', 'newString', 'new_str', 'newStr', 'replace'];
const contentNames = ['content', 'contents', 'file_text', 'fileText', 'new_text', 'newText'];
export const editListNames: readonly string[] = ['edits', 'changes', 'replacements'];
/** With one of these the text is inserted into the file and does not replace all of it. */
export const editPartNames: readonly string[] = [
  'insert_line',
  'insertLine',
  'line',
  'start_line',
  'startLine',
  'append',
  'offset',
];

/** The file changes in the arguments of a tool call, under any of the known names. */
export function editsIn(rawInput: unknown): readonly Diff[] {
  return isRecord(rawInput) ? editsInRecord(rawInput, undefined) : [];
}

/** The names of the arguments that `editsIn` reads. */
export const editArgumentNames: ReadonlySet<string> = new Set([
  ...pathNames,
  ...oldNames,
  ...newNames,
  ...contentNames,
  ...editListNames,
]);

/** The paths in the arguments of a tool call, under any of the known names, also in lists of records. */
export function namedPathsIn(rawInput: unknown): readonly string[] {
  if (!isRecord(rawInput)) return [];
  const values = pathArgumentNames.flatMap((name) => rawInput[name]);
  const parts = [...values, ...editListNames.flatMap((name) => rawInput[name])].filter(isRecord);
  const own = values.filter((value) => typeof value === 'string' && value !== '') as readonly string[];
  return [
    ...own,
    ...parts.flatMap(namedPathsIn),
    ...Object.entries(changesByPath(rawInput)).flatMap(pathsOfChange),
  ];
}

/** The changes that Codex names: records by the path of their file. */
export function changesByPath(rawInput: unknown): Readonly<Record<string, unknown>> {
  const changes = isRecord(rawInput) ? rawInput.changes : undefined;
  return isRecord(changes) ? changes : {};
}

function pathsOfChange([file, change]: readonly [string, unknown]): readonly string[] {
  const moved = isRecord(change) ? change.move_path : undefined;
  return typeof moved === 'string' && moved !== '' ? [file, moved] : [file];
}

function editsInRecord(record: Record<string, unknown>, place: string | undefined): readonly Diff[] {
  const path = firstNonEmptyString(record, pathNames) ?? place;
  if (path === undefined) return [];
  const list = editListNames.map((name) => record[name]).find(Array.isArray) as
    | readonly unknown[]
    | undefined;
  if (list) {
    const edits = list.map((item) => (isRecord(item) ? editsInRecord(item, path) : []));
    // If one edit can't be read, show none: a part must not look like the whole change.
    return edits.every((each) => each.length > 0) ? edits.flat() : [];
  }
  const [oldText, newText] = [firstString(record, oldNames), firstString(record, newNames)];
  if (oldText !== undefined && newText !== undefined) return [{ kind: 'diff', path, oldText, newText }];
  const content = firstString(record, contentNames);
  if (content === undefined || oldText !== undefined || editPartNames.some((name) => name in record))
    return [];
  return [{ kind: 'diff', path, oldText: undefined, newText: content, replacesFile: true }];
}

/** The folder that the command of a tool call runs in. */
export function commandFolder(rawInput: unknown): string | undefined {
  return isRecord(rawInput) ? firstNonEmptyString(rawInput, folderArgumentNames) : undefined;
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}

// An empty string counts: replacing a text by '' deletes it.
function firstString(record: Record<string, unknown>, names: readonly string[]): string | undefined {
  const name = names.find((each) => typeof record[each] === 'string');
  return name === undefined ? undefined : (record[name] as string);
}

function firstNonEmptyString(record: Record<string, unknown>, names: readonly string[]): string | undefined {
  const name = names.find((each) => typeof record[each] === 'string' && record[each] !== '');
  return name === undefined ? undefined : (record[name] as string);
}
