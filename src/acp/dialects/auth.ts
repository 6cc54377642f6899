import { isRecord } from '../../base.ts';
import { textOf } from '../wire.ts';
import type { Peer } from './peer.ts';
import { type Wire, withMeta } from './rules.ts';

/** Source E: the result of authenticate may be a page that the user visits to log in. */
export function authResultFrom(result: Wire, peer: Peer): Wire {
  const url = [result.url, result.authUrl, result.verificationUri].map(textOf).find(isAddress);
  if (url === undefined) return result;
  peer.note({ name: 'E: authenticate result with a url', tells: 'E' });
  return withMeta(result, { 'acp.nvim/authUrl': url });
}

/** Source E: the user has logged in on that page. */
export function authCompleteFrom(message: Wire, peer: Peer): Wire {
  peer.note({ name: 'E: auth_complete', tells: 'E' });
  const params = isRecord(message.params) ? message.params : {};
  return { ...message, method: '_acp.nvim/auth_complete', params };
}

function isAddress(text: string | undefined): boolean {
  return text !== undefined && /^https?:\/\//i.test(text);
}
