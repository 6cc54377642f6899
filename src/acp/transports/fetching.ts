import type { AgentSpec } from '../../ports/agent.ts';
import type { Flow } from '../inbox.ts';
import { cookiesOf } from './cookies.ts';
import { BadAnswer } from './trouble.ts';

export type Fetch = typeof globalThis.fetch;

/** Requests to one server. */
export interface Fetching {
  readonly fetch: Fetch;
  readonly cookies: ReturnType<typeof cookiesOf>;
  /** Ends what is under way. */
  destroy(): void;
}

/** Loads what makes requests. An agent may think for longer than the five minutes of Node's own fetch. */
export async function startFetching(spec: AgentSpec, gate: Gate): Promise<Fetching> {
  const { Dispatcher, fetch, Response, MemoryAcpCookieStore } = await import('./libraries.ts');
  const dispatcher = new Dispatcher({ headersTimeout: 0, bodyTimeout: 0, allowH2: true });
  const send = async (url: Parameters<typeof fetch>[0], init?: Parameters<typeof fetch>[1]) => {
    // A server must not pass our headers on to another.
    const response = await fetch(url, { ...init, dispatcher, redirect: 'manual' });
    refuseWebPage(response);
    if (!response.body || !isEventStream(response)) return response;
    return new Response(gate.holding(response.body), response);
  };
  return {
    fetch: send as unknown as Fetch,
    cookies: cookiesOf(spec, MemoryAcpCookieStore),
    destroy: () => void dispatcher.destroy(),
  };
}

type Answer = Pick<globalThis.Response, 'ok'> & { readonly headers: Pick<Headers, 'get'> };

// What is not found or not allowed is often told by a page as well; the status says that better.
function refuseWebPage(response: Answer): void {
  if (response.ok && /\bhtml\b/i.test(response.headers.get('content-type') ?? '')) {
    throw new BadAnswer(0, 'answered with a web page, not with ACP');
  }
}

function isEventStream({ headers }: Answer): boolean {
  return /text\/event-stream/i.test(headers.get('content-type') ?? '');
}

/** Holds up what is read from a server. */
export class Gate implements Flow {
  private opened: Promise<void> = Promise.resolve();
  private open = () => {};

  pause(): void {
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  resume(): void {
    this.open();
  }

  holding<T extends { pipeThrough: ReadableStream<Uint8Array>['pipeThrough'] }>(body: T) {
    return body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: async (chunk, controller) => {
          await this.opened;
          controller.enqueue(chunk);
        },
      }),
    );
  }
}
