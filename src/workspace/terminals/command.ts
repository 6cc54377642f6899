import fs from 'node:fs';
import path from 'node:path';
import type { CommandRequest } from '../../ports/terminals.ts';
import { findProgram } from '../../system/find-program.ts';

/** The program to start, or the message and exit code of a shell that can't start it. */
export type ResolvedProgram =
  | { readonly file: string; readonly args: readonly string[] }
  | { readonly failure: string; readonly code: number };

/** Pagers and editors would wait for keys that nobody types. */
const defaultVariables = {
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

/** Variables that describe the terminal and the Neovim that the host runs in. */
const inheritedEditorVariables =
  /^(NVIM|NVIM_LISTEN_ADDRESS|NVIM_LOG_FILE|VIM|VIMRUNTIME|MYVIMRC|TMUX|TMUX_PANE|STY|WINDOW|WINDOWID|TERMCAP|COLUMNS|LINES|COLORTERM)$/;

/** The environment of a command: ours without the editor's variables, our defaults, and the variables of the agent. */
export function commandEnvironment(
  own: NodeJS.ProcessEnv,
  { env }: Pick<CommandRequest, 'env'>,
): Record<string, string> {
  const inherited = Object.entries(own).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !inheritedEditorVariables.test(entry[0]),
  );
  return { ...Object.fromEntries(inherited), ...defaultVariables, ...env };
}

/**
 * Finds the program of a command. Some agents send a whole shell line as the program name: a command without arguments
 * that is not a program but looks like a shell line runs in the shell.
 */
export function resolveProgram(
  { command, args }: CommandRequest,
  { cwd, env, shell }: { cwd: string; env: Readonly<Record<string, string>>; shell: string },
): ResolvedProgram {
  if (!isFolder(cwd)) return { failure: `${cwd}: no such folder`, code: 127 };
  const file = findProgram(command, { cwd, searchPath: env.PATH });
  if (file !== undefined) return { file, args };
  if (args.length === 0 && isShellLine(command)) return shellProgram(command, shell);
  if (command.includes('/') && isFile(path.resolve(cwd, command))) {
    return { failure: `${command}: permission denied`, code: 126 };
  }
  return { failure: `${command}: command not found`, code: 127 };
}

/** Runs a line in the shell; the `shell` option may contain arguments. */
export function shellProgram(line: string, shell: string): ResolvedProgram {
  const [file = '/bin/sh', ...words] = shell.split(/\s+/).filter((word) => word !== '');
  return { file, args: [...words, '-c', line] };
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
