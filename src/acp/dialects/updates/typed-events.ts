import type { JsonObject } from '../../../base/record.ts';
import { isRecord, lookUp } from '../../../base/record.ts';
import { asString } from '../../decode/fields.ts';
import type { Peer } from '../peer.ts';
import { defined } from '../rules.ts';
import { kindOfToolName } from './tool-calls.ts';

type TypedEventReader = (content: JsonObject, sessionId: string, peer: Peer) => JsonObject | undefined;

/** Document E: the values of `type` in a session/update. */
const typedEventReaders: Readonly<Record<string, TypedEventReader>> = {
  thinking: (content) => textChunk('agent_thought_chunk', content),
  text: (content) => textChunk('agent_message_chunk', content),
  tool_call: ({ toolCall }, sessionId, peer) => updateFromTypedToolCall(toolCall, sessionId, peer),
  tool_result: ({ toolResult }) => updateFromToolResult(toolResult),
  error: ({ text, message }) => ({
    sessionUpdate: 'notice',
    severity: 'error',
    title: asString(text) || asString(message) || 'The agent reports an error.',
  }),
};

/** The updates in the params of a session/update of document E. */
export function typedEventsIn(
  params: JsonObject,
  sessionId: string,
  peer: Peer,
): readonly JsonObject[] | undefined {
  const event = params.update === undefined ? lookUp(typedEventReaders, params.type) : undefined;
  if (!event) return undefined;
  const { content } = params;
  const update = event(isRecord(content) ? content : { text: content }, sessionId, peer);
  return update && [update];
}

function textChunk(sessionUpdate: string, { text }: JsonObject): JsonObject | undefined {
  return typeof text === 'string' ? { sessionUpdate, content: { type: 'text', text } } : undefined;
}

function updateFromTypedToolCall(tool: unknown, sessionId: string, peer: Peer): JsonObject | undefined {
  if (!isRecord(tool) || typeof tool.id !== 'string') return undefined;
  const { id, input, status } = tool;
  const name = asString(tool.name);
  const isKnown = peer.hasToolCall(sessionId, id);
  return defined({
    sessionUpdate: isKnown ? 'tool_call_update' : 'tool_call',
    toolCallId: id,
    title: name ?? (isKnown ? undefined : id),
    name,
    kind: name && kindOfToolName(name),
    rawInput: input,
    status,
  });
}

function updateFromToolResult(result: unknown): JsonObject | undefined {
  if (!isRecord(result) || typeof result.callId !== 'string') return undefined;
  const { callId, output, isError } = result;
  return defined({
    sessionUpdate: 'tool_call_update',
    toolCallId: callId,
    status: statusAfter(isError ?? false),
    content:
      typeof output === 'string' ? [{ type: 'content', content: { type: 'text', text: output } }] : undefined,
    rawOutput: output,
  });
}

function statusAfter(isError: unknown): string | undefined {
  if (typeof isError !== 'boolean') return undefined;
  return isError ? 'failed' : 'completed';
}
