import { isRecord } from '../../base.ts';
import { textOf } from '../wire.ts';
import type { Peer } from './peer.ts';
import { defined, type Wire } from './rules.ts';

type Part = (value: unknown, sessionId: string, peer: Peer) => Wire | undefined;

/** Source A: the updates that one message may hold side by side, in the order they are applied. */
const parts: Readonly<Record<string, Part>> = {
  contentChunk: chunkFrom,
  toolCall: toolFrom,
  plan: (plan) => (isRecord(plan) ? { ...plan, sessionUpdate: 'plan' } : undefined),
  currentModeId: (mode) =>
    typeof mode === 'string' ? { sessionUpdate: 'current_mode_update', currentModeId: mode } : undefined,
};

/** The updates in the params of a session/update after source A. */
export function partsOf(params: Wire, sessionId: string, peer: Peer): readonly Wire[] | undefined {
  if (params.update !== undefined || !isOfA(params)) return undefined;
  const updates = Object.entries(parts)
    .map(([key, part]) => part(params[key], sessionId, peer))
    .filter((update) => update !== undefined);
  return updates.length === 0 ? undefined : updates;
}

// A plan alone may be one of source C.
function isOfA({ contentChunk, toolCall, plan, currentModeId }: Wire): boolean {
  const hasSteps = isRecord(plan) && Array.isArray(plan.steps);
  return isRecord(contentChunk) || isRecord(toolCall) || hasSteps || typeof currentModeId === 'string';
}

function chunkFrom(chunk: unknown): Wire | undefined {
  if (!isRecord(chunk) || typeof chunk.delta !== 'string') return undefined;
  const { id, index, delta } = chunk;
  return defined({
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: delta },
    messageId: textOf(id),
    _meta: index === undefined ? undefined : { 'acp.nvim/index': index },
  });
}

function toolFrom(tool: unknown, sessionId: string, peer: Peer): Wire | undefined {
  const toolCallId = isRecord(tool) ? textOf(tool.toolCallId ?? tool.tool_call_id) : undefined;
  if (toolCallId === undefined) return undefined;
  const update: Wire = { ...(tool as Wire), toolCallId };
  if (peer.knowsToolCall(sessionId, toolCallId)) return { ...update, sessionUpdate: 'tool_call_update' };
  const title = textOf(update.title) ?? textOf(update.kind) ?? toolCallId;
  return { ...update, sessionUpdate: 'tool_call', title };
}
