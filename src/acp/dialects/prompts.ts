import type { JsonObject } from '../../base/record.ts';
import { isRecord, lookUp } from '../../base/record.ts';
import { snakeKeys } from './keys.ts';
import type { Peer, PendingRequest } from './peer.ts';
import { applyRules, documents, mapSame, type RewriteRule, type RuleInfo, without } from './rules.ts';
import { canonicalUpdates } from './updates/variants.ts';

const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  complete: 'end_turn',
  completed: 'end_turn',
  done: 'end_turn',
  canceled: 'cancelled',
  interrupted: 'cancelled',
  aborted: 'cancelled',
  length: 'max_tokens',
};

/** Rules for the result of session/prompt. */
const promptResultRules: readonly RewriteRule[] = [
  snakeKeys,
  {
    name: 'D,E: no stopReason',
    applies: ({ stopReason }) => stopReason === undefined || stopReason === null,
    rewrite: (result) => ({ ...result, stopReason: 'end_turn' }),
  },
  {
    name: 'any: stopReason words',
    applies: ({ stopReason }) => lookUp(stopReasons, stopReason) !== undefined,
    rewrite: (result) => ({ ...result, stopReason: lookUp(stopReasons, result.stopReason) }),
  },
];

/** Adds the fields that agents of other documents look for. The canonical ones stay. */
export function promptInDialect(message: JsonObject, peer: Peer): JsonObject {
  const isNested = peer.follows(documents.adapterReference);
  const isRenamed = peer.follows(documents.reverseEngineered);
  if ((!isNested && !isRenamed) || !isRecord(message.params)) return message;
  const { params } = message;
  const prompt = isNested ? mapSame(params.prompt, withImageSource) : params.prompt;
  return { ...message, params: { ...params, prompt, ...(isRenamed && { content: prompt }) } };
}

function withImageSource(block: unknown): unknown {
  if (!isRecord(block) || block.type !== 'image') return block;
  const { mimeType: mediaType, data } = block;
  return { ...block, source: { type: 'base64', mediaType, data } };
}

/** The canonical response to session/prompt, preceded by updates for the rest of its content. */
export function canonicalPromptAnswer(
  answer: JsonObject,
  prompt: PendingRequest,
  peer: Peer,
): readonly JsonObject[] {
  const result = applyRules(promptResultRules, isRecord(answer.result) ? answer.result : {}, peer);
  if (result.stopReason === 'tool_error') return answerAfterToolError(answer, result, prompt, peer);
  if (result.content === undefined) return [result === answer.result ? answer : { ...answer, result }];
  peer.ruleApplied({ name: 'D: content in the prompt result' });
  const said = prompt.hasAgentMessage ? [] : updatesForContent(result.content, prompt, peer);
  return [...said, { ...answer, result: without(result, 'content') }];
}

/** Document E: this notification ends the turn; the response may or may not follow. */
export function canonicalTurnEnd(message: JsonObject, peer: Peer): JsonObject {
  const rule: RuleInfo = { name: 'E: session/end_turn', implies: documents.overview };
  const received = isRecord(message.params) ? message.params : {};
  const params = peer.withSession(received, rule);
  if (params === received) peer.ruleApplied(rule);
  return { ...message, method: '_acp.nvim/end_turn', params };
}

function answerAfterToolError(
  answer: JsonObject,
  result: JsonObject,
  prompt: PendingRequest,
  peer: Peer,
): readonly JsonObject[] {
  peer.ruleApplied({ name: 'A: stopReason tool_error' });
  const notice = {
    sessionUpdate: 'notice',
    severity: 'error',
    title: 'The turn ended because a tool failed.',
  };
  return [updateMessage(notice, prompt), { ...answer, result: { ...result, stopReason: 'end_turn' } }];
}

function updatesForContent(content: unknown, prompt: PendingRequest, peer: Peer): readonly JsonObject[] {
  const chunk = { sessionUpdate: 'agent_message_chunk', content, messageId: peer.newMessageId() };
  return canonicalUpdates(chunk, prompt.sessionId ?? '', peer).map((update) => updateMessage(update, prompt));
}

function updateMessage(update: JsonObject, { sessionId }: PendingRequest): JsonObject {
  return { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } };
}
