import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { once as memoise } from '../../../src/base/once.ts';

/** A web server that ends with the test. */
export async function startWebServer(listener: RequestListener) {
  const server = http.createServer(listener);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A key and a self-signed certificate; undefined without openssl. */
export const certificate = memoise(() => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-tls-'));
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-nodes', '-keyout', key, '-out', cert, '-days', '2'];
  try {
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...files, ...subject], {
      stdio: 'ignore',
    });
    return { key: fs.readFileSync(key), cert: fs.readFileSync(cert) };
  } catch {
    return undefined;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

/** The address of a port on which nothing listens. */
export async function anEmptyHost(): Promise<string> {
  const { server, host } = await startWebServer(() => undefined);
  server.close();
  await once(server, 'close');
  return host;
}

/** The whole body of a request. */
export async function bodyOf(request: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}
