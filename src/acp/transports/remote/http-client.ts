import type { MemoryAcpCookieStore } from '@agentclientprotocol/sdk/experimental/http-client';
import type { AgentSpec } from '../../../ports/agent.ts';
import type { FlowControl } from '../flow-control.ts';
import { limitAnswers } from './answer-limits.ts';
import { UnexpectedResponse } from './connection-errors.ts';

type FetchFunction = typeof globalThis.fetch;

/** Sends requests to one server. */
export interface HttpClient {
  readonly fetch: FetchFunction;
  readonly cookies: MemoryAcpCookieStore;
  /** Aborts the running requests and closes the connections. */
  end(): Promise<void>;
}

/** The cookies of remote agents. They are kept per spec, so that a chat still has them after a reconnect. */
export class CookieJars {
  private readonly jars = new WeakMap<AgentSpec, MemoryAcpCookieStore>();

  jarFor(spec: AgentSpec, create: new () => MemoryAcpCookieStore): MemoryAcpCookieStore {
    const jar = this.jars.get(spec) ?? new create();
    this.jars.set(spec, jar);
    return jar;
  }
}

export const maxHttpMessageBytes = 256 * 1024 * 1024;

export interface HttpLimits {
  /** Of every response, decompressed. Without it, only event streams have no end. */
  readonly maxBytes?: number;
  /** From the first byte of a response to the end of its headers. */
  readonly headMs?: number;
}

/** Creates a client that waits for a response: an agent may take longer than the five minutes of Node's own fetch. */
export async function createHttpClient(
  spec: AgentSpec,
  flow: FlowGate,
  jars: CookieJars,
  { maxBytes, headMs = 20_000 }: HttpLimits = {},
): Promise<HttpClient> {
  const { Dispatcher, fetch, MemoryAcpCookieStore, Response } = await import('./remote-libraries.ts');
  const connections = new Dispatcher({ headersTimeout: 0, bodyTimeout: 0, allowH2: true });
  const dispatcher = connections.compose(limitAnswers(headMs));
  const send = async (url: Parameters<typeof fetch>[0], init?: Parameters<typeof fetch>[1]) => {
    // Following a redirect would send our secret headers to another server.
    const response = await fetch(url, { ...init, dispatcher, redirect: 'manual' });
    rejectWebPage(response);
    if (!response.body) return response;
    const isEndless = maxBytes === undefined && isEventStream(response);
    const body = isEndless ? flow.throttle(response.body) : limit(response.body, maxBytes);
    return new Response(body, response);
  };
  return {
    fetch: send as unknown as FetchFunction,
    cookies: jars.jarFor(spec, MemoryAcpCookieStore),
    end: () => connections.destroy(),
  };
}

type ResponseHead = Pick<globalThis.Response, 'ok'> & { readonly headers: Pick<Headers, 'get'> };

// Only for successful responses: error pages are HTML too, and their status explains more.
function rejectWebPage(response: ResponseHead): void {
  if (response.ok && /\bhtml\b/i.test(response.headers.get('content-type') ?? '')) {
    throw new UnexpectedResponse(0, 'answered with a web page, not with ACP');
  }
}

export function isEventStream({ headers }: ResponseHead): boolean {
  return /text\/event-stream/i.test(headers.get('content-type') ?? '');
}

// A few kilobytes could be decompressed to gigabytes, and a response may have no end.
function limit<T extends { pipeThrough: ReadableStream<Uint8Array>['pipeThrough'] }>(
  body: T,
  maxBytes = maxHttpMessageBytes,
) {
  let bytes = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw new UnexpectedResponse(0, `answered with more than ${maxBytes} bytes`);
        controller.enqueue(chunk);
      },
    }),
  );
}

/** Backpressure for event streams: delays the chunks of a body while paused. */
export class FlowGate implements FlowControl {
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

  throttle<T extends { pipeThrough: ReadableStream<Uint8Array>['pipeThrough'] }>(body: T) {
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
