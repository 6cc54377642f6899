import { callKey } from '../../model/entries.ts';
import type { SessionEvent } from '../../model/session-events.ts';

/** Offsets in a journal, in bytes. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/** The part of a journal that has all records of a call and its terminals, and records of others between them. */
export interface CallPlace extends Place {
  /** The part that has the records of the call. */
  readonly call: Place;
}

/** A tool call and the terminals of the plugin that it shows. */
export interface CallIds {
  readonly key: string;
  readonly toolCallId: string;
  readonly terminalIds: readonly string[];
}

/** Where a journal has the records of each tool call and of each terminal. */
export class RecordPlaces {
  private readonly calls = new Map<string, Place>();
  private agentStarts = 0;
  private readonly terminals = new Map<string, Place>();

  note(event: SessionEvent, { from, to }: Place): void {
    if (event.kind === 'agent_starting') this.agentStarts += 1;
    if (event.kind === 'tool') {
      const { toolCallId } = event.patch;
      widen(this.calls, callKey({ agentStarts: this.agentStarts, toolCallId }), { from, to });
    }
    if (event.kind === 'terminal') widen(this.terminals, event.patch.terminalId, { from, to });
  }

  of({ key, terminalIds }: CallIds): CallPlace | undefined {
    const call = this.calls.get(key);
    return call && { ...terminalIds.reduce((place, id) => join(place, this.terminals.get(id)), call), call };
  }
}

function widen(places: Map<string, Place>, id: string, place: Place): void {
  places.set(id, join(place, places.get(id)));
}

function join(one: Place, other: Place = one): Place {
  return { from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) };
}
