import type { MessageWriter } from 'vscode-jsonrpc';

/** A writer that tells the id of each request, which vscode-jsonrpc keeps to itself and agents refer to. */
export function watchingRequests(
  writer: MessageWriter,
  onRequest: (id: string | number, params: unknown) => void,
): MessageWriter {
  return {
    onError: writer.onError,
    onClose: writer.onClose,
    write: (message) => {
      const { id, method, params } = message as { id?: unknown; method?: unknown; params?: unknown };
      const isRequest = method !== undefined && (typeof id === 'string' || typeof id === 'number');
      if (isRequest) onRequest(id, params);
      return writer.write(message);
    },
    end: () => writer.end(),
    dispose: () => writer.dispose(),
  };
}

const maxKept = 1_000;

/** Which session our requests were about, as far back as an agent may still refer to them. */
export class RequestSessions {
  private readonly sessions = new Map<string | number, string>();

  note(id: string | number, sessionId: unknown): void {
    if (typeof sessionId !== 'string') return;
    this.sessions.set(id, sessionId);
    if (this.sessions.size <= maxKept) return;
    for (const oldest of this.sessions.keys()) {
      this.sessions.delete(oldest);
      break;
    }
  }

  sessionOf(id: string | number): string | undefined {
    return this.sessions.get(id);
  }
}
