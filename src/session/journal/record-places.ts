import { callKey } from '../../model/entries.ts';
import type { SessionEvent } from '../../model/session-events.ts';

/** Offsets in a journal, in bytes. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/** Where a journal has all records of a call and its terminals. */
export interface CallPlace {
  /** One after the other. They may have records of others, too. */
  readonly parts: readonly Place[];
  /** From the first record of the call to its last one. */
  readonly call: Place;
}

/** Reading less than this between two records costs no more than another part. */
const maxGap = 16 * 1024;

/** A tool call and the terminals of the plugin that it shows. */
export interface CallIds {
  readonly key: string;
  readonly toolCallId: string;
  readonly terminalIds: readonly string[];
}

/** Where a journal has the records of each tool call and of each terminal. */
export class RecordPlaces {
  /** Undefined: the journal does not have all records of the call. */
  private readonly calls = new Map<string, Place[] | undefined>();
  private agentStarts = 0;
  private readonly terminals = new Map<string, Place[]>();

  note(event: SessionEvent, place: Place): void {
    if (event.kind === 'agent_starting') this.agentStarts += 1;
    if (event.kind === 'tool') {
      const { toolCallId } = event.patch;
      const key = callKey({ agentStarts: this.agentStarts, toolCallId });
      const isComplete = !this.calls.has(key) || this.calls.get(key) !== undefined;
      if (isComplete) this.calls.set(key, append(this.calls.get(key), place));
    }
    if (event.kind === 'terminal') {
      const { terminalId } = event.patch;
      this.terminals.set(terminalId, append(this.terminals.get(terminalId), place));
    }
  }

  /** The journal has lost its records. */
  forget(): void {
    for (const key of this.calls.keys()) this.calls.set(key, undefined);
    this.terminals.clear();
  }

  of({ key, terminalIds }: CallIds): CallPlace | undefined {
    const call = this.calls.get(key);
    if (!call) return undefined;
    const all = [call, ...terminalIds.map((id) => this.terminals.get(id) ?? [])].flat();
    const parts: Place[] = [];
    for (const part of all.toSorted((one, other) => one.from - other.from)) append(parts, part);
    return { parts, call: { from: call[0]!.from, to: call.at(-1)!.to } };
  }
}

/** Adds a part that begins behind the last one, or within it. */
function append(parts: Place[] = [], part: Place): Place[] {
  const last = parts.at(-1);
  if (last && part.from - last.to <= maxGap) {
    parts[parts.length - 1] = { from: last.from, to: Math.max(last.to, part.to) };
  } else parts.push(part);
  return parts;
}
