import type { JsonObject } from '../../../base/record.ts';
import { isRecord, lookUp } from '../../../base/record.ts';
import { asString } from '../../decode/fields.ts';
import { isUpdateName } from '../../decode/update-names.ts';
import { snakeKeys } from '../keys.ts';
import type { Peer } from '../peer.ts';
import { applyRules, defined, documents, type RuleInfo, without } from '../rules.ts';
import { flatUpdatesIn } from './flat-updates.ts';
import { typedEventsIn } from './typed-events.ts';
import { canonicalUpdates } from './variants.ts';

/** A shape of session/update params. `split` returns the updates in it, or undefined for another shape. */
interface UpdateEnvelope extends RuleInfo {
  split(params: JsonObject, sessionId: string, peer: Peer): readonly JsonObject[] | undefined;
}

interface TextChunkParams {
  readonly sessionId: string;
  readonly update: { readonly sessionUpdate: string };
}

const chunkNameByRole: Readonly<Record<string, string>> = {
  agent: 'agent_message_chunk',
  assistant: 'agent_message_chunk',
  user: 'user_message_chunk',
  thought: 'agent_thought_chunk',
  thinking: 'agent_thought_chunk',
};

const updateWithoutSession = { name: 'C: no sessionId' };
const sessionStates: Readonly<Record<string, string>> = { idle: 'idle', running: 'running', busy: 'running' };

/** The first envelope that matches is used. */
const envelopes: readonly UpdateEnvelope[] = [
  {
    name: 'B: update message',
    implies: documents.completeSpecification,
    split: ({ update }, _, peer) => updateFromRoleMessage(update, peer),
  },
  {
    name: 'B: update.type',
    implies: documents.completeSpecification,
    split: ({ update }) => updateFromType(update),
  },
  { name: 'C: externally tagged update', split: ({ update }) => updateFromTag(update) },
  {
    name: 'A: contentChunk, toolCall, plan, currentModeId',
    implies: documents.reverseEngineered,
    split: flatUpdatesIn,
  },
  { name: 'C: externally tagged params', split: (params) => updateFromTag(params) },
  { name: 'E: type and content', implies: documents.overview, split: typedEventsIn },
];

/** Splits a session/update into canonical messages with one update each. */
export function canonicalUpdateMessages(message: JsonObject, peer: Peer): readonly JsonObject[] {
  if (!isRecord(message.params)) return [message];
  const params = peer.withSession(applyRules([snakeKeys], message.params, peer), updateWithoutSession);
  const updates = isCanonical(params.update)
    ? canonicalUpdates(params.update, asString(params.sessionId) ?? '', peer)
    : updatesFromOtherEnvelope(params, peer);
  if (!updates) return [stateMessage(message, params, peer)];
  if (params === message.params && updates.length === 1 && updates[0] === params.update) return [message];
  const rest = params.update === undefined ? sessionFields(params) : params;
  return updates.map((update) => ({ ...message, params: { ...rest, update } }));
}

/** The params if the message is a canonical text chunk. Called for every message, so it must be cheap. */
export function textChunkParams(message: unknown): TextChunkParams | undefined {
  const { jsonrpc, method, id, params } = (message ?? {}) as {
    [key: string]: unknown;
    params?: Partial<TextChunkParams>;
  };
  if (method !== 'session/update' || jsonrpc !== '2.0' || id !== undefined) return undefined;
  return typeof params?.sessionId === 'string' && isTextChunk(params.update)
    ? (params as TextChunkParams)
    : undefined;
}

function isTextChunk(update: unknown): boolean {
  const { sessionUpdate, content, message_id } = (update ?? {}) as {
    [key: string]: unknown;
    content?: unknown;
  };
  if (message_id !== undefined || !isChunkName(sessionUpdate)) return false;
  const { type, text, annotations } = (content ?? {}) as { [key: string]: unknown };
  return type === 'text' && typeof text === 'string' && annotations === undefined;
}

function isChunkName(name: unknown): boolean {
  return name === 'agent_message_chunk' || name === 'agent_thought_chunk' || name === 'user_message_chunk';
}

function isCanonical(update: unknown): update is JsonObject {
  return isRecord(update) && typeof (update.sessionUpdate ?? update.session_update) === 'string';
}

function updatesFromOtherEnvelope(params: JsonObject, peer: Peer): readonly JsonObject[] | undefined {
  const sessionId = asString(params.sessionId) ?? '';
  for (const envelope of envelopes) {
    const updates = envelope.split(params, sessionId, peer);
    if (!updates) continue;
    peer.ruleApplied(envelope);
    return updates.flatMap((update) => canonicalUpdates(update, sessionId, peer));
  }
  return undefined;
}

function sessionFields({ sessionId, _meta }: JsonObject): JsonObject {
  return defined({ sessionId, _meta });
}

function stateMessage(
  message: JsonObject,
  { update, status, sessionId }: JsonObject,
  peer: Peer,
): JsonObject {
  const state = update === undefined ? lookUp(sessionStates, status) : undefined;
  if (state === undefined) return message;
  peer.ruleApplied({ name: 'E: status idle' });
  return { ...message, method: '_acp.nvim/state', params: defined({ sessionId, state }) };
}

function updateFromRoleMessage(update: unknown, peer: Peer): readonly JsonObject[] | undefined {
  if (!isRecord(update) || update.type !== 'message') return undefined;
  const sessionUpdate = lookUp(chunkNameByRole, update.role ?? 'agent');
  if (sessionUpdate === undefined) return undefined;
  const messageId = asString(update.messageId) ?? peer.newMessageId();
  return [{ ...without(update, 'type', 'role'), sessionUpdate, messageId }];
}

function updateFromType(update: unknown): readonly JsonObject[] | undefined {
  if (!isRecord(update) || typeof update.type !== 'string') return undefined;
  return [{ ...without(update, 'type'), sessionUpdate: update.type }];
}

function updateFromTag(value: unknown): readonly JsonObject[] | undefined {
  if (!isRecord(value)) return undefined;
  const tags = Object.keys(value).filter(isUpdateName);
  const body = tags.length === 1 ? value[tags[0]!] : undefined;
  return isRecord(body) ? [{ ...body, sessionUpdate: tags[0]! }] : undefined;
}
