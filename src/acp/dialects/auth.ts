import type { JsonObject } from '../../base/record.ts';
import { isRecord } from '../../base/record.ts';
import { asString } from '../decode/fields.ts';
import type { Peer } from './peer.ts';
import { documents, withMeta } from './rules.ts';

/** Document E: the result of authenticate may be a login page for the user. */
export function canonicalAuthResult(result: JsonObject, peer: Peer): JsonObject {
  const url = [result.url, result.authUrl, result.verificationUri].map(asString).find(isWebAddress);
  if (url === undefined) return result;
  peer.ruleApplied({ name: 'E: authenticate result with a url', implies: documents.overview });
  return withMeta(result, { 'acp.nvim/authUrl': url });
}

/** Document E: the notification that the user has logged in on that page. */
export function canonicalAuthComplete(message: JsonObject, peer: Peer): JsonObject {
  peer.ruleApplied({ name: 'E: auth_complete', implies: documents.overview });
  const params = isRecord(message.params) ? message.params : {};
  return { ...message, method: '_acp.nvim/auth_complete', params };
}

function isWebAddress(text: string | undefined): boolean {
  return text !== undefined && /^https?:\/\//i.test(text);
}
