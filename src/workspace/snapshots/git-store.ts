import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { SerialQueue } from '../../base/serial-queue.ts';
import { splitAtNul } from './git.ts';
import { KeptObjects } from './kept-objects.ts';
import { migrateLegacyRefs, shortHash } from './legacy-refs.ts';
import { RecentFiles } from './recent-files.ts';
import { ShadowRepository } from './shadow-repository.ts';
import {
  maxFileBytes,
  type SnapshotChange,
  type SnapshotFile,
  type SnapshotStore,
  type UnwatchedPath,
} from './snapshot-store.ts';
import { findRepository } from './user-repository.ts';

/** How often git is run at most to find out which names it rejects. */
const maxRuns = 200;

/** Whether a path is a real folder, not a link, by path. */
type FolderCache = Map<string, Promise<boolean>>;

const kinds: Readonly<Record<string, SnapshotFile['kind']>> = {
  '100644': 'file',
  '100755': 'program',
  '120000': 'link',
  // Files whose content is not read are stored as submodule entries.
  '160000': 'unread',
};

/**
 * How a file is stored: with its content, as existing only, or not at all. Files in a folder that was replaced, for example
 * by a link, are gone.
 */
type FileStatus = 'read' | 'unread' | 'none' | 'gone';

/** Snapshots of a work tree, in a git directory of our own. The user's repository is only read. */
export class GitStore implements SnapshotStore {
  readonly root: string;
  private readonly shadow: ShadowRepository;
  /** The folder of the session, relative to the root of the repository. */
  private readonly scope: string;
  private readonly kept: KeptObjects;
  /** Two snapshots at the same time would share one index file. */
  private readonly queue = new SerialQueue();
  private readonly recent = new RecentFiles();
  /** The tree of the index. Starting git to write it again takes 5-40 ms. */
  private tree: string | undefined;
  unwatched: readonly UnwatchedPath[] = [];

  /** Undefined without a repository or git. `changesFolder` is the plugin's own folder for this session. */
  static async open(folder: string, changesFolder: string): Promise<GitStore | undefined> {
    const repository = await findRepository(folder);
    if (!repository) return undefined;
    const shadow = new ShadowRepository(repository, path.join(changesFolder, `git-${shortHash(folder)}`));
    await shadow.open();
    const store = new GitStore(repository.root, folder, shadow);
    if (await store.isScopeIgnored()) return undefined;
    await migrateLegacyRefs(repository, changesFolder);
    return store;
  }

  private constructor(root: string, folder: string, shadow: ShadowRepository) {
    this.root = root;
    this.shadow = shadow;
    this.scope = path.relative(root, folder) || '.';
    this.kept = new KeptObjects(shadow);
  }

  /** The folders of nested repositories, whose files this one does not list. */
  async nestedRepositories(): Promise<readonly string[]> {
    const [known, others] = await Promise.all([
      this.shadow.run(['ls-files', '-s', '-z', '--', this.scope]),
      this.shadow.run(['ls-files', '-o', '--exclude-standard', '-z', '--', this.scope]),
    ]);
    const modules = splitAtNul(known).flatMap((line) => /^160000 .*?\t(.*)$/s.exec(line)?.[1] ?? []);
    const unknown = splitAtNul(others).filter((name) => name.endsWith('/'));
    return [...new Set([...modules, ...unknown])].map((name) => path.resolve(this.root, name));
  }

  takeSnapshot(): Promise<string> {
    return this.queue.run(() => this.writeTree());
  }

