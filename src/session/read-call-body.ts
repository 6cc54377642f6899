import { emptySession, type SessionState } from '../model/session.ts';
import type { CallBody, SessionEvent } from '../model/session-events.ts';
import type { Log } from '../ports/log.ts';
import { JournalReader, readJournalLinesWithPauses } from './journal/reader.ts';
import type { CallIds, CallPlace } from './journal/record-places.ts';
import { reduce } from './reducer/reducer.ts';

/** Reads the texts of a tool call again, from the parts of its journal that have them. Undefined if they are not there. */
export async function readCallBody(
  file: string,
  ids: CallIds,
  place: CallPlace,
  log: Log,
): Promise<CallBody | undefined> {
  const reader = new JournalReader(file, log);
  const state = emptySession('', 0);
  const isMentioned = mentionOf(ids);
  for await (const { bytes, from } of readJournalLinesWithPauses(file, place.parts)) {
    const record = isMentioned(bytes) && reader.recordIn(bytes);
    // Another agent may have used the id of the call.
    const isOfCall = from >= place.call.from && from < place.call.to;
    if (record && isOf(record.event, ids, isOfCall)) reduce(state, record.event, record.at);
  }
  return bodyIn(state, ids);
}

// Other records need not be parsed. After the start of an agent, no patch builds on an earlier one.
function mentionOf({ toolCallId, terminalIds }: CallIds): (bytes: Buffer) => boolean {
  const words = [...[toolCallId, ...terminalIds].map((id) => JSON.stringify(id)), '"agent_starting"'];
  return (bytes) => words.some((word) => bytes.includes(word));
}

function isOf(event: SessionEvent, { toolCallId, terminalIds }: CallIds, isOfCall: boolean): boolean {
  if (event.kind === 'tool') return isOfCall && event.patch.toolCallId === toolCallId;
  return event.kind === 'terminal' && terminalIds.includes(event.patch.terminalId);
}

function bodyIn({ tools, terminals }: SessionState, { toolCallId }: CallIds): CallBody | undefined {
  const call = tools.get(toolCallId);
  if (!call) return undefined;
  const { content, diffs, rawInput, rawOutput } = call;
  const outputs = [...call.terminals, ...terminals.values()];
  return {
    content,
    diffs,
    rawInput,
    rawOutput,
    outputs: outputs.map(({ terminalId, text }) => ({ terminalId, text })),
  };
}
