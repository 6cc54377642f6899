import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface WebServer {
  readonly url: string;
  /** The path and the etag of each request. */
  readonly asked: readonly string[];
  /** Stops answering. */
  stop(): Promise<void>;
}

/** A web server that ends with the test. */
export async function aWebServer(
  answer: (path: string, headers: http.IncomingHttpHeaders) => Answer | undefined,
): Promise<WebServer> {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    const path = request.url ?? '/';
    asked.push([path, request.headers['if-none-match']].filter(Boolean).join(' '));
    const { status = 200, headers = {}, body = '' } = answer(path, request.headers) ?? { status: 404 };
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, stop };
}
