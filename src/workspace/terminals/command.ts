import fs from 'node:fs';
import { literalPath } from '../../base/paths.ts';
import { isProgramName } from '../../base/shell.ts';
import type { CommandArgument } from '../../model/tools/tool-arguments.ts';
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
 * What a request runs: a shell line, which some agents send instead of a program, or a program with its arguments. The
 * rules judge it, and `resolveProgram` starts it.
 */
export function requestedCommand({
  command,
  args,
}: Pick<CommandRequest, 'command' | 'args'>): CommandArgument {
  return args.length === 0 && command !== '' && !isProgramName(command) ? command : [command, ...args];
}

/** Finds the program of a request, or the shell that runs its line. */
export function resolveProgram(
  run: Pick<CommandRequest, 'command' | 'args'>,
  { cwd, env, shell }: { cwd: string; env: Readonly<Record<string, string>>; shell: string },
): ResolvedProgram {
  if (!isFolder(cwd)) return { failure: `${cwd}: no such folder`, code: 127 };
  const requested = requestedCommand(run);
  if (typeof requested === 'string') return shellProgram(requested, shell);
  const { command, args } = run;
  const file = findProgram(command, { cwd, searchPath: env.PATH });
  if (file !== undefined) return { file, args };
  if (command.includes('/') && isFile(literalPath(command, cwd))) {
    return { failure: `${command}: permission denied`, code: 126 };
  }
  return { failure: `${command}: command not found`, code: 127 };
}

/** Runs a line in the shell; the `shell` option may contain arguments. */
export function shellProgram(line: string, shell: string): ResolvedProgram {
  const [file = '/bin/sh', ...words] = shell.split(/\s+/).filter((word) => word !== '');
  return { file, args: [...words, '-c', line] };
}

function isFile(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isFolder(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
