import type { MessageWriter } from 'vscode-jsonrpc';
import { BoundedMap } from '../../base/bounded-map.ts';
import { wrapWriter } from './message-filters.ts';

/** Reports the id of every request that is sent: agents refer to it, but vscode-jsonrpc does not expose it. */
export function watchRequestIds(
  writer: MessageWriter,
  onRequest: (id: string | number, params: unknown) => void,
): MessageWriter {
  return wrapWriter(writer, (message) => {
    const { id, method, params } = message as { id?: unknown; method?: unknown; params?: unknown };
    const isRequest = method !== undefined && (typeof id === 'string' || typeof id === 'number');
    if (isRequest) onRequest(id, params);
    return writer.write(message);
  });
}

const maxRequests = 1_000;

/** The sessions of the latest requests, by request id. */
export class RequestSessions {
  private readonly sessions = new BoundedMap<string | number, string>(maxRequests);

  record(id: string | number, sessionId: unknown): void {
    if (typeof sessionId === 'string') this.sessions.set(id, sessionId);
  }

  sessionOf(id: string | number): string | undefined {
    return this.sessions.get(id);
  }
}
