import type { JsonObject } from '../../base/record.ts';
import { isRecord, lookUp } from '../../base/record.ts';
import { canonicalAuthResult } from './auth.ts';
import { canonicalInitializeResult } from './initialize.ts';
import type { Peer } from './peer.ts';
import { canonicalPromptAnswer } from './prompts.ts';
import { withField } from './rules.ts';
import { canonicalSessionResult } from './sessions.ts';

type ResultRewrite = (result: JsonObject, peer: Peer) => JsonObject;

const unchanged: ResultRewrite = (result) => result;

/** The rewrites of results that must be objects, by request. */
const resultRewrites: Readonly<Record<string, ResultRewrite>> = {
  initialize: canonicalInitializeResult,
  authenticate: canonicalAuthResult,
  logout: unchanged,
  'session/new': canonicalSessionResult,
  'session/load': canonicalSessionResult,
  'session/resume': canonicalSessionResult,
  'session/fork': canonicalSessionResult,
  'session/close': unchanged,
  'session/delete': unchanged,
  'session/set_title': unchanged,
  'session/set_mode': unchanged,
  'session/set_model': unchanged,
  'session/set_config_option': unchanged,
};

/** The canonical form of a response to our request, preceded by the updates it contains. */
export function canonicalAnswers(answer: JsonObject, peer: Peer): readonly JsonObject[] {
  const request = peer.takeRequest(answer.id);
  if (!request || answer.error !== undefined || answer.result === undefined) return [answer];
  if (request.method === 'session/prompt') return canonicalPromptAnswer(answer, request, peer);
  const canonical = lookUp(resultRewrites, request.method);
  const result = canonical && resultObject(answer.result, peer);
  return [result ? withField(answer, 'result', canonical(result, peer)) : answer];
}

// Some agents answer null instead of an empty object.
function resultObject(result: unknown, peer: Peer): JsonObject | undefined {
  if (isRecord(result)) return result;
  if (result !== null) return undefined;
  peer.ruleApplied({ name: 'official: null result' });
  return {};
}