  async changes(from: string, to: string): Promise<readonly SnapshotChange[]> {
    if (from === to) return [];
    const out = await this.shadow.run(['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to]);
    const parts = splitAtNul(out);
    const changes: SnapshotChange[] = [];
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const [, oldMode, newMode, oldId, newId] = /^:(\d+) (\d+) (\w+) (\w+)/.exec(parts[at]!) ?? [];
      const [before, after] = [fileOf(oldMode, oldId), fileOf(newMode, newId)];
      changes.push({ name: parts[at + 1]!, before, after });
    }
    return changes.filter(({ before, after }) => before || after);
  }

  async covers(name: string): Promise<boolean> {
    const isInScope = this.scope === '.' || name.startsWith(`${this.scope}/`);
    const standing = await this.statusOf(name, new Map());
    if (!isInScope || standing === 'unread' || standing === 'none') return false;
    return !(await this.isIgnored(name));
  }

  async find(tree: string, name: string): Promise<SnapshotFile | undefined> {
    const out = await this.shadow.run(['ls-tree', '-z', tree, '--', name]);
    const [, mode, id] = /^(\d+) (?:blob|commit) (\w+)\t/.exec(out.toString()) ?? [];
    return fileOf(mode, id);
  }

  read({ id }: SnapshotFile): Promise<Buffer> {
    return this.shadow.run(['cat-file', 'blob', id]);
  }

  async retain(tree: string): Promise<void> {
    await this.kept.retain(tree);
  }

  // A folder that the repository ignores is treated as a project of its own.
  private async isScopeIgnored(): Promise<boolean> {
    return this.scope !== '.' && (await this.isIgnored(this.scope));
  }

  private isIgnored(name: string): Promise<boolean> {
    return this.shadow.run(['check-ignore', '-q', '--', `./${name}`]).then(
      () => true,
      () => false,
    );
  }

  private async writeTree(): Promise<string> {
    const flags = ['-m', '-d', '-o', '--exclude-standard', '-z'];
    const listed = splitAtNul(await this.shadow.run(['ls-files', ...flags, '--', this.scope]));
    const missed = await this.missedBy(listed);
    const names = [...new Set([...listed, ...missed])];
    if (names.length === 0 && this.tree !== undefined) {
      this.unwatched = [];
      return this.tree;
    }
    this.tree = undefined;
    await this.shadow.removeFromIndex(missed);
    const folders: FolderCache = new Map();
    const note = (file: string, stat: BigIntStats) => this.recent.note(file, stat);
    const statuses = await Promise.all(names.map((name) => this.statusOf(name, folders, note)));
    const withStatus = (wanted: FileStatus) => names.filter((_, at) => statuses[at] === wanted);
    await this.shadow.removeFromIndex(withStatus('gone'));
    this.unwatched = await this.addToIndex(withStatus('read'), { runs: maxRuns });
    await this.addUnread(withStatus('unread'));
    this.tree = (await this.shadow.run(['write-tree', '--missing-ok'])).toString().trim();
    return this.tree;
  }

  /** The files that have changed although git does not list them. It reads them again if they are not in the index. */
  private async missedBy(listed: readonly string[]): Promise<readonly string[]> {
    const changed = (await this.recent.changed()).map((file) => path.relative(this.root, file));
    const known = new Set(listed);
    return changed.filter((name) => !known.has(name));
  }

  /** Returns the files that git rejects. One rejected name fails the whole run, so the names are bisected. */
  private async addToIndex(
    names: readonly string[],
    budget: { runs: number },
  ): Promise<readonly UnwatchedPath[]> {
    if (names.length === 0) return [];
    const args = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'];
    try {
      budget.runs -= 1;
      await this.shadow.run(args, names.map((name) => `${name}\0`).join(''));
      return [];
    } catch (error) {
      // After this many failures the cause is not a name.
      if (budget.runs <= 0) throw error;
      if (names.length === 1) return [await this.dropRefused(names[0]!, error)];
      const half = Math.ceil(names.length / 2);
      const first = await this.addToIndex(names.slice(0, half), budget);
      return [...first, ...(await this.addToIndex(names.slice(half), budget))];
    }
  }

  private async dropRefused(name: string, error: unknown): Promise<UnwatchedPath> {
    await this.shadow.removeFromIndex([name]);
    const [reason = ''] = /(?<=error: ).*/.exec(messageOf(error)) ?? [messageOf(error)];
    return { path: path.join(this.root, name), reason: `git rejected it: ${reason}` };
  }

  /** Stores that files exist, without their content. */
  private async addUnread(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const marks = await Promise.all(names.map((name) => this.unreadId(name)));
    const lines = names.map((name, at) => `160000 ${marks[at]}\t${name}\0`);
    await this.shadow.run(['update-index', '--replace', '-z', '--index-info'], lines.join(''));
  }

  private async unreadId(name: string): Promise<string> {
    const { size, mtimeMs } = await fs.lstat(path.join(this.root, name));
    const text = `${size} ${mtimeMs}`;
    return createHash(this.shadow.objectFormat).update(text).digest('hex');
  }

  private async statusOf(
    name: string,
    folders: FolderCache,
    onStat?: (file: string, stat: BigIntStats) => void,
  ): Promise<FileStatus> {
    const file = path.join(this.root, name);
    if (!(await this.isFolder(path.dirname(file), folders))) return 'gone';
    try {
      const stat = await fs.lstat(file, { bigint: true });
      onStat?.(file, stat);
      if (stat.isSymbolicLink()) return 'read';
      if (stat.isDirectory()) return 'none';
      // A pipe or device has replaced the file.
      if (!stat.isFile()) return 'gone';
      if (stat.size > maxFileBytes) return 'unread';
      await fs.access(file, fs.constants.R_OK);
      return 'read';
    } catch (error) {
      // Git handles a missing file as deleted.
      return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'unread' : 'read';
    }
  }

  private isFolder(folder: string, known: FolderCache): Promise<boolean> {
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

function fileOf(mode = '', id = ''): SnapshotFile | undefined {
  const kind = kinds[mode];
  return kind && !/^0+$/.test(id) ? { id, kind } : undefined;
}
