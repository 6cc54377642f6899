import type { Entry, ToolEntry } from '../../../model/entries.ts';

/** Calls below that stand beside the call that started them: an agent may send a chain of thousands. */
const maxDepth = 10;

/** Which calls stand below which: those of a subagent below the call that started it. */
export class CallTree {
  private readonly tools: ReadonlyMap<string, ToolEntry>;
  private readonly seen = new Set<number>();
  private readonly parents = new Map<number, ToolEntry>();
  private readonly children = new Map<number, ToolEntry[]>();
  private readonly top: Entry[] = [];

  constructor(tools: ReadonlyMap<string, ToolEntry>) {
    this.tools = tools;
  }

  /** Adds an entry that is new. Its place is decided now and stays. */
  add(entry: Entry): void {
    if (this.seen.has(entry.id)) return;
    this.seen.add(entry.id);
    const parent = entry.kind === 'tool' ? this.findParent(entry) : undefined;
    if (!parent || entry.kind !== 'tool') return void this.top.push(entry);
    this.parents.set(entry.id, parent);
    const siblings = this.children.get(parent.id);
    if (siblings) siblings.push(entry);
    else this.children.set(parent.id, [entry]);
  }

  parentOf(id: number): ToolEntry | undefined {
    return this.parents.get(id);
  }

  childrenOf(id: number): readonly ToolEntry[] {
    return this.children.get(id) ?? [];
  }

  /** The entries among which an entry stands, in order. */
  rowOf(id: number): readonly Entry[] {
    const parent = this.parents.get(id);
    return parent ? this.childrenOf(parent.id) : this.top;
  }

  depthOf(id: number): number {
    const parent = this.parents.get(id);
    return parent ? 1 + this.depthOf(parent.id) : 0;
  }

  /** Every call below a call. */
  below(id: number): readonly ToolEntry[] {
    return this.childrenOf(id).flatMap((child) => [child, ...this.below(child.id)]);
  }

  // Ids grow, so a call can't stand below itself.
  private findParent({ id, parent }: ToolEntry): ToolEntry | undefined {
    const found = parent === undefined ? undefined : this.tools.get(parent);
    if (!found || !this.seen.has(found.id) || found.id >= id) return undefined;
    return this.depthOf(found.id) < maxDepth ? found : this.parents.get(found.id);
  }
}
