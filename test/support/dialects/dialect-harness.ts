import { Dialects } from '../../../src/acp/dialects/dialects.ts';

export type Wire = Readonly<Record<string, unknown>>;

/** The dialects of one connection, whose current session is `s1`. */
export class DialectHarness {
  /** The rules that were applied, by name, in order. */
  readonly rules: string[] = [];
  readonly dialects: Dialects;
  private lastId = 0;

  constructor(currentSession: string | null = 's1') {
    this.dialects = new Dialects({
      onRuleApplied: (name) => this.rules.push(name),
      currentSession: () => currentSession ?? undefined,
    });
  }

  /** Rewrites a message of the agent. The message is frozen, so that changing it in place throws. */
  receive(message: unknown): readonly unknown[] {
    return this.dialects.inbound(frozen(message));
  }

  /** Sends a request and returns its id; pass the answer with this id to `receive`. */
  request(method: string, params: unknown = {}): number {
    this.lastId += 1;
    this.dialects.outbound(frozen(request(this.lastId, method, params)));
    return this.lastId;
  }

  /** Sends a request and rewrites the result. */
  result(method: string, result: unknown, params: unknown = { sessionId: 's1' }): unknown {
    const heard = this.receive(answer(this.request(method, params), result));
    return (heard.at(-1) as { result: unknown }).result;
  }

  /** Rewrites our answer to a request of the agent. */
  respond(id: unknown, result: unknown): unknown {
    return this.dialects.outbound(frozen(answer(id, result)));
  }
}

export const request = (id: unknown, method: string, params: unknown) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
export const notification = (method: string, params: unknown) => ({ jsonrpc: '2.0', method, params });
export const answer = (id: unknown, result: unknown) => ({ jsonrpc: '2.0', id, result });
export const refusal = (id: unknown, code: number, message = 'no') => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

export const update = (fields: unknown, sessionId = 's1') =>
  notification('session/update', { sessionId, update: fields });
export const text = (words: string) => ({ type: 'text', text: words });
export const chunk = (words: string, fields: Wire = {}) => ({
  sessionUpdate: 'agent_message_chunk',
  content: text(words),
  ...fields,
});
export const wrapped = (words: string) => ({ type: 'content', content: text(words) });

export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  Object.values(value).forEach(frozen);
  return Object.freeze(value);
}
