import type { ExtensionCall, Extensions } from '../../ports/extensions.ts';
import type { ConnectionExtensions } from '../connection/connection.ts';
import { asRecord, asString } from '../decode/fields.ts';
import type { SessionRouter } from './session-router.ts';

/** Adds the agent and the session to each extension call. */
export function bindExtensions(
  extensions: Extensions,
  agent: string,
  router: SessionRouter,
): ConnectionExtensions {
  const callOf = (method: string, params: unknown): ExtensionCall => {
    const session = asString(asRecord(params).sessionId) ?? router.currentSession;
    return { owner: router.ownerOf(session), agent, session, method, params };
  };
  return {
    serves: (method) => extensions.serves(method),
    request: (method, params, withdrawn) => extensions.request(callOf(method, params), withdrawn),
    notify: (method, params) => extensions.notify(callOf(method, params)),
  };
}
