import path from 'node:path';
import { isInside, literalPath } from '../../base/paths.ts';
import { isRunFile } from '../../model/run-files.ts';
import type { Rule } from '../rule.ts';
import {
  changesFolder,
  foldersAfter,
  foldersWithin,
  goesToOwnFolder,
  type LineFolders,
  startFolders,
} from '../shell/line-folders.ts';
import type { ShellCommand, ShellWord } from '../shell/shell.ts';
import type { StartedCommands } from '../shell/started-commands.ts';
import { isInBareRepository } from './bare-repositories.ts';
import { filesNamedBy, leavesFolder, optionFolders } from './named-files.ts';
import { changesNoFile, passesNamesOn } from './reading-programs.ts';

/** What is known about the files of this machine, and the folders of the session. */
export interface FileFacts {
  readonly cwd: string;
  readonly roots: readonly string[];
  /** Resolves the links of an absolute path; of a missing file, those of its folder. */
  resolveLinks(file: string): string;
  /** The names in a folder, with those that begin with a dot. */
  namesIn(folder: string): readonly string[];
  /** Other programs execute the file or read their settings from it. */
  isProtected(file: string): boolean;
}

/** The folders in which the commands of a line run, and the files that their words name. */
export class LineFiles {
  private readonly facts: FileFacts;
  private folders: LineFolders;
  /** Names that one command prints are files that another one changes. */
  private passesNames = false;

  constructor(facts: FileFacts) {
    this.facts = facts;
    this.folders = startFolders(facts.cwd, facts.resolveLinks(facts.cwd));
  }

  /** Relative files may be in another folder than that of the call. */
  get hasMoved(): boolean {
    return this.folders.hasChanged;
  }

  /** Before commands that stand together. The result ends what is true for these only. */
  enter(commands: StartedCommands): () => void {
    const before = this.folders;
    this.folders = foldersWithin(before, commands);
    this.passesNames ||= commands.commands.some((each) => passesNamesOn(each));
    return () => {
      if (commands.startsElsewhere) this.folders = before;
    };
  }

  goesToOwnFolder(command: ShellCommand): boolean {
    return goesToOwnFolder(this.folders, command);
  }

  /** After a command that is not one that only starts others. */
  follow(command: ShellCommand): void {
    this.folders = foldersAfter(this.folders, command);
  }

  /** Whether a command may run outside of the folders of the session, after a change of the first one. */
  mayRunOutside(rule: Rule, command: ShellCommand): boolean {
    const { paths, isUnknown } = this.folders;
    if (changesFolder(command.words)) return false;
    const folders = rule.command?.isExact ? paths : this.foldersOf(command);
    return isUnknown || folders.slice(1).some((folder) => this.isOutside(folder));
  }

  /** Why a rule does not cover the files that the words of a command name. */
  whyNotCovered(rule: Rule, command: ShellCommand): string | undefined {
    const { words } = command;
    if (this.usesBareRepository(command))
      return 'it runs git in a folder with a HEAD file, whose config may name programs';
    const namesOutside = () => this.namesFile(words, command, (file) => this.isOutside(file));
    if (rule.isLimited && (leavesFolder(command) || namesOutside()))
      return 'it names a file outside of the folders of the session';
    if (rule.command?.isExact || (!this.passesNames && changesNoFile(words))) return undefined;
    const unnamed = this.hasMoved ? words : withoutNamed(words, rule);
    return this.namesFile(unnamed, command, (file) => this.isRunByOthers(file))
      ? 'it names a file that other programs execute, and the rule has a wildcard'
      : undefined;
  }

  private usesBareRepository(command: ShellCommand): boolean {
    if (path.basename(command.words[0]?.text ?? '').toLowerCase() !== 'git') return false;
    const { namesIn, resolveLinks } = this.facts;
    return this.foldersOf(command).some((folder) => isInBareRepository(resolveLinks(folder), namesIn));
  }

  private namesFile(
    words: readonly ShellWord[],
    command: ShellCommand,
    isMeant: (file: string) => boolean,
  ): boolean {
    const { namesIn } = this.facts;
    const place = { program: command.words[0]?.text ?? '', folders: this.foldersOf(command), namesIn };
    return filesNamedBy(words, place)?.some(isMeant) ?? true;
  }

  private foldersOf(command: ShellCommand): readonly string[] {
    const { paths } = this.folders;
    const added = optionFolders(command).flatMap((name) => paths.map((folder) => literalPath(name, folder)));
    return [...new Set([...paths, ...added])];
  }

  private isOutside(file: string): boolean {
    const real = this.facts.resolveLinks(file);
    return file !== '/dev/null' && !this.facts.roots.some((root) => isInside(real, root));
  }

  /** Where the user works in a folder of such files, only the names in it count. */
  private isRunByOthers(file: string): boolean {
    const { roots, isProtected, resolveLinks } = this.facts;
    return [file, resolveLinks(file)].some((each) => {
      const root = roots.find((folder) => isInside(each, folder) && isProtected(folder));
      return root === undefined ? isProtected(each) : isRunFile(`/${path.relative(root, each)}`);
    });
  }
}

/** The words that the rule does not name itself. */
function withoutNamed(words: readonly ShellWord[], { command }: Rule): readonly ShellWord[] {
  return words.filter(({ text }) => !command?.words.some((named) => !named.isGlob && named.text === text));
}
