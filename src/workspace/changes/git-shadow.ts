import fs from 'node:fs/promises';
import path from 'node:path';
import { git, partsOf } from './git.ts';

/** A repository of the user's. */
export interface Repository {
  /** The work tree, symlinks resolved. */
  readonly root: string;
  readonly index: string;
  readonly objects: string;
  readonly exclude: string;
  readonly objectFormat: string;
}

/** How names are compared, and what is ignored, is as the user has set it. */
const obeyed = 'ignorecase|filemode|symlinks|precomposeunicode|excludesfile';
/** What git may make of a file when it takes it in or gives it out. */
const conversions = ['text', 'crlf', 'eol', 'filter', 'ident', 'working-tree-encoding'];

/** None where there is no work tree, or no git. */
export async function repositoryOf(folder: string): Promise<Repository | undefined> {
  const ask = async (...words: string[]) => {
    const answer = await git(['rev-parse', '--path-format=absolute', ...words], { cwd: folder });
    // A folder may have a newline in its name.
    return answer.toString().replace(/\n$/, '');
  };
  const asked = Promise.all([
    ask('--show-toplevel'),
    ask('--git-path', 'index'),
    ask('--git-path', 'objects'),
    ask('--git-path', 'info/exclude'),
    ask('--show-object-format'),
  ]);
  const [top, index, objects, exclude, objectFormat] = await asked.catch(() => []);
  if (!top || !index || !objects || !exclude || !objectFormat) return undefined;
  return { root: await fs.realpath(top), index, objects, exclude, objectFormat };
}

/**
 * A git directory of ours over the user's work tree. The objects of the user's repository are read, and none are put
 * there. It takes files byte for byte and runs no filter: what attributes say of files does not count here.
 */
export class GitShadow {
  private readonly repository: Repository;
  private readonly folder: string;

  constructor(repository: Repository, folder: string) {
    this.repository = repository;
    this.folder = folder;
  }

  get objectFormat(): string {
    return this.repository.objectFormat;
  }

  async open(): Promise<void> {
    await this.makeFolders();
    const raw = conversions.map((name) => `-${name}`).join(' ');
    const excluded = await fs.readFile(this.repository.exclude).catch(() => '');
    await Promise.all([
      this.write('HEAD', 'ref: refs/heads/none\n'),
      this.write('config', await this.config()),
      this.write('info/attributes', `* ${raw}\n`),
      this.write('info/exclude', excluded),
    ]);
    await this.startIndex();
  }

  async makeFolders(): Promise<void> {
    for (const name of ['info', 'refs', 'objects/pack']) {
      await fs.mkdir(this.at(name), { recursive: true, mode: 0o700 });
    }
  }

  /** `isAlone`: without the objects of the user's repository. */
  run(words: readonly string[], input?: string, isAlone = false): Promise<Buffer> {
    const { root, objects } = this.repository;
    const env = {
      GIT_DIR: this.folder,
      GIT_WORK_TREE: root,
      GIT_OBJECT_DIRECTORY: this.at('objects'),
      GIT_INDEX_FILE: this.at('index'),
      ...(!isAlone && { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(objects) }),
    };
    return git(words, { cwd: root, env, ...(input !== undefined && { input }) });
  }

  /** The tree of the user's last commit; an empty one before the first. */
  async headTree(): Promise<string> {
    const asked = ['rev-parse', '--verify', '--quiet', 'HEAD^{tree}'];
    const answer = git(asked, { cwd: this.repository.root });
    const tree = await answer.catch(() => this.run(['hash-object', '-t', 'tree', '--stdin'], ''));
    return tree.toString().trim();
  }

  /** Copies objects to our folder. */
  async pack(ids: readonly string[]): Promise<void> {
    await this.run(['pack-objects', '-q', '--window=0', this.at('objects/pack/pack')], `${ids.join('\n')}\n`);
  }

  private write(name: string, content: string | Buffer): Promise<void> {
    return fs.writeFile(this.at(name), content, { mode: 0o600 });
  }

  at(name: string): string {
    return path.join(this.folder, name);
  }

  private async config(): Promise<string> {
    const { root, objectFormat } = this.repository;
    const asked = ['config', '-z', '--get-regexp', `^core\\.(${obeyed})$`];
    const answer = await git(asked, { cwd: root }).catch(() => Buffer.of());
    const settings = partsOf(answer).map((setting) => {
      const [, name, value] = /^core\.(\w+)\n(.*)$/s.exec(setting) ?? [];
      return name === undefined ? '' : `${name} = ${JSON.stringify(value)}`;
    });
    const isUsual = objectFormat === 'sha1';
    const format = isUsual ? '' : `[extensions]\nobjectFormat = ${objectFormat}\n`;
    const version = `repositoryFormatVersion = ${isUsual ? 0 : 1}`;
    // Nobody else may read what is kept here.
    return `[core]\nbare = false\nsharedRepository = 0600\n${version}\n${settings.join('\n')}\n${format}`;
  }

  // What git knows of the files there spares us reading them, but for those that it takes in as something else.
  private async startIndex(): Promise<void> {
    // A host that was killed may have left it.
    await fs.rm(this.at('index.lock'), { force: true });
    try {
      const { atime, mtime } = await fs.stat(this.repository.index);
      await fs.copyFile(this.repository.index, this.at('index'));
      await fs.chmod(this.at('index'), 0o600);
      // Git takes a file for unchanged that is older than the index, to the second.
      await fs.utimes(this.at('index'), atime, mtime);
      await this.forget(await this.converted());
      await this.lookAtAll();
    } catch {
      // It is made from nothing, which takes longer.
      await fs.rm(this.at('index'), { force: true });
    }
  }

  private async converted(): Promise<readonly string[]> {
    const { root } = this.repository;
    const names = await this.run(['ls-files', '-z']);
    const convertsAll = await git(['config', '--get-regexp', '^core\\.(autocrlf|eol)$'], { cwd: root }).then(
      (answer) => /(autocrlf (true|input))|(eol crlf)/i.test(answer.toString()),
      () => false,
    );
    if (convertsAll) return partsOf(names);
    const asked = ['check-attr', '-z', '--stdin', ...conversions];
    const answer = partsOf(await git(asked, { cwd: root, input: names.toString() }));
    const found = new Set<string>();
    for (let at = 0; at + 2 < answer.length; at += 3) {
      if (answer[at + 2] !== 'unspecified' && answer[at + 2] !== 'unset') found.add(answer[at]!);
    }
    return [...found];
  }

  async forget(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    await this.run(
      ['update-index', '--force-remove', '-z', '--stdin'],
      names.map((name) => `${name}\0`).join(''),
    );
  }

  // Files that the user told git not to look at may be changed all the same.
  private async lookAtAll(): Promise<void> {
    const listed = partsOf(await this.run(['ls-files', '-v', '-z'])).filter((line) => /^[a-zS] /.test(line));
    if (listed.length === 0) return;
    const names = listed.map((line) => `${line.slice(2)}\0`).join('');
    await this.run(['update-index', '--no-assume-unchanged', '-z', '--stdin'], names);
    await this.run(['update-index', '--no-skip-worktree', '-z', '--stdin'], names);
  }
}

// Colons are between folders, unless they are in quotes.
function quoted(folder: string): string {
  return /[:"\n]/.test(folder) ? JSON.stringify(folder) : folder;
}
