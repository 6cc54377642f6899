import fs from 'node:fs/promises';
import path from 'node:path';
import { AcpError } from '../../base/errors.ts';
import { withFile } from '../files/held-folder.ts';
import { git, splitAtNul } from './git.ts';
import type { UserRepository } from './user-repository.ts';

/** Settings of the user's repository that decide how names are compared and what is ignored. */
const copiedSettings = 'ignorecase|filemode|symlinks|precomposeunicode|excludesfile';
/** Attributes that make git convert the content of a file. */
const conversionAttributes = ['text', 'crlf', 'eol', 'filter', 'ident', 'working-tree-encoding'];

/**
 * A git directory of our own for the user's work tree. It reads objects of the user's repository and never writes there.
 * Files are stored byte for byte: attributes and filters are off.
 */
export class ShadowRepository {
  private readonly repository: UserRepository;
  private readonly folder: string;

  constructor(repository: UserRepository, folder: string) {
    this.repository = repository;
    this.folder = folder;
  }

  get objectFormat(): string {
    return this.repository.objectFormat;
  }

  async open(): Promise<void> {
    await this.makeFolders();
    const raw = conversionAttributes.map((name) => `-${name}`).join(' ');
    const excluded = await this.excludedNames();
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
      await fs.mkdir(this.pathOf(name), { recursive: true, mode: 0o700 });
    }
  }

  /** `isAlone`: without the objects of the user's repository. */
  run(args: readonly string[], input?: string, isAlone = false): Promise<Buffer> {
    const { root, objects } = this.repository;
    const env = {
      GIT_DIR: this.folder,
      GIT_WORK_TREE: root,
      GIT_OBJECT_DIRECTORY: this.pathOf('objects'),
      GIT_INDEX_FILE: this.pathOf('index'),
      ...(!isAlone && { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoteAlternate(objects) }),
    };
    return git(args, { cwd: root, env, ...(input !== undefined && { input }) });
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
    await this.run(
      ['pack-objects', '-q', '--window=0', this.pathOf('objects/pack/pack')],
      `${ids.join('\n')}\n`,
    );
  }

  // A pipe in its place would block a thread of the host for ever.
  private async excludedNames(): Promise<Buffer | string> {
    try {
      return await withFile(await fs.realpath(this.repository.exclude), (handle) => handle.readFile());
    } catch {
      return '';
    }
  }

  private write(name: string, content: string | Buffer): Promise<void> {
    return fs.writeFile(this.pathOf(name), content, { mode: 0o600 });
  }

  pathOf(name: string): string {
    return path.join(this.folder, name);
  }

  private async config(): Promise<string> {
    const { root, objectFormat } = this.repository;
    const asked = ['config', '-z', '--get-regexp', `^core\\.(${copiedSettings})$`];
    const answer = await git(asked, { cwd: root }).catch(() => Buffer.of());
    const settings = splitAtNul(answer).map((setting) => {
      const [, name, value] = /^core\.(\w+)\n(.*)$/s.exec(setting) ?? [];
      return name === undefined ? '' : `${name} = ${JSON.stringify(value)}`;
    });
    const isUsual = objectFormat === 'sha1';
    const format = isUsual ? '' : `[extensions]\nobjectFormat = ${objectFormat}\n`;
    const version = `repositoryFormatVersion = ${isUsual ? 0 : 1}`;
    // The snapshots are private to the user.
    return `[core]\nbare = false\nsharedRepository = 0600\n${version}\n${settings.join('\n')}\n${format}`;
  }

  // Starts with a copy of the user's index, so that git need not read unchanged files. Files that git converts are removed
  // from it, because their objects there differ from the bytes on disk.
  private async startIndex(): Promise<void> {
    // Left over from a killed host.
    await fs.rm(this.pathOf('index.lock'), { force: true });
    try {
      const facts = await fs.stat(this.repository.index);
      if (!facts.isFile()) throw new AcpError('file_error', `${this.repository.index} is not a file`);
      const { atime, mtime } = facts;
      await fs.copyFile(this.repository.index, this.pathOf('index'));
      await fs.chmod(this.pathOf('index'), 0o600);
      // Git treats files as unchanged only if they are older than the index file.
      await fs.utimes(this.pathOf('index'), atime, mtime);
      await this.removeFromIndex(await this.convertedFiles());
      await this.clearIndexFlags();
    } catch {
      // Git then builds an index from scratch, which takes longer.
      await fs.rm(this.pathOf('index'), { force: true });
    }
  }

  private async convertedFiles(): Promise<readonly string[]> {
    const { root } = this.repository;
    const names = await this.run(['ls-files', '-z']);
    const convertsAll = await git(['config', '--get-regexp', '^core\\.(autocrlf|eol)$'], { cwd: root }).then(
      (answer) => /(autocrlf (true|input))|(eol crlf)/i.test(answer.toString()),
      () => false,
    );
    if (convertsAll) return splitAtNul(names);
    const asked = ['check-attr', '-z', '--stdin', ...conversionAttributes];
    const answer = splitAtNul(await git(asked, { cwd: root, input: names.toString() }));
    const found = new Set<string>();
    for (let at = 0; at + 2 < answer.length; at += 3) {
      if (answer[at + 2] !== 'unspecified' && answer[at + 2] !== 'unset') found.add(answer[at]!);
    }
    return [...found];
  }

  async removeFromIndex(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    await this.run(
      ['update-index', '--force-remove', '-z', '--stdin'],
      names.map((name) => `${name}\0`).join(''),
    );
  }

  // Files with assume-unchanged or skip-worktree can change too.
  private async clearIndexFlags(): Promise<void> {
    const listed = splitAtNul(await this.run(['ls-files', '-v', '-z'])).filter((line) =>
      /^[a-zS] /.test(line),
    );
    if (listed.length === 0) return;
    const names = listed.map((line) => `${line.slice(2)}\0`).join('');
    await this.run(['update-index', '--no-assume-unchanged', '-z', '--stdin'], names);
    await this.run(['update-index', '--no-skip-worktree', '-z', '--stdin'], names);
  }
}

// GIT_ALTERNATE_OBJECT_DIRECTORIES is separated by colons; a path with a colon must be quoted.
function quoteAlternate(folder: string): string {
  return /[:"\n]/.test(folder) ? JSON.stringify(folder) : folder;
}
