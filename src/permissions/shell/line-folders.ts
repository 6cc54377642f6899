import { literalPath } from '../../base/paths.ts';
import type { ShellCommand, ShellWord } from './shell.ts';
import { type StartedCommands, startedCommands } from './started-commands.ts';

/**
 * The folders in which the commands of a line may run. A `cd` may fail, end with its subshell or be skipped by `&&`, so a
 * folder is never taken away.
 */
export interface LineFolders {
  /** The folder in which the line starts, as the agent and as the system names it. */
  readonly own: readonly string[];
  readonly paths: readonly string[];
  /** Relative files of the line may be in another folder than the first. */
  readonly hasChanged: boolean;
  /** It may also be a folder that nobody knows. */
  readonly isUnknown: boolean;
  /** The commands are in a loop, so that each change may happen any number of times. */
  readonly isRepeated: boolean;
}

export function startFolders(cwd: string, realCwd = cwd): LineFolders {
  return { own: [cwd, realCwd], paths: [cwd], hasChanged: false, isUnknown: false, isRepeated: false };
}

const maxFolders = 16;
const maxDepth = 8;
const changing = /^(cd|chdir|pushd|popd)$/;

export function changesFolder([program]: readonly ShellWord[]): boolean {
  return changing.test(program?.text ?? '');
}

/**
 * `cd` to the folder in which the line starts, which some agents put in front of each command. It leads to where relative
 * files are looked for anyway, so it changes nothing that is judged.
 */
export function goesToOwnFolder({ own }: LineFolders, { words, assignments }: ShellCommand): boolean {
  const [program, folder, ...rest] = words;
  if (program?.text !== 'cd' || !folder || rest.length + assignments.length > 0) return false;
  return !folder.isGlob && !folder.isOpen && own.includes(folder.text);
}

/** The folders of commands that stand together: a change in one of them may come before any other. */
export function foldersWithin(folders: LineFolders, commands: StartedCommands): LineFolders {
  const isElsewhere = commands.startsElsewhere === true;
  const isRepeated = folders.isRepeated || commands.hasLoop;
  const mayChange = commands.commands.some((each) => mayChangeFolder(each, folders));
  return {
    own: folders.own,
    paths: folders.paths,
    hasChanged: folders.hasChanged || isElsewhere || mayChange,
    // The first command of a loop runs again after a change in the last one.
    isUnknown: folders.isUnknown || isElsewhere || (isRepeated && mayChange),
    isRepeated,
  };
}

/** The folders after a command; of one that only starts others, after these. */
export function foldersAfter(folders: LineFolders, command: ShellCommand): LineFolders {
  if (!mayChangeFolder(command, folders)) return folders;
  if (mayRunLines.test(command.words[0]?.text ?? '')) return { ...folders, hasChanged: true };
  const target = folderNamedBy(command);
  if (target === undefined || folders.isRepeated || folders.paths.length > maxFolders)
    return { ...folders, hasChanged: true, isUnknown: true };
  const added = folders.paths.map((folder) => literalPath(target, folder));
  return { ...folders, hasChanged: true, paths: [...new Set([...folders.paths, ...added])] };
}

/** The folder of `cd folder`; undefined if only the shell knows it, as of `cd -`, `cd` and `popd`. */
function folderNamedBy({ words }: ShellCommand): string | undefined {
  const [program, target, ...rest] = words;
  if (!/^(cd|chdir|pushd)$/.test(program?.text ?? '') || !target || rest.length > 0) return undefined;
  return target.isOpen || target.isGlob || /^([-+]|$)/.test(target.text) ? undefined : target.text;
}

const mayRunLines = /^(source|\.)$/;
const printing = /^(cat|echo|git|grep|ls|printf|rg)$/;

/** Whether a command, or one that it starts, may change the folder of the shell. */
function mayChangeFolder(command: ShellCommand, folders: LineFolders, depth = 0): boolean {
  if (goesToOwnFolder(folders, command)) return false;
  const [program = '', ...args] = command.words.map(({ text }) => text);
  // fish changes to a folder that stands in the place of a program.
  if (changing.test(program) || mayRunLines.test(program) || /\/$|^\.\.$/.test(program)) return true;
  const started = startedCommands(command);
  if (started)
    return depth > maxDepth || started.commands.some((each) => mayChangeFolder(each, folders, depth + 1));
  // Some shells have words before a command that are not known here: `and cd x`, `repeat 2 cd x`.
  return !printing.test(program) && args.some(hasChange);
}

function hasChange(text: string): boolean {
  return text.split(/[\s;&|(){}]+/).some((word) => changing.test(word));
}
