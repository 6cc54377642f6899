import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../errors.ts';
import { hash, moveEarlierRefs } from './earlier-refs.ts';
import { partsOf } from './git.ts';
import { GitShadow, repositoryOf } from './git-shadow.ts';
import { KeptTrees } from './kept-trees.ts';
import { maxBytes, type TreeChange, type TreeFile, type Trees, type Unwatched } from './trees.ts';

/** So often git is run to find out which names it refuses. */
const maxRuns = 200;

/** Which folders of a work tree are folders and no links. */
type FolderMemory = Map<string, Promise<boolean>>;

const kinds: Readonly<Record<string, TreeFile['kind']>> = {
  '100644': 'file',
  '100755': 'program',
  '120000': 'link',
  // A file stands in the tree as what git calls a submodule.
  '160000': 'unread',
};

/**
 * Whether the content of a file is noted, only that it is there, or nothing. What was in a folder that is none any more,
 * such as one in whose place is a link, is gone.
 */
type Standing = 'read' | 'unread' | 'none' | 'gone';

/** The work tree of a repository, noted with a git directory of our own. The user's own is only read. */
export class GitTrees implements Trees {
  readonly root: string;
  private readonly shadow: GitShadow;
  /** The session's folder in the repository. */
  private readonly scope: string;
  private readonly kept: KeptTrees;
  private last: Promise<unknown> = Promise.resolve();
  unwatched: readonly Unwatched[] = [];

  /** None where there is no repository, or no git. `state` is a folder of ours for this session. */
  static async open(folder: string, state: string): Promise<GitTrees | undefined> {
    const repository = await repositoryOf(folder);
    if (!repository) return undefined;
    const shadow = new GitShadow(repository, path.join(state, `git-${hash(folder)}`));
    await shadow.open();
    const trees = new GitTrees(repository.root, folder, shadow);
    if (await trees.isLeftOut()) return undefined;
    await moveEarlierRefs(repository, state);
    return trees;
  }

  private constructor(root: string, folder: string, shadow: GitShadow) {
    this.root = root;
    this.shadow = shadow;
    this.scope = path.relative(root, folder) || '.';
    this.kept = new KeptTrees(shadow);
  }

  /** The folders of other repositories in this one, of which it knows nothing. */
  async nested(): Promise<readonly string[]> {
    const [known, others] = await Promise.all([
      this.shadow.run(['ls-files', '-s', '-z', '--', this.scope]),
      this.shadow.run(['ls-files', '-o', '--exclude-standard', '-z', '--', this.scope]),
    ]);
    const modules = partsOf(known).flatMap((line) => /^160000 .*?\t(.*)$/s.exec(line)?.[1] ?? []);
    const unknown = partsOf(others).filter((name) => name.endsWith('/'));
    return [...new Set([...modules, ...unknown])].map((name) => path.resolve(this.root, name));
  }

  take(): Promise<string> {
    const taken = this.last.catch(() => undefined).then(() => this.note());
    this.last = taken;
    return taken;
  }

