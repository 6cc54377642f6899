import type { WireMessage } from './piped-connection.ts';

type Wire = Readonly<Record<string, unknown>>;

export const done = { stopReason: 'end_turn' };

export const update = (sessionUpdate: string, fields: Wire = {}, sessionId = 's1'): WireMessage => ({
  method: 'session/update',
  params: { sessionId, update: { sessionUpdate, ...fields } },
});

export const speech = (text: string, fields: Wire = {}, sessionId = 's1') =>
  update('agent_message_chunk', { content: { type: 'text', text }, ...fields }, sessionId);

export const call = (toolCallId: string, fields: Wire = {}) => update('tool_call', { toolCallId, ...fields });

/** A tool call whose title is its id, unless the fields say otherwise. */
export const titledCall = (toolCallId: string, fields: Wire = {}) =>
  call(toolCallId, { title: toolCallId, ...fields });

export const callUpdate = (toolCallId: string, fields: Wire = {}) =>
  update('tool_call_update', { toolCallId, ...fields });

export const yesOrNo = [
  { optionId: 'y', name: 'Yes', kind: 'allow_once' },
  { optionId: 'n', name: 'No', kind: 'reject_once' },
];

const someCall = { toolCallId: 'c1', title: 'Do it' };

export const permission = (
  id: unknown,
  toolCall: Wire = someCall,
  options: unknown = yesOrNo,
  sessionId = 's1',
): WireMessage => ({
  id,
  method: 'session/request_permission',
  params: { sessionId, toolCall, options },
});

/** The answers to a permission request. */
export const chosen = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });
export const cancelled = { outcome: { outcome: 'cancelled' } };
