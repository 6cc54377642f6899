import fs from 'node:fs/promises';
import { partsOf } from './git.ts';
import type { GitShadow } from './git-shadow.ts';

/**
 * What was noted and has to stay readable. HEAD of the user's repository keeps its own objects; all others are copied to
 * our folder, because git may prune them there.
 */
export class KeptTrees {
  private readonly shadow: GitShadow;
  /** The tree of HEAD when all that is kept was last compared with it. */
  private head: string | undefined;

  constructor(shadow: GitShadow) {
    this.shadow = shadow;
  }

  async keep(...trees: readonly string[]): Promise<void> {
    const known = await this.known();
    const added = trees.filter((tree) => !known.includes(tree));
    await fs.appendFile(this.list, added.map((tree) => `${tree}\n`).join(''), { mode: 0o600 });
    const head = await this.shadow.headTree();
    const compared = head === this.head ? added : [...known, ...added];
    // If this fails, all is compared again next time.
    this.head = undefined;
    const needed = await Promise.all(compared.map((tree) => this.objectsBeside(head, tree)));
    await this.copy([...new Set(needed.flat())]);
    this.head = head;
  }

  private get list(): string {
    return this.shadow.at('kept');
  }

  private async known(): Promise<readonly string[]> {
    return linesIn(await fs.readFile(this.list).catch(() => Buffer.of()));
  }

  /** What a tree is made of that is not at the same place in the tree of HEAD. */
  private async objectsBeside(head: string, tree: string): Promise<readonly string[]> {
    if (tree === head) return [];
    const words = ['diff-tree', '-r', '-t', '-z', '--raw', '--no-renames', head, tree];
    const facts = partsOf(await this.shadow.run(words)).filter((_, at) => at % 2 === 0);
    const ids = facts.flatMap((fact) => /^:\d+ (?!160000|000000)\d+ \w+ (\w+)/.exec(fact)?.[1] ?? []);
    return [tree, ...ids];
  }

  private async copy(ids: readonly string[]): Promise<void> {
    const absent = await this.missing(ids, true);
    // A repository need not have all its objects itself.
    const nowhere = new Set(await this.missing(absent, false));
    const copied = absent.filter((id) => !nowhere.has(id));
    if (copied.length > 0) await this.shadow.pack(copied);
  }

  private async missing(ids: readonly string[], isOursOnly: boolean): Promise<readonly string[]> {
    if (ids.length === 0) return [];
    const words = ['cat-file', '--batch-check=%(objectname)'];
    const answer = await this.shadow.run(words, `${ids.join('\n')}\n`, isOursOnly);
    return linesIn(answer).flatMap((line) => /^(\w+) missing$/.exec(line)?.[1] ?? []);
  }
}

function linesIn(answer: Buffer): readonly string[] {
  return answer
    .toString()
    .split('\n')
    .filter((line) => line !== '');
}
