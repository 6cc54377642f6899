import fs from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AcpError, messageOf } from '../base/errors.ts';

interface DownloadOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether plain http to this machine is allowed, for a local registry. */
  readonly isLocalAllowed: boolean;
}

const maxRedirects = 5;

/** Fetches a url over https and follows redirects, but only to https. Headers go to no other host. */
export async function fetchHttps(url: string, options: DownloadOptions): Promise<Response> {
  let target = url;
  for (let step = 0; step <= maxRedirects; step += 1) {
    requireHttps(target, options.isLocalAllowed);
    const { signal } = options;
    const isSameHost = new URL(target).origin === new URL(url).origin;
    const headers = isSameHost ? (options.headers ?? {}) : {};
    const response = await fetch(target, { redirect: 'manual', signal, headers }).catch((error: unknown) => {
      throw new AcpError('registry_error', `${target}: ${fetchFailure(error)}`, { cause: error });
    });
    const next = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || next === null) return response;
    await response.body?.cancel();
    target = new URL(next, target).href;
  }
  throw new AcpError('registry_error', `${url} redirects too often`);
}

export async function readResponseText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readLimited(response, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

export async function downloadTo(file: string, url: string, options: DownloadOptions): Promise<void> {
  const response = await fetchHttps(url, options);
  if (!response.ok) throw new AcpError('registry_error', `${url} answered ${response.status}`);
  try {
    const content = Readable.from(readLimited(response, options.maxBytes));
    await pipeline(content, fs.createWriteStream(file, { flags: 'wx', mode: 0o600 }), {
      signal: options.signal,
    });
  } catch (error) {
    if (error instanceof AcpError) throw error;
    throw new AcpError('registry_error', `${url}: ${fetchFailure(error)}`, { cause: error });
  }
}

// The content-length header may be missing or wrong.
async function* readLimited(response: Response, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  if (!response.body) return;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes)
      throw new AcpError('registry_error', `the download is larger than ${maxBytes} bytes`);
    yield chunk;
  }
}

function requireHttps(target: string, isLocalAllowed: boolean): void {
  const { protocol, hostname } = new URL(target);
  if (protocol === 'https:') return;
  if (protocol === 'http:' && isLocalAllowed && isThisMachine(hostname)) return;
  throw new AcpError('registry_error', `${target} does not use https`);
}

/** Whether a url names a server on this machine. */
export function isLocalUrl(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isThisMachine(hostname);
}

function isThisMachine(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

// fetch reports "fetch failed" and puts the reason into the cause.
function fetchFailure(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return messageOf(cause instanceof Error && cause.message !== '' ? cause : error);
}
