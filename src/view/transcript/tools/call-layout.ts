import type { Entry, ToolEntry } from '../../../model/entries.ts';
import { isOpenCall } from '../../../model/session.ts';
import type { Line } from '../../line.ts';
import type { ViewContext } from '../view-context.ts';
import { type CallGroup, CallGroups } from './call-groups.ts';
import { CallTree } from './call-tree.ts';
import { groupLines } from './group-lines.ts';
import { isOneLine, toolLines } from './tool-lines.ts';

/** Cells that the calls of a group or a subagent are indented by. */
const indentStep = 2;

/** Where tool calls are shown: alone, in a group, below the call of a subagent, or not at all. */
export class CallLayout {
  private readonly context: ViewContext;
  private readonly tree: CallTree;
  private readonly groups: CallGroups;
  /** Subagents that are over and closed, so that their calls are hidden. */
  private readonly collapsed = new Set<number>();
  /** Their calls are found once for a frame: an agent may change the status of a call a thousand times meanwhile. */
  private readonly refolded = new Set<number>();
  /** The last block below the call of a subagent. */
  private tails = new Map<number, number>();

  constructor(context: ViewContext) {
    this.context = context;
    this.tree = new CallTree(context.state.tools);
    this.groups = new CallGroups(
      (id) => this.tree.rowOf(id),
      (call) => isOneLine(call, context) && this.childrenOf(call.id).length === 0,
    );
  }

  /** An entry was added or has changed. Returns the other entries that are drawn differently now. */
  update(entry: Entry): readonly Entry[] {
    this.tree.add(entry);
    const parent = this.tree.parentOf(entry.id);
    // The call of a subagent tells how many calls there are below it.
    const above = parent ? [parent, ...this.updateCall(parent)] : [];
    return [...above, ...this.updateCall(entry)];
  }

  /** An entry was opened or closed. */
  refold(entry: Entry): void {
    this.updateCollapsed(entry);
  }

  /** The calls that were hidden or shown with the call above them since the last time. */
  takeRefolded(): readonly Entry[] {
    const calls = [...this.refolded].flatMap((id) => this.tree.below(id));
    this.refolded.clear();
    return calls;
  }

  private updateCall(entry: Entry): readonly Entry[] {
    this.updateCollapsed(entry);
    return this.groups.update(entry);
  }

  private updateCollapsed(entry: Entry): void {
    const { id } = entry;
    const isOver = entry.kind === 'tool' && !isOpenCall(entry);
    const isCollapsed = isOver && !this.context.isOpen(id) && this.childrenOf(id).length > 0;
    if (this.collapsed.has(id) === isCollapsed) return;
    if (isCollapsed) this.collapsed.add(id);
    else this.collapsed.delete(id);
    this.refolded.add(id);
  }

  childrenOf(id: number): readonly ToolEntry[] {
    return this.tree.childrenOf(id);
  }

  parentOf(id: number): ToolEntry | undefined {
    return this.tree.parentOf(id);
  }

  linesOf(call: ToolEntry): readonly Line[] {
    if (this.isHidden(call)) return [];
    const indent = indentStep * this.tree.depthOf(call.id);
    const group = this.groups.of(call.id);
    if (!group) return toolLines(call, this.context, indent);
    const heading = group.calls[0] === call ? groupLines(group, this.context, indent) : [];
    return group.isOpen ? [...heading, ...toolLines(call, this.context, indent + indentStep)] : heading;
  }

  isFirstOfOpenGroup({ id }: ToolEntry): boolean {
    const group = this.groups.of(id);
    return group?.isOpen === true && group.calls[0].id === id;
  }

  /** The block below which the new block of a call stands, if it is not the last one. */
  placeOf({ id }: Entry): number | undefined {
    const parent = this.tree.parentOf(id);
    if (!parent) return undefined;
    const below = this.tails.get(parent.id) ?? parent.id;
    this.tails.set(parent.id, id);
    for (let above = this.parentOf(parent.id); above; above = this.parentOf(above.id))
      if (this.tails.get(above.id) === below) this.tails.set(above.id, id);
    return below;
  }

  /** The last block of a call and of those below it. */
  lastBlockOf(id: number): number {
    return this.tails.get(id) ?? id;
  }

  /** All blocks will be made again. */
  reset(): void {
    this.tails = new Map();
  }

  /** The group that a call is in. */
  groupOf(id: number): CallGroup | undefined {
    return this.groups.of(id);
  }

  /** The group whose line is this line of the block of a call; without a line, the one that hides its calls. */
  groupAt(id: number, line = Number.POSITIVE_INFINITY): CallGroup | undefined {
    const group = this.groups.of(id);
    if (!group || group.calls[0].id !== id) return undefined;
    return group.isOpen && line > 0 ? undefined : group;
  }

  /** Opens or closes a group. Returns the calls to draw again. */
  foldGroup(group: CallGroup, isOpen: boolean): readonly ToolEntry[] {
    if (group.isOpen === isOpen) return [];
    group.isOpen = isOpen;
    return group.calls;
  }

  foldAllGroups(isOpen: boolean): readonly ToolEntry[] {
    return this.groups.all().flatMap((group) => this.foldGroup(group, isOpen));
  }

  /** The entry at whose lines an entry is found: one that hides it, else itself. */
  shownAt(entry: Entry): number {
    const parent = this.tree.parentOf(entry.id);
    if (parent && entry.kind === 'tool' && this.isHidden(entry)) return this.shownAt(parent);
    const group = this.groups.of(entry.id);
    return group && !group.isOpen ? group.calls[0].id : entry.id;
  }

  // When a subagent is over, its calls are hidden, but not what it changed, what still runs and what the user opened.
  private isHidden(call: ToolEntry): boolean {
    const parent = this.tree.parentOf(call.id);
    if (!parent || !(this.collapsed.has(parent.id) || this.isHidden(parent))) return false;
    return !this.context.isOpen(call.id) && !isOpenCall(call) && this.context.diffs.of(call).length === 0;
  }
}