  async changes(from: string, to: string): Promise<readonly TreeChange[]> {
    if (from === to) return [];
    const out = await this.shadow.run(['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to]);
    const parts = partsOf(out);
    const changes: TreeChange[] = [];
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const [, oldMode, newMode, oldId, newId] = /^:(\d+) (\d+) (\w+) (\w+)/.exec(parts[at]!) ?? [];
      const [before, after] = [fileOf(oldMode, oldId), fileOf(newMode, newId)];
      changes.push({ name: parts[at + 1]!, before, after });
    }
    return changes.filter(({ before, after }) => before || after);
  }

  async covers(name: string): Promise<boolean> {
    const isInScope = this.scope === '.' || name.startsWith(`${this.scope}/`);
    const standing = await this.standing(name, new Map());
    if (!isInScope || standing === 'unread' || standing === 'none') return false;
    return !(await this.isIgnored(name));
  }

  async find(tree: string, name: string): Promise<TreeFile | undefined> {
    const out = await this.shadow.run(['ls-tree', '-z', tree, '--', name]);
    const [, mode, id] = /^(\d+) (?:blob|commit) (\w+)\t/.exec(out.toString()) ?? [];
    return fileOf(mode, id);
  }

  read({ id }: TreeFile): Promise<Buffer> {
    return this.shadow.run(['cat-file', 'blob', id]);
  }

  async keep(tree: string): Promise<void> {
    await this.kept.keep(tree);
  }

  // A folder that the repository ignores is a project of its own.
  private async isLeftOut(): Promise<boolean> {
    return this.scope !== '.' && (await this.isIgnored(this.scope));
  }

  private isIgnored(name: string): Promise<boolean> {
    return this.shadow.run(['check-ignore', '-q', '--', `./${name}`]).then(
      () => true,
      () => false,
    );
  }

  private async note(): Promise<string> {
    const flags = ['-m', '-d', '-o', '--exclude-standard', '-z'];
    const listed = await this.shadow.run(['ls-files', ...flags, '--', this.scope]);
    const names = [...new Set(partsOf(listed))];
    const folders: FolderMemory = new Map();
    const stands = await Promise.all(names.map((name) => this.standing(name, folders)));
    const those = (wanted: Standing) => names.filter((_, at) => stands[at] === wanted);
    await this.shadow.forget(those('gone'));
    this.unwatched = await this.takeIn(those('read'), { runs: maxRuns });
    await this.mark(those('unread'));
    return (await this.shadow.run(['write-tree', '--missing-ok'])).toString().trim();
  }

  /** Gives what git refuses to take in: one name that it refuses fails all that are told with it. */
  private async takeIn(names: readonly string[], budget: { runs: number }): Promise<readonly Unwatched[]> {
    if (names.length === 0) return [];
    const words = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'];
    try {
      budget.runs -= 1;
      await this.shadow.run(words, names.map((name) => `${name}\0`).join(''));
      return [];
    } catch (error) {
      // What fails so often is not about names.
      if (budget.runs <= 0) throw error;
      if (names.length === 1) return [await this.leaveOut(names[0]!, error)];
      const half = Math.ceil(names.length / 2);
      const first = await this.takeIn(names.slice(0, half), budget);
      return [...first, ...(await this.takeIn(names.slice(half), budget))];
    }
  }

  private async leaveOut(name: string, error: unknown): Promise<Unwatched> {
    await this.shadow.forget([name]);
    const [reason = ''] = /(?<=error: ).*/.exec(messageOf(error)) ?? [messageOf(error)];
    return { path: path.join(this.root, name), reason: `git refuses it: ${reason}` };
  }

  /** Notes that files are there, and not what is in them. */
  private async mark(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const marks = await Promise.all(names.map((name) => this.markOf(name)));
    const lines = names.map((name, at) => `160000 ${marks[at]}\t${name}\0`);
    await this.shadow.run(['update-index', '--replace', '-z', '--index-info'], lines.join(''));
  }

  private async markOf(name: string): Promise<string> {
    const { size, mtimeMs } = await fs.lstat(path.join(this.root, name));
    const text = `${size} ${mtimeMs}`;
    return createHash(this.shadow.objectFormat).update(text).digest('hex');
  }

  private async standing(name: string, folders: FolderMemory): Promise<Standing> {
    const file = path.join(this.root, name);
    if (!(await this.isFolder(path.dirname(file), folders))) return 'gone';
    try {
      const stat = await fs.lstat(file);
      if (stat.isSymbolicLink()) return 'read';
      if (stat.isDirectory()) return 'none';
      // A pipe or device is no file: the one that was there is gone.
      if (!stat.isFile()) return 'gone';
      if (stat.size > maxBytes) return 'unread';
      await fs.access(file, fs.constants.R_OK);
      return 'read';
    } catch (error) {
      // What is not there any more was deleted.
      return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'unread' : 'read';
    }
  }

  private isFolder(folder: string, known: FolderMemory): Promise<boolean> {
    if (folder.length <= this.root.length) return Promise.resolve(true);
    const isFolder =
      known.get(folder) ??
      this.isFolder(path.dirname(folder), known).then(
        async (isInFolder) => isInFolder && (await fs.lstat(folder)).isDirectory(),
      );
    known.set(folder, isFolder);
    return isFolder.catch(() => false);
  }
}

function fileOf(mode = '', id = ''): TreeFile | undefined {
  const kind = kinds[mode];
  return kind && !/^0+$/.test(id) ? { id, kind } : undefined;
}
