import { isRecord, lookUp } from '../../base.ts';
import { authResultFrom } from './auth.ts';
import { initializeResultFrom } from './initialize.ts';
import type { Peer } from './peer.ts';
import { promptAnswerFrom } from './prompts.ts';
import { type Wire, withField } from './rules.ts';
import { sessionResultFrom } from './sessions.ts';

type Result = (result: Wire, peer: Peer) => Wire;

const asIs: Result = (result) => result;

/** What is done to the results of our requests, all of which are objects. */
const results: Readonly<Record<string, Result>> = {
  initialize: initializeResultFrom,
  authenticate: authResultFrom,
  logout: asIs,
  'session/new': sessionResultFrom,
  'session/load': sessionResultFrom,
  'session/resume': sessionResultFrom,
  'session/fork': sessionResultFrom,
  'session/close': asIs,
  'session/delete': asIs,
  'session/set_mode': asIs,
  'session/set_model': asIs,
  'session/set_config_option': asIs,
};

/** The canonical form of an answer to one of our requests, after the updates it may bring along. */
export function answersFrom(answer: Wire, peer: Peer): readonly Wire[] {
  const request = peer.answered(answer.id);
  if (!request || answer.error !== undefined || answer.result === undefined) return [answer];
  if (request.method === 'session/prompt') return promptAnswerFrom(answer, request, peer);
  const canonical = lookUp(results, request.method);
  const result = canonical && objectFrom(answer.result, peer);
  return [result ? withField(answer, 'result', canonical(result, peer)) : answer];
}

// Some agents answer null where the schema wants an object.
function objectFrom(result: unknown, peer: Peer): Wire | undefined {
  if (isRecord(result)) return result;
  if (result !== null) return undefined;
  peer.note({ name: 'official: null result' });
  return {};
}
