import path from 'node:path';
import { fullCommandLine, isPlainShell, isProgramName, withoutFolderChange } from '../../base/shell.ts';
import type { ToolEntry } from '../../model/entries.ts';
import {
  type CommandArgument,
  commandArgumentNames,
  commandArgumentText,
  commandFolder,
  commandsIn,
} from '../../model/tools/tool-arguments.ts';
import type { CommandRequest } from '../../ports/terminals.ts';

/** A command in a permission question, and the folder that it names. Undefined: the folder of the session. */
export interface ShownCommand {
  readonly command: CommandArgument;
  readonly folder: string | undefined;
}

/** A command that the agent wants to run in a terminal. */
type WantedCommand = Pick<CommandRequest, 'command' | 'args'> & { readonly cwd: string };

/**
 * The commands that the user allowed in this turn by answering a permission question. `terminal/create` has no tool call
 * id, so commands are compared by their text. Each permission counts once.
 */
export class AllowedCommands {
  private readonly folder: string;
  private allowed: ShownCommand[] = [];

  constructor(folder: string) {
    this.folder = folder;
  }

  add(shown: readonly ShownCommand[]): void {
    this.allowed.push(...shown);
  }

  /** Whether the user allowed this command. The permission is used up. */
  consume(wanted: WantedCommand): boolean {
    const at = this.allowed.findIndex((shown) => this.isSame(shown, wanted));
    if (at >= 0) this.allowed.splice(at, 1);
    return at >= 0;
  }

  /** Whether the user allowed commands that did not run yet. */
  get isWaiting(): boolean {
    return this.allowed.length > 0;
  }

  clear(): void {
    this.allowed = [];
  }

  private isSame({ command, folder = '.' }: ShownCommand, wanted: WantedCommand): boolean {
    if (path.resolve(this.folder, folder) !== path.resolve(wanted.cwd)) return false;
    const shown = typeof command === 'string' ? command : scriptOf(command);
    if (shown !== undefined && commandLines(wanted).some((line) => line === shown || line === shown.trim()))
      return true;
    if (typeof command === 'string') return false;
    const words = [wanted.command, ...wanted.args];
    // The user saw one quoted word, but the request runs a shell line.
    if (words.length === 1 && !isProgramName(wanted.command)) return false;
    return words.length === command.length && words.every((word, index) => word === command[index]);
  }
}

/** The commands in a question about a tool call. The title counts only if no argument is a command. */
export function shownCommands({ rawInput, title, toolKind }: ToolEntry): readonly ShownCommand[] {
  const folder = commandFolder(rawInput);
  const commands = commandsIn(rawInput);
  // If an item of a command list has other arguments, they may name another folder.
  if (commands.length > 0 && commandArgumentNames(rawInput).length === 0) return [];
  const isTitle = commands.length === 0 && toolKind === 'execute' && title.trim() !== '';
  return (isTitle ? [title] : commands).map((command) => ({ command, folder }));
}

// Agents send a shell command as a line, as words, or as `sh -c line`, and may put `cd <folder> &&` in front of it.
function commandLines({ command, args, cwd }: WantedCommand): readonly string[] {
  const [option = '', line = ''] = args;
  const isLine = isPlainShell(command) && args.length === 2 && /^-l?c$/.test(option);
  // Without a shell a space at the end may be part of the program's name.
  if (!isLine) return [fullCommandLine({ command, args })];
  return [line, withoutFolderChange(line, cwd) ?? line].map((text) =>
    text.replace(/^[ \t\n]+|[ \t\n]+$/g, ''),
  );
}

// The question shows only the line of `bash -c line`.
function scriptOf(command: readonly string[]): string | undefined {
  const shown = commandArgumentText(command);
  return shown === command[2] && command.length === 3 ? shown : undefined;
}
