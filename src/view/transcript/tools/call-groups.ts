import type { Entry, ToolEntry, ToolKind } from '../../../model/entries.ts';

/** Small finished calls of one kind in a row. They are shown as one line until the user opens the group. */
export interface CallGroup {
  readonly calls: readonly [ToolEntry, ...ToolEntry[]];
  isOpen: boolean;
}

const groupedKinds: ReadonlySet<ToolKind> = new Set(['read', 'search', 'fetch']);
const fewestCalls = 3;
/** A longer row becomes several groups, so that adding a call costs the same in every row. */
const mostCalls = 100;

/** Finds the groups among the entries of a transcript. */
export class CallGroups {
  private readonly rowOf: (id: number) => readonly Entry[];
  private readonly isSmall: (call: ToolEntry) => boolean;
  /** Every call that can be in a group, alone or not. */
  private readonly byCall = new Map<number, CallGroup>();

  /** `rowOf`: the entries among which an entry stands, in order. */
  constructor(rowOf: (id: number) => readonly Entry[], isSmall: (call: ToolEntry) => boolean) {
    this.rowOf = rowOf;
    this.isSmall = isSmall;
  }

  /** The group of a call, if it has enough calls to be shown as one. */
  of(id: number): CallGroup | undefined {
    const group = this.byCall.get(id);
    return group && group.calls.length >= fewestCalls ? group : undefined;
  }

  /** All groups that are shown as one line or were opened. */
  all(): readonly CallGroup[] {
    return [...new Set(this.byCall.values())].filter(({ calls }) => calls.length >= fewestCalls);
  }

  /** An entry was added or has changed. Returns the calls that are drawn differently because of it. */
  update(entry: Entry): readonly ToolEntry[] {
    if (entry.kind !== 'tool') return [];
    const group = this.byCall.get(entry.id);
    const belongs = canBeGrouped(entry) && this.isSmall(entry);
    if (!group) return belongs ? this.add(entry) : [];
    const isSame = belongs && isSameKind(entry, group.calls[0]);
    return isSame ? [group.calls[0]] : this.divide(group);
  }

  private add(call: ToolEntry): readonly ToolEntry[] {
    const row = this.rowOf(call.id);
    const index = indexOf(row, call.id);
    if (index === -1) return [];
    let group: CallGroup = { calls: [call], isOpen: false };
    const before = this.groupToJoin(row[index - 1], call);
    const after = this.groupToJoin(row[index + 1], call);
    if (before) group = joined(before, group);
    if (after && group.calls.length + after.calls.length <= mostCalls) group = joined(group, after);
    for (const { id } of group.calls) this.byCall.set(id, group);
    return group.calls;
  }

  private groupToJoin(entry: Entry | undefined, call: ToolEntry): CallGroup | undefined {
    const group = entry && this.byCall.get(entry.id);
    return group && group.calls.length < mostCalls && isSameKind(call, group.calls[0]) ? group : undefined;
  }

  // The calls before and after the one that left may still be groups.
  private divide({ calls }: CallGroup): readonly ToolEntry[] {
    for (const { id } of calls) this.byCall.delete(id);
    const others = calls.filter((call) => canBeGrouped(call) && this.isSmall(call));
    return [...calls, ...others.flatMap((call) => this.add(call))];
  }
}

// Ids grow from entry to entry.
function indexOf(entries: readonly Entry[], id: number): number {
  let [low, high] = [0, entries.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (entries[middle]!.id <= id) low = middle;
    else high = middle - 1;
  }
  return entries[low]?.id === id ? low : -1;
}

function joined(one: CallGroup, other: CallGroup): CallGroup {
  return { calls: [...one.calls, ...other.calls], isOpen: one.isOpen || other.isOpen };
}

function canBeGrouped({ toolKind, status, isRejected }: ToolEntry): boolean {
  return groupedKinds.has(toolKind) && status === 'done' && !isRejected;
}

function isSameKind(one: ToolEntry, other: ToolEntry): boolean {
  return one.toolKind === other.toolKind;
}
