import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { git } from './git.ts';
import { maxBytes, type TreeChange, type TreeFile, type Trees } from './trees.ts';

const kinds: Readonly<Record<string, TreeFile['kind']>> = {
  '100644': 'file',
  '100755': 'program',
  '120000': 'link',
};

/**
 * The work tree of a repository, noted with an index of our own and refs below refs/acp. The user's index, HEAD, stash
 * and logs are only read.
 */
export class GitTrees implements Trees {
  readonly root: string;
  /** The session's folder in the repository. */
  private readonly scope: string;
  private readonly index: string;
  /** Where the refs of all sessions that are remembered in the same place are. */
  private readonly refs: string;
  private readonly state: string;
  private last: Promise<unknown> = Promise.resolve();

  /** None where there is no repository, or no git. `state` is a folder of ours for this session. */
  static async open(folder: string, state: string): Promise<GitTrees | undefined> {
    const words = ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-path', 'index'];
    const answer = await git(words, { cwd: folder }).catch(() => undefined);
    const [top = '', index = ''] = answer?.toString().split('\n') ?? [];
    if (top === '' || index === '') return undefined;
    const trees = new GitTrees(await fs.realpath(top), folder, state);
    await trees.startFrom(index);
    await trees.tidyUp();
    return trees;
  }

  private constructor(root: string, folder: string, state: string) {
    this.root = root;
    this.scope = path.relative(root, folder) || '.';
    this.index = path.join(state, `index-${hash(folder)}`);
    this.state = state;
    this.refs = `refs/acp/${hash(path.dirname(state))}`;
  }

  take(): Promise<string> {
    const taken = this.last.catch(() => undefined).then(() => this.note());
    this.last = taken;
    return taken;
  }

  async changes(from: string, to: string): Promise<readonly TreeChange[]> {
    if (from === to) return [];
    const out = await this.git(['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to]);
    const parts = out.toString().split('\0');
    const changes: TreeChange[] = [];
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const [, oldMode, newMode, oldId, newId] = /^:(\d+) (\d+) (\w+) (\w+)/.exec(parts[at]!) ?? [];
      const [before, after] = [fileOf(oldMode, oldId), fileOf(newMode, newId)];
      if (before || after) changes.push({ name: parts[at + 1]!, before, after });
    }
    return changes;
  }

  async covers(name: string): Promise<boolean> {
    const isInScope = this.scope === '.' || name.startsWith(`${this.scope}/`);
    if (!isInScope || !(await this.counts(name))) return false;
    return this.git(['check-ignore', '-q', '--', `./${name}`]).then(
      () => false,
      () => true,
    );
  }

  async find(tree: string, name: string): Promise<TreeFile | undefined> {
    const out = await this.git(['ls-tree', '-z', tree, '--', name]);
    const [, mode, id] = /^(\d+) blob (\w+)\t/.exec(out.toString()) ?? [];
    return fileOf(mode, id);
  }

  // With the filters of the repository, so that line ends and large files come out as they went in.
  read({ id, kind }: TreeFile, name: string): Promise<Buffer> {
    if (kind === 'link') return this.git(['cat-file', 'blob', id]);
    return this.git(['cat-file', '--filters', `--path=${name}`, id]);
  }

  async keep(tree: string): Promise<void> {
    await this.git(['update-ref', `${this.refs}/${refName(this.state)}/${tree}`, tree]);
  }

  /** Lets go of what sessions noted that nobody remembers. */
  async tidyUp(): Promise<void> {
    const out = await this.git(['for-each-ref', '--format=%(refname)', this.refs]);
    const remembered = new Set((await fs.readdir(path.dirname(this.state))).map(refName));
    const stale = out
      .toString()
      .split('\n')
      .filter((ref) => ref !== '' && !remembered.has(ref.split('/')[3] ?? ''));
    if (stale.length === 0) return;
    await this.git(['update-ref', '--stdin'], stale.map((ref) => `delete ${ref}\n`).join(''));
  }

  private async startFrom(index: string): Promise<void> {
    await fs.mkdir(path.dirname(this.index), { recursive: true, mode: 0o700 });
    // What git knows of the files there spares us reading them.
    await fs.copyFile(index, this.index).catch(() => fs.rm(this.index, { force: true }));
  }

  private async note(): Promise<string> {
    const flags = ['-m', '-d', '-o', '--exclude-standard', '-z'];
    const listed = await this.git(['ls-files', ...flags, '--', this.scope]);
    const names = [...new Set(listed.toString().split('\0'))].filter((name) => name !== '');
    const counted = await Promise.all(names.map((name) => this.counts(name)));
    const input = names.filter((_, at) => counted[at]).map((name) => `${name}\0`);
    if (input.length > 0) {
      const words = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'];
      await this.git(words, input.join(''));
    }
    return (await this.git(['write-tree'])).toString().trim();
  }

  private async counts(name: string): Promise<boolean> {
    const file = path.join(this.root, name);
    try {
      const stat = await fs.lstat(file);
      if (stat.isSymbolicLink()) return true;
      if (!stat.isFile() || stat.size > maxBytes) return false;
      await fs.access(file, fs.constants.R_OK);
      return true;
    } catch (error) {
      // What is not there any more was deleted.
      return (error as NodeJS.ErrnoException).code !== 'EACCES';
    }
  }

  private git(words: readonly string[], input?: string): Promise<Buffer> {
    return git(words, { cwd: this.root, index: this.index, ...(input !== undefined && { input }) });
  }
}

function refName(folder: string): string {
  return path.basename(folder).replaceAll(/[^\w-]/g, '-');
}

function fileOf(mode = '', id = ''): TreeFile | undefined {
  const kind = kinds[mode];
  return kind && !/^0+$/.test(id) ? { id, kind } : undefined;
}

function hash(text: string): string {
  return createHash('sha1').update(text).digest('hex').slice(0, 12);
}
