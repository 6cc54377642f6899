import { isRecord } from '../base.ts';

/** A command among the arguments of a tool call: a line for a shell, or a program and its arguments. */
export type CommandArgument = string | readonly string[];

const lineNames = ['command', 'cmd', 'script', 'commands', 'argv'] as const;
const folderNames = ['cwd', 'workdir', 'working_directory', 'workingDirectory', 'directory', 'dir'] as const;

/** The commands that a tool call names, whatever the agent calls them. */
export function commandsIn(rawInput: unknown): readonly CommandArgument[] {
  if (!isRecord(rawInput)) return [];
  const name = lineNames.find((each) => isCommand(rawInput[each]));
  if (name === undefined) return [];
  const value = rawInput[name];
  if (typeof value === 'string') {
    const words = rawInput.args;
    return isWords(words) && words.length > 0 ? [[value, ...words]] : [value];
  }
  const list = value as readonly unknown[];
  return name === 'commands' ? list.flatMap(commandIn) : [list as readonly string[]];
}

/** The folder that a tool call says its command runs in. */
export function folderIn(rawInput: unknown): string | undefined {
  return isRecord(rawInput) ? textAmong(rawInput, folderNames) : undefined;
}

function commandIn(item: unknown): readonly CommandArgument[] {
  return typeof item === 'string' || isWords(item) ? [item] : commandsIn(item);
}

function isCommand(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  return Array.isArray(value) && value.length > 0 && value.every((item) => commandIn(item).length > 0);
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}

function textAmong(record: Record<string, unknown>, names: readonly string[]): string | undefined {
  const name = names.find((each) => typeof record[each] === 'string' && record[each] !== '');
  return name === undefined ? undefined : (record[name] as string);
}
