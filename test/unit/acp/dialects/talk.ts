import { Dialects } from '../../../../src/acp/dialects/dialects.ts';

export type Wire = Readonly<Record<string, unknown>>;

/** One connection with a normaliser in it, whose current session is `s1`. */
export class Talk {
  /** The rules that were applied, by name, in order. */
  readonly rules: string[] = [];
  readonly dialects: Dialects;
  private lastId = 0;

  constructor(currentSession: string | null = 's1') {
    this.dialects = new Dialects({
      onRewrite: (kind) => this.rules.push(kind),
      currentSession: () => currentSession ?? undefined,
    });
  }

  /** What the agent's message becomes. Frozen, so that a change of it would be noticed. */
  hear(message: unknown): readonly unknown[] {
    return this.dialects.inbound(frozen(message));
  }

  /** Asks the agent for something; its answer goes to `hear` with the id that comes back. */
  ask(method: string, params: unknown = {}): number {
    this.lastId += 1;
    this.dialects.outbound(frozen(request(this.lastId, method, params)));
    return this.lastId;
  }

  /** What becomes of the result of a request of ours. */
  result(method: string, result: unknown, params: unknown = { sessionId: 's1' }): unknown {
    const heard = this.hear(answer(this.ask(method, params), result));
    return (heard.at(-1) as { result: unknown }).result;
  }

  /** What the agent gets when we answer its request. */
  reply(id: unknown, result: unknown): unknown {
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
