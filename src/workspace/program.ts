import fs from 'node:fs';
import path from 'node:path';
import type { CommandRun } from '../ports/terminals.ts';
import { isPlainShell, quoted } from '../program-kinds.ts';
import { findProgram } from '../programs.ts';

/** What is to be started, or why nothing is, in the words of a shell. */
export type Program =
  | { readonly file: string; readonly args: readonly string[] }
  | { readonly failure: string; readonly code: number };

/** Nothing waits unseen: what would open a pager or an editor goes on without. */
const defaults = {
  TERM: 'xterm-256color',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GH_PAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  AWS_PAGER: '',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
};

/** What tells of the terminal and the Neovim we run in ourselves. */
const ours =
  /^(NVIM|NVIM_LISTEN_ADDRESS|NVIM_LOG_FILE|VIM|VIMRUNTIME|MYVIMRC|TMUX|TMUX_PANE|STY|WINDOW|WINDOWID|TERMCAP|COLUMNS|LINES|COLORTERM)$/;

export function environmentOf(own: NodeJS.ProcessEnv, { env }: CommandRun): Record<string, string> {
  const inherited = Object.entries(own).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !ours.test(entry[0]),
  );
  return { ...Object.fromEntries(inherited), ...defaults, ...env };
}

/**
 * What a command starts. Some agents put a whole shell line where a program's name should be: what is no program and has
 * no arguments is left to the shell, if it looks like a line.
 */
export function programOf(
  { command, args }: CommandRun,
  { cwd, env, shell }: { cwd: string; env: Readonly<Record<string, string>>; shell: string },
): Program {
  if (!isFolder(cwd)) return { failure: `${cwd}: no such folder`, code: 127 };
  const file = findProgram(command, { cwd, searchPath: env.PATH });
  if (file !== undefined) return { file, args };
  if (args.length === 0 && isShellLine(command)) return throughShell(command, shell);
  if (command.includes('/') && isFile(path.resolve(cwd, command))) {
    return { failure: `${command}: permission denied`, code: 126 };
  }
  return { failure: `${command}: command not found`, code: 127 };
}

/** A line as a shell is given it; the option may bring words of its own. */
export function throughShell(line: string, shell: string): Program {
  const [file = '/bin/sh', ...words] = shell.split(/\s+/).filter((word) => word !== '');
  return { file, args: [...words, '-c', line] };
}

type Words = Pick<CommandRun, 'command' | 'args'>;

/** A command as a person would type it. */
export function lineOf({ command, args }: Words): string {
  const [option, line] = args;
  if (isPlainShell(command) && args.length === 2 && /^-l?c$/.test(option!)) return line!;
  return wholeLineOf({ command, args });
}

/** A command with every word of it, a shell in front of a line included. */
export function wholeLineOf({ command, args }: Words): string {
  return args.length === 0 ? command : [command, ...args].map(quoted).join(' ');
}

/** The variables that a command gets besides those that are there anyway. */
export function addedVariables(own: NodeJS.ProcessEnv, { env }: Pick<CommandRun, 'env'>): readonly string[] {
  return Object.entries(env)
    .filter(([name, value]) => own[name] !== value)
    .map(([name, value]) => `${name}=${quoted(value)}`);
}

function isShellLine(command: string): boolean {
  return /[\s|&;<>()$`"'*?~]/.test(command);
}

function isFile(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isFolder(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
