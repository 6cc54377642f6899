import path from 'node:path';
import type { CommandRun } from '../ports/terminals.ts';
import { isPlainShell } from '../program-kinds.ts';
import { wholeLineOf } from '../workspace/program.ts';
import { type CommandArgument, commandNames, commandsIn, folderIn } from './arguments.ts';
import type { ToolEntry } from './model.ts';

/** A command as a permission question shows it, and the folder it names; absent: the folder of the session. */
export interface ShownCommand {
  readonly command: CommandArgument;
  readonly folder: string | undefined;
}

/** A command that an agent wants to run in a terminal, and where. */
export type WantedCommand = Pick<CommandRun, 'command' | 'args'> & { readonly cwd: string };

/**
 * The commands that the user allowed in this turn by answering a permission question. `terminal/create` names no tool
 * call, so the text decides; each counts once.
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

  /** True when the user allowed this very command, which from then on does not count any more. */
  take(wanted: WantedCommand): boolean {
    const at = this.allowed.findIndex((shown) => this.isSame(shown, wanted));
    if (at >= 0) this.allowed.splice(at, 1);
    return at >= 0;
  }

  clear(): void {
    this.allowed = [];
  }

  private isSame({ command, folder = '.' }: ShownCommand, wanted: WantedCommand): boolean {
    if (path.resolve(this.folder, folder) !== path.resolve(wanted.cwd)) return false;
    if (typeof command === 'string')
      return linesOf(wanted).some((line) => line === command || line === command.trim());
    const words = [wanted.command, ...wanted.args];
    return words.length === command.length && words.every((word, index) => word === command[index]);
  }
}

/** The commands that a question about a tool call shows. A title counts only if there is no command among the arguments. */
export function shownCommands({ rawInput, title, toolKind }: ToolEntry): readonly ShownCommand[] {
  const folder = folderIn(rawInput);
  const commands = commandsIn(rawInput);
  // A command in a list has arguments of its own beside it, which may say where it runs.
  if (commands.length > 0 && commandNames(rawInput).length === 0) return [];
  const isTitle = commands.length === 0 && toolKind === 'execute' && title.trim() !== '';
  return (isTitle ? [title] : commands).map((command) => ({ command, folder }));
}

// A line for a shell may come alone, as words, or behind a shell, and may first go to the folder it runs in anyway.
function linesOf({ command, args, cwd }: WantedCommand): readonly string[] {
  const [option = '', line = ''] = args;
  const isLine = isPlainShell(command) && args.length === 2 && /^-l?c$/.test(option);
  // Without a shell in front a blank at the end may be part of the name of a program.
  if (!isLine) return [wholeLineOf({ command, args })];
  return [line, ...withoutFolder(line, cwd)].map((text) => text.replace(/^[ \t\n]+|[ \t\n]+$/g, ''));
}

function withoutFolder(line: string, cwd: string): readonly string[] {
  const prefixes = [`cd '${cwd}' && `, `cd "${cwd}" && `, `cd ${cwd} && `];
  const isQuoted = /^[\w@%+=:,./-]+$/.test(cwd);
  const prefix = isQuoted ? prefixes.find((each) => line.startsWith(each)) : undefined;
  return prefix === undefined ? [] : [line.slice(prefix.length)];
}
