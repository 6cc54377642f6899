import { appendToFile, loadRegularFile } from '../../system/files/regular-file.ts';
import { splitAtNul } from './git.ts';
import type { ShadowRepository } from './shadow-repository.ts';

const maxListBytes = 16 * 1024 * 1024;

/**
 * The snapshots that must stay readable. Objects that HEAD of the user's repository refers to stay there; all others are
 * copied to our folder, because git may prune them.
 */
export class KeptObjects {
  private readonly shadow: ShadowRepository;
  /** The tree of HEAD when all retained trees were last compared with it. */
  private head: string | undefined;

  constructor(shadow: ShadowRepository) {
    this.shadow = shadow;
  }

  async retain(...trees: readonly string[]): Promise<void> {
    const known = await this.retainedTrees();
    const added = trees.filter((tree) => !known.includes(tree));
    appendToFile(this.listFile, added.map((tree) => `${tree}\n`).join(''));
    const head = await this.shadow.headTree();
    const compared = head === this.head ? added : [...known, ...added];
    // If this fails, all trees are compared again next time.
    this.head = undefined;
    const needed = await Promise.all(compared.map((tree) => this.objectsNotIn(head, tree)));
    await this.copy([...new Set(needed.flat())]);
    this.head = head;
  }

  private get listFile(): string {
    return this.shadow.pathOf('kept');
  }

  private async retainedTrees(): Promise<readonly string[]> {
    return linesIn(await loadRegularFile(this.listFile, maxListBytes).catch(() => Buffer.of()));
  }

  /** The objects of a tree that are not at the same path in the tree of HEAD. */
  private async objectsNotIn(head: string, tree: string): Promise<readonly string[]> {
    if (tree === head) return [];
    const args = ['diff-tree', '-r', '-t', '-z', '--raw', '--no-renames', head, tree];
    const facts = splitAtNul(await this.shadow.run(args)).filter((_, at) => at % 2 === 0);
    const ids = facts.flatMap((fact) => /^:\d+ (?!160000|000000)\d+ \w+ (\w+)/.exec(fact)?.[1] ?? []);
    return [tree, ...ids];
  }

  private async copy(ids: readonly string[]): Promise<void> {
    const absent = await this.missing(ids, true);
    // Shallow and partial clones lack some objects.
    const nowhere = new Set(await this.missing(absent, false));
    const copied = absent.filter((id) => !nowhere.has(id));
    if (copied.length > 0) await this.shadow.pack(copied);
  }

  private async missing(ids: readonly string[], isOursOnly: boolean): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const args = ['cat-file', '--batch-check=%(objectname)'];
    const answer = await this.shadow.run(args, `${ids.join('\n')}\n`, isOursOnly);
    return linesIn(answer).flatMap((line) => /^(\w+) missing$/.exec(line)?.[1] ?? []);
  }
}

function linesIn(answer: Buffer): readonly string[] {
  return answer
    .toString()
    .split('\n')
    .filter((line) => line !== '');
}
