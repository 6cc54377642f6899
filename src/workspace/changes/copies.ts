import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileError, isMissing } from '../disk.ts';
import { withFile } from '../place.ts';
import { Blobs } from './blobs.ts';
import { maxBytes, type TreeChange, type TreeFile, type Trees, type Unwatched } from './trees.ts';

/** Folders whose files somebody can make again. */
const leftOut = new Set([
  ...['.git', '.hg', '.svn', '.jj', 'node_modules', '.venv', 'venv'],
  ...['__pycache__', '.cache', '.tox', '.direnv'],
]);
const maxFiles = 20_000;
const atOnce = 16;

interface Known {
  readonly stamp: string;
  readonly file: TreeFile;
}

type Manifest = Readonly<Record<string, TreeFile>>;

/** A folder without a repository: copies of its files, each content once. */
export class Copies implements Trees {
  readonly root: string;
  private readonly blobs: Blobs;
  unwatched: readonly Unwatched[] = [];
  private readonly known = new Map<string, Known>();
  /** The last two that were read. */
  private manifests = new Map<string, Manifest>();

  constructor(root: string, state: string) {
    this.root = root;
    this.blobs = new Blobs(path.join(state, 'blobs'));
  }

  async take(): Promise<string> {
    const names = isEverything(this.root) ? [] : await this.list();
    const manifest: Record<string, TreeFile> = {};
    const unwatched: Unwatched[] = [...this.limits(names)];
    const noted = (name: string) =>
      this.note(name).catch((error: unknown) => {
        const file = path.join(this.root, name);
        // What is not there any more was deleted meanwhile.
        if (!isMissing(error)) unwatched.push({ path: file, reason: reasonFor(file, error) });
      });
    for (let at = 0; at < names.length; at += atOnce) {
      const part = names.slice(at, at + atOnce);
      const files = await Promise.all(part.map(noted));
      for (const [index, file] of files.entries()) if (file) manifest[part[index]!] = file;
    }
    this.unwatched = unwatched;
    return this.blobs.put(Buffer.from(JSON.stringify(manifest)));
  }

  async changes(from: string, to: string): Promise<readonly TreeChange[]> {
    if (from === to) return [];
    const [old, now] = await Promise.all([this.manifest(from), this.manifest(to)]);
    const names = new Set([...Object.keys(old), ...Object.keys(now)]);
    return [...names]
      .map((name) => ({ name, before: old[name], after: now[name] }))
      .filter(({ before, after }) => before?.id !== after?.id || before?.kind !== after?.kind);
  }

  async covers(name: string): Promise<boolean> {
    if (isEverything(this.root) || name.split('/').some((part) => leftOut.has(part))) return false;
    const stat = await fs.lstat(path.join(this.root, name)).catch(() => undefined);
    return !stat || stat.size <= maxBytes;
  }

  async find(tree: string, name: string): Promise<TreeFile | undefined> {
    return (await this.manifest(tree))[name];
  }

  read({ id }: TreeFile): Promise<Buffer> {
    return this.blobs.get(id);
  }

  async keep(): Promise<void> {}

  private limits(names: readonly string[]): readonly Unwatched[] {
    const only = 'only files that the agent names are watched';
    if (isEverything(this.root)) return [{ path: this.root, reason: `is not a project; ${only}` }];
    if (names.length < maxFiles) return [];
    return [{ path: this.root, reason: `has more than ${maxFiles} files; of the others, ${only}` }];
  }

  // One file after the other is looked for in the same two.
  private async manifest(tree: string): Promise<Manifest> {
    const known = this.manifests.get(tree);
    if (known) return known;
    const read = JSON.parse((await this.blobs.get(tree)).toString()) as Manifest;
    const [last] = [...this.manifests].slice(-1);
    this.manifests = new Map([...(last ? [last] : []), [tree, read]]);
    return read;
  }

  private async list(): Promise<readonly string[]> {
    const names: string[] = [];
    const folders = [''];
    for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
      const entries = await fs.readdir(path.join(this.root, folder), { withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        const name = path.posix.join(folder, entry.name);
        if (entry.isDirectory() && !leftOut.has(entry.name)) folders.push(name);
        else if (entry.isFile() || entry.isSymbolicLink()) names.push(name);
        if (names.length >= maxFiles) return names;
      }
    }
    return names;
  }

  private async note(name: string): Promise<TreeFile> {
    const file = path.join(this.root, name);
    const stat = await fs.lstat(file, { bigint: true });
    const stamp = [stat.mtimeNs, stat.ctimeNs, stat.size, stat.ino, stat.mode].join();
    const known = this.known.get(name);
    if (known?.stamp === stamp) return known.file;
    if (stat.size > BigInt(maxBytes)) return { id: stamp, kind: 'unread' };
    const isLink = stat.isSymbolicLink();
    const content = isLink
      ? await fs.readlink(file, { encoding: 'buffer' })
      : await withFile(file, (handle) => handle.readFile());
    const isProgram = (stat.mode & 0o100n) !== 0n;
    const kind = isLink ? 'link' : isProgram ? 'program' : 'file';
    const noted: TreeFile = { id: await this.blobs.put(content), kind };
    this.known.set(name, { stamp, file: noted });
    return noted;
  }
}

function reasonFor(file: string, error: unknown): string {
  return fileError(file, error).message.slice(file.length).trim();
}

// Nobody's project is all they have.
function isEverything(root: string): boolean {
  return root === path.parse(root).root || root === os.homedir();
}
