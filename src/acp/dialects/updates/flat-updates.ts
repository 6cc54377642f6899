import type { JsonObject } from '../../../base/record.ts';
import { isRecord } from '../../../base/record.ts';
import { asString } from '../../decode/fields.ts';
import type { Peer } from '../peer.ts';
import { defined } from '../rules.ts';

type FlatUpdateReader = (value: unknown, sessionId: string, peer: Peer) => JsonObject | undefined;

/** Document A: one message may contain several updates side by side. They are applied in this order. */
const flatUpdateReaders: Readonly<Record<string, FlatUpdateReader>> = {
  contentChunk: updateFromContentChunk,
  toolCall: updateFromToolCall,
  plan: (plan) => (isRecord(plan) ? { ...plan, sessionUpdate: 'plan' } : undefined),
  currentModeId: (mode) =>
    typeof mode === 'string' ? { sessionUpdate: 'current_mode_update', currentModeId: mode } : undefined,
};

/** The updates in the params of a session/update of document A. */
export function flatUpdatesIn(
  params: JsonObject,
  sessionId: string,
  peer: Peer,
): readonly JsonObject[] | undefined {
  if (params.update !== undefined || !hasFlatUpdates(params)) return undefined;
  const updates = Object.entries(flatUpdateReaders)
    .map(([key, part]) => part(params[key], sessionId, peer))
    .filter((update) => update !== undefined);
  return updates.length === 0 ? undefined : updates;
}

// A plan without `steps` may be one of document C.
function hasFlatUpdates({ contentChunk, toolCall, plan, currentModeId }: JsonObject): boolean {
  const hasSteps = isRecord(plan) && Array.isArray(plan.steps);
  return isRecord(contentChunk) || isRecord(toolCall) || hasSteps || typeof currentModeId === 'string';
}

function updateFromContentChunk(chunk: unknown): JsonObject | undefined {
  if (!isRecord(chunk) || typeof chunk.delta !== 'string') return undefined;
  const { id, index, delta } = chunk;
  return defined({
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: delta },
    messageId: asString(id),
    _meta: index === undefined ? undefined : { 'acp.nvim/index': index },
  });
}

function updateFromToolCall(tool: unknown, sessionId: string, peer: Peer): JsonObject | undefined {
  const toolCallId = isRecord(tool) ? asString(tool.toolCallId ?? tool.tool_call_id) : undefined;
  if (toolCallId === undefined) return undefined;
  const update: JsonObject = { ...(tool as JsonObject), toolCallId };
  if (peer.hasToolCall(sessionId, toolCallId)) return { ...update, sessionUpdate: 'tool_call_update' };
  const title = asString(update.title) ?? asString(update.kind) ?? toolCallId;
  return { ...update, sessionUpdate: 'tool_call', title };
}
