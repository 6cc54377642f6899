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
  /** Undefined: the journal does not have all records of the call. */
  private readonly calls = new Map<string, Place | undefined>();
  private agentStarts = 0;
  private readonly terminals = new Map<string, Place>();

  note(event: SessionEvent, { from, to }: Place): void {
    if (event.kind === 'agent_starting') this.agentStarts += 1;
    if (event.kind === 'tool') {
      const { toolCallId } = event.patch;
      const key = callKey({ agentStarts: this.agentStarts, toolCallId });
      const isComplete = !this.calls.has(key) || this.calls.get(key) !== undefined;
      if (isComplete) this.calls.set(key, join({ from, to }, this.calls.get(key)));
    }
    if (event.kind === 'terminal') {
      const { terminalId } = event.patch;
      this.terminals.set(terminalId, join({ from, to }, this.terminals.get(terminalId)));
    }
  }

  /** The journal has lost its records. */
  forget(): void {
    for (const key of this.calls.keys()) this.calls.set(key, undefined);
    this.terminals.clear();
  }

  of({ key, terminalIds }: CallIds): CallPlace | undefined {
    const call = this.calls.get(key);
    return call && { ...terminalIds.reduce((place, id) => join(place, this.terminals.get(id)), call), call };
  }
}

function join(one: Place, other: Place = one): Place {
  return { from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) };
}
