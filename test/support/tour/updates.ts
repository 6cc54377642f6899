import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';

type Kind = SessionUpdate['sessionUpdate'];

/** The joined text of all chunks of a kind. */
export function textOf(updates: readonly SessionUpdate[], kind: Kind = 'agent_message_chunk'): string {
  return chunksOf(updates, kind).join('');
}

export function chunksOf(
  updates: readonly SessionUpdate[],
  kind: Kind = 'agent_message_chunk',
): readonly string[] {
  return updates.flatMap((update) => {
    if (update.sessionUpdate !== kind || !('content' in update)) return [];
    const { content } = update as { content: { type: string; text?: string } };
    return content.type === 'text' ? [content.text ?? ''] : [];
  });
}

/** The kinds of updates in order, without repetitions in a row. */
export function shapeOf(updates: readonly SessionUpdate[]): readonly string[] {
  const kinds = updates.map(({ sessionUpdate }) => sessionUpdate);
  return kinds.filter((kind, index) => kind !== kinds[index - 1]);
}

/** Every state of every tool call, in order. */
export function toolStates(updates: readonly SessionUpdate[]): Readonly<Record<string, readonly string[]>> {
  const states: Record<string, string[]> = {};
  for (const update of toolUpdates(updates)) {
    states[update.toolCallId] ??= [];
    if (update.status) states[update.toolCallId]?.push(update.status);
  }
  return states;
}

export function toolUpdates(updates: readonly SessionUpdate[]): readonly ToolCallUpdate[] {
  return updates.flatMap((update) =>
    update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update' ? [update] : [],
  );
}
