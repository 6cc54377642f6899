import { isRecord, lookUp } from '../../base.ts';
import { textOf } from '../wire.ts';
import { snakeKeys } from './keys.ts';
import type { Peer } from './peer.ts';
import { applyRules, defined, type Named, type Wire, without } from './rules.ts';
import { partsOf } from './updates-a.ts';
import { eventsOf } from './updates-e.ts';
import { isVariant, updatesFrom } from './variants.ts';

/** One way to say what has happened in a session: `split` gives the updates in it, nothing when it is another one. */
interface Envelope extends Named {
  split(params: Wire, sessionId: string, peer: Peer): readonly Wire[] | undefined;
}

interface Chunk {
  readonly sessionId: string;
  readonly update: { readonly sessionUpdate: string };
}

const roles: Readonly<Record<string, string>> = {
  agent: 'agent_message_chunk',
  assistant: 'agent_message_chunk',
  user: 'user_message_chunk',
  thought: 'agent_thought_chunk',
  thinking: 'agent_thought_chunk',
};

const noSession = { name: 'C: no sessionId' };
const states: Readonly<Record<string, string>> = { idle: 'idle', running: 'running', busy: 'running' };

/** The first reader that recognises the shape wins. */
const envelopes: readonly Envelope[] = [
  { name: 'B: update message', tells: 'B', split: ({ update }, _, peer) => messageOf(update, peer) },
  { name: 'B: update.type', tells: 'B', split: ({ update }) => typedOf(update) },
  { name: 'C: externally tagged update', split: ({ update }) => taggedOf(update) },
  { name: 'A: contentChunk, toolCall, plan, currentModeId', tells: 'A', split: partsOf },
  { name: 'C: externally tagged params', split: (params) => taggedOf(params) },
  { name: 'E: type and content', tells: 'E', split: eventsOf },
];

/** What a session/update says, in canonical messages of one update each. */
export function updateMessagesFrom(message: Wire, peer: Peer): readonly Wire[] {
  if (!isRecord(message.params)) return [message];
  const params = peer.withSession(applyRules([snakeKeys], message.params, peer), noSession);
  const updates = isCanonical(params.update)
    ? updatesFrom(params.update, textOf(params.sessionId) ?? '', peer)
    : foreignUpdatesFrom(params, peer);
  if (!updates) return [stateHint(message, params, peer)];
  if (params === message.params && updates.length === 1 && updates[0] === params.update) return [message];
  const rest = params.update === undefined ? sessionOf(params) : params;
  return updates.map((update) => ({ ...message, params: { ...rest, update } }));
}

/** The params of a canonical chunk of text, told from everything else as cheaply as can be. */
export function plainChunk(message: unknown): Chunk | undefined {
  const { jsonrpc, method, id, params } = (message ?? {}) as {
    [key: string]: unknown;
    params?: Partial<Chunk>;
  };
  if (method !== 'session/update' || jsonrpc !== '2.0' || id !== undefined) return undefined;
  return typeof params?.sessionId === 'string' && isTextChunk(params.update) ? (params as Chunk) : undefined;
}

function isTextChunk(update: unknown): boolean {
  const { sessionUpdate, content, message_id } = (update ?? {}) as {
    [key: string]: unknown;
    content?: unknown;
  };
  if (message_id !== undefined || !isChunk(sessionUpdate)) return false;
  const { type, text, annotations } = (content ?? {}) as { [key: string]: unknown };
  return type === 'text' && typeof text === 'string' && annotations === undefined;
}

function isChunk(name: unknown): boolean {
  return name === 'agent_message_chunk' || name === 'agent_thought_chunk' || name === 'user_message_chunk';
}

function isCanonical(update: unknown): update is Wire {
  return isRecord(update) && typeof (update.sessionUpdate ?? update.session_update) === 'string';
}

function foreignUpdatesFrom(params: Wire, peer: Peer): readonly Wire[] | undefined {
  const sessionId = textOf(params.sessionId) ?? '';
  for (const envelope of envelopes) {
    const updates = envelope.split(params, sessionId, peer);
    if (!updates) continue;
    peer.note(envelope);
    return updates.flatMap((update) => updatesFrom(update, sessionId, peer));
  }
  return undefined;
}

function sessionOf({ sessionId, _meta }: Wire): Wire {
  return defined({ sessionId, _meta });
}

function stateHint(message: Wire, { update, status, sessionId }: Wire, peer: Peer): Wire {
  const state = update === undefined ? lookUp(states, status) : undefined;
  if (state === undefined) return message;
  peer.note({ name: 'E: status idle' });
  return { ...message, method: '_acp.nvim/state', params: defined({ sessionId, state }) };
}

function messageOf(update: unknown, peer: Peer): readonly Wire[] | undefined {
  if (!isRecord(update) || update.type !== 'message') return undefined;
  const sessionUpdate = lookUp(roles, update.role ?? 'agent');
  if (sessionUpdate === undefined) return undefined;
  const messageId = textOf(update.messageId) ?? peer.newMessageId();
  return [{ ...without(update, 'type', 'role'), sessionUpdate, messageId }];
}

function typedOf(update: unknown): readonly Wire[] | undefined {
  if (!isRecord(update) || typeof update.type !== 'string') return undefined;
  return [{ ...without(update, 'type'), sessionUpdate: update.type }];
}

function taggedOf(value: unknown): readonly Wire[] | undefined {
  if (!isRecord(value)) return undefined;
  const tags = Object.keys(value).filter(isVariant);
  const body = tags.length === 1 ? value[tags[0]!] : undefined;
  return isRecord(body) ? [{ ...body, sessionUpdate: tags[0]! }] : undefined;
}
