import { isRecord, lookUp } from '../../base.ts';
import { textOf } from '../wire.ts';
import type { Peer } from './peer.ts';
import { defined, type Wire } from './rules.ts';
import { kindByName } from './tool-calls.ts';

type Event = (content: Wire, sessionId: string, peer: Peer) => Wire | undefined;

/** Source E: the types of a session/update. */
const events: Readonly<Record<string, Event>> = {
  thinking: (content) => chunkFrom('agent_thought_chunk', content),
  text: (content) => chunkFrom('agent_message_chunk', content),
  tool_call: ({ toolCall }, sessionId, peer) => toolCallFrom(toolCall, sessionId, peer),
  tool_result: ({ toolResult }) => resultFrom(toolResult),
  error: ({ text, message }) => ({
    sessionUpdate: 'notice',
    severity: 'error',
    title: textOf(text) || textOf(message) || 'The agent reports an error.',
  }),
};

/** The updates in the params of a session/update after source E. */
export function eventsOf(params: Wire, sessionId: string, peer: Peer): readonly Wire[] | undefined {
  const event = params.update === undefined ? lookUp(events, params.type) : undefined;
  if (!event) return undefined;
  const { content } = params;
  const update = event(isRecord(content) ? content : { text: content }, sessionId, peer);
  return update && [update];
}

function chunkFrom(sessionUpdate: string, { text }: Wire): Wire | undefined {
  return typeof text === 'string' ? { sessionUpdate, content: { type: 'text', text } } : undefined;
}

function toolCallFrom(tool: unknown, sessionId: string, peer: Peer): Wire | undefined {
  if (!isRecord(tool) || typeof tool.id !== 'string') return undefined;
  const { id, input, status } = tool;
  const name = textOf(tool.name);
  const isKnown = peer.knowsToolCall(sessionId, id);
  return defined({
    sessionUpdate: isKnown ? 'tool_call_update' : 'tool_call',
    toolCallId: id,
    title: name ?? (isKnown ? undefined : id),
    name,
    kind: name && kindByName(name),
    rawInput: input,
    status,
  });
}

function resultFrom(result: unknown): Wire | undefined {
  if (!isRecord(result) || typeof result.callId !== 'string') return undefined;
  const { callId, output, isError } = result;
  return defined({
    sessionUpdate: 'tool_call_update',
    toolCallId: callId,
    status: endOf(isError ?? false),
    content:
      typeof output === 'string' ? [{ type: 'content', content: { type: 'text', text: output } }] : undefined,
    rawOutput: output,
  });
}

function endOf(isError: unknown): string | undefined {
  if (typeof isError !== 'boolean') return undefined;
  return isError ? 'failed' : 'completed';
}
