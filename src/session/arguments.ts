import { isRecord } from '../base.ts';
import { isPlainShell, quoted } from '../program-kinds.ts';
import type { Diff } from './model.ts';

/** A command among the arguments of a tool call: a line for a shell, or a program and its arguments. */
export type CommandArgument = string | readonly string[];

const lineNames = ['command', 'cmd', 'script', 'commands', 'argv'] as const;
/** Names of the folder that a command runs in. */
export const folderNames: readonly string[] = [
  'cwd',
  'workdir',
  'working_directory',
  'workingDirectory',
  'directory',
  'dir',
];

/** The commands that a tool call names, whatever the agent calls them. */
export function commandsIn(rawInput: unknown): readonly CommandArgument[] {
  return namedCommands(rawInput)?.commands ?? [];
}

/** The names of arguments of which `commandsIn` tells everything. */
export function commandNames(rawInput: unknown): readonly string[] {
  return namedCommands(rawInput)?.names ?? [];
}

interface NamedCommands {
  readonly commands: readonly CommandArgument[];
  readonly names: readonly string[];
}

// Each argument is looked at once: agents can nest lists of commands in each other.
function namedCommands(rawInput: unknown): NamedCommands | undefined {
  if (!isRecord(rawInput)) return undefined;
  for (const name of lineNames) {
    const named = commandsNamed(name, rawInput);
    if (named) return named;
  }
  return undefined;
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
  let isAllTold = true;
  for (const item of list) {
    const isCommand = typeof item === 'string' || isWords(item);
    const named = isCommand ? { commands: [item], names: [] } : namedCommands(item);
    if (!named) return undefined;
    commands.push(...named.commands);
    isAllTold &&= isCommand || Object.keys(item as object).every((key) => named.names.includes(key));
  }
  return { commands, names: isAllTold ? [name] : [] };
}

/** A command as a person would type it. */
export function commandLine(command: CommandArgument): string {
  if (typeof command === 'string') return command;
  const [shell = '', option = '', line] = command;
  const isLine = isPlainShell(shell) && /^-l?c$/.test(option) && command.length === 3;
  return isLine ? line! : command.map(quoted).join(' ');
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
];
const oldNames = ['old_text', 'old_string', 'oldText', 'oldString', 'old_str', 'oldStr', 'search'];
const newNames = ['new_text', 'new_string', 'newText', 'newString', 'new_str', 'newStr', 'replace'];
const contentNames = ['content', 'contents', 'file_text', 'fileText', 'new_text', 'newText'];
const listNames = ['edits', 'changes', 'replacements'];
/** With one of these the text is put somewhere into the file, and is not all of it. */
const partNames = ['insert_line', 'insertLine', 'line', 'start_line', 'startLine', 'append', 'offset'];

const knownEdits = new WeakMap<object, readonly Diff[]>();

/** The changes of files that the arguments of a tool call tell, whatever the agent calls them. */
export function editsIn(rawInput: unknown): readonly Diff[] {
  if (!isRecord(rawInput)) return [];
  const edits = knownEdits.get(rawInput) ?? editsOf(rawInput, undefined);
  knownEdits.set(rawInput, edits);
  return edits;
}

/** The names of arguments that `editsIn` understands. */
export const editNames: ReadonlySet<string> = new Set([
  ...pathNames,
  ...oldNames,
  ...newNames,
  ...contentNames,
  ...listNames,
]);

function editsOf(record: Record<string, unknown>, place: string | undefined): readonly Diff[] {
  const path = textAmong(record, pathNames) ?? place;
  if (path === undefined) return [];
  const list = listNames.map((name) => record[name]).find(Array.isArray) as readonly unknown[] | undefined;
  if (list) {
    const edits = list.map((item) => (isRecord(item) ? editsOf(item, path) : []));
    // Half of what would be changed must not look like all of it.
    return edits.every((each) => each.length > 0) ? edits.flat() : [];
  }
  const [oldText, newText] = [stringAmong(record, oldNames), stringAmong(record, newNames)];
  if (oldText !== undefined && newText !== undefined) return [{ kind: 'diff', path, oldText, newText }];
  const content = stringAmong(record, contentNames);
  if (content === undefined || oldText !== undefined || partNames.some((name) => name in record)) return [];
  return [{ kind: 'diff', path, oldText: undefined, newText: content, isWhole: true }];
}

/** The folder that a tool call says its command runs in. */
export function folderIn(rawInput: unknown): string | undefined {
  return isRecord(rawInput) ? textAmong(rawInput, folderNames) : undefined;
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}

// An empty text is a text: to replace something by nothing deletes it.
function stringAmong(record: Record<string, unknown>, names: readonly string[]): string | undefined {
  const name = names.find((each) => typeof record[each] === 'string');
  return name === undefined ? undefined : (record[name] as string);
}

function textAmong(record: Record<string, unknown>, names: readonly string[]): string | undefined {
  const name = names.find((each) => typeof record[each] === 'string' && record[each] !== '');
  return name === undefined ? undefined : (record[name] as string);
}
