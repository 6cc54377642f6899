import fs from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AcpError, messageOf } from '../errors.ts';

export interface Fetching {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether http to this machine itself will do, as for a registry of one's own. */
  readonly isLocalAllowed: boolean;
}

const maxRedirects = 5;

/** Gets something over https, and follows redirects only to https. */
export async function fetchSafely(url: string, fetching: Fetching): Promise<Response> {
  let place = url;
  for (let step = 0; step <= maxRedirects; step += 1) {
    refuseUnsafe(place, fetching.isLocalAllowed);
    const { signal, headers = {} } = fetching;
    const response = await fetch(place, { redirect: 'manual', signal, headers }).catch((error: unknown) => {
      throw new AcpError('registry_error', `${place}: ${reasonOf(error)}`, { cause: error });
    });
    const next = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || next === null) return response;
    await response.body?.cancel();
    place = new URL(next, place).href;
  }
  throw new AcpError('registry_error', `${url} leads from one place to the next without end`);
}

export async function fetchText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of limited(response, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

export async function downloadTo(file: string, url: string, fetching: Fetching): Promise<void> {
  const response = await fetchSafely(url, fetching);
  if (!response.ok) throw new AcpError('registry_error', `${url} answered ${response.status}`);
  try {
    const content = Readable.from(limited(response, fetching.maxBytes));
    await pipeline(content, fs.createWriteStream(file, { flags: 'wx', mode: 0o600 }), {
      signal: fetching.signal,
    });
  } catch (error) {
    if (error instanceof AcpError) throw error;
    throw new AcpError('registry_error', `${url}: ${reasonOf(error)}`, { cause: error });
  }
}

// The length in the header may be missing or a lie.
async function* limited(response: Response, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  if (!response.body) return;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new AcpError('registry_error', `it is larger than ${maxBytes} bytes`);
    yield chunk;
  }
}

function refuseUnsafe(place: string, isLocalAllowed: boolean): void {
  const { protocol, hostname } = new URL(place);
  if (protocol === 'https:') return;
  if (protocol === 'http:' && isLocalAllowed && isThisMachine(hostname)) return;
  throw new AcpError('registry_error', `${place} is not https`);
}

/** Whether a url is of a server on this machine. */
export function isLocal(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isThisMachine(hostname);
}

function isThisMachine(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

// fetch hides why it failed.
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return messageOf(cause instanceof Error && cause.message !== '' ? cause : error);
}
