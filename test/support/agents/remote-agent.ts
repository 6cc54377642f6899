import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agent } from '@agentclientprotocol/sdk';
import {
  createNodeHttpHandler,
  createNodeWebSocketUpgradeHandler,
} from '@agentclientprotocol/sdk/experimental/node';
import { AcpServer } from '@agentclientprotocol/sdk/experimental/server';
import { onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';

const options = [
  { optionId: 'ok', name: 'Yes', kind: 'allow_once' as const },
  { optionId: 'no', name: 'No', kind: 'reject_once' as const },
];

/** A remote agent that ends with the test. */
export async function startRemoteAgent(): Promise<RemoteAgent> {
  const remote = new RemoteAgent();
  await remote.listen();
  onTestFinished(() => remote.die());
  return remote;
}

/** An agent made with the official SDK that listens on a socket, for HTTP and WebSocket. */
export class RemoteAgent {
  /** The headers of all requests, in order. */
  readonly requests: IncomingMessage['headers'][] = [];
  /** The params of initialize of all clients. */
  readonly hellos: { readonly clientCapabilities?: object | undefined }[] = [];
  private readonly server = http.createServer();
  private readonly sockets = new WebSocketServer({ noServer: true });
  private acp = this.createServer();
  private port = 0;

  constructor() {
    this.server.on('request', (request, response) => {
      this.requests.push(request.headers);
      response.setHeader('Set-Cookie', `affinity=${this.requests.length}; Path=/`);
      createNodeHttpHandler(this.acp)(request, response);
    });
    this.sockets.on('headers', (headers) => headers.push(`Set-Cookie: affinity=${this.requests.length}`));
    this.server.on('upgrade', (request, socket, head) => {
      this.requests.push(request.headers);
      createNodeWebSocketUpgradeHandler(this.acp, this.sockets)(request, socket, head);
    });
  }

  async listen(): Promise<void> {
    this.acp = this.createServer();
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  url(kind: 'http' | 'websocket'): string {
    return `${kind === 'http' ? 'http' : 'ws'}://127.0.0.1:${this.port}/acp`;
  }

  /** Crashes: breaks every connection and stops listening. */
  async die(): Promise<void> {
    const closed = this.server.listening ? once(this.server, 'close') : Promise.resolve();
    this.server.close();
    for (const socket of this.sockets.clients) socket.terminate();
    this.server.closeAllConnections();
    await Promise.all([closed, this.acp.close()]);
  }

  /** Loses all connections, as a restarted server does. */
  async forget(): Promise<void> {
    const { acp } = this;
    this.acp = this.createServer();
    await acp.close();
  }

  private createServer(): AcpServer {
    return new AcpServer({ createAgent: () => this.createAgent() });
  }

  private createAgent() {
    const cancels = new Map<string, () => void>();
    return agent({ name: 'remote' })
      .onRequest('initialize', ({ params }) => {
        this.hellos.push(params);
        return { protocolVersion: 1, agentInfo: { name: 'remote', version: '1.0.0' } };
      })
      .onRequest('session/new', () => ({ sessionId: 'r1' }))
      .onNotification('session/cancel', ({ params }) => cancels.get(params.sessionId)?.())
      .onRequest('session/prompt', async ({ params: { sessionId, prompt }, client }) => {
        const say = (text: string) =>
          client.notify('session/update', {
            sessionId,
            update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
          });
        const [word, rest = ''] = (prompt[0] as { text: string }).text.split(' ');
        if (word === 'count') {
          for (let number = 0; number < Number(rest); number += 1) void say(`${number} `);
          return { stopReason: 'end_turn' };
        }
        if (word === 'ask') {
          const toolCall = { toolCallId: 't1', title: 'ls', status: 'pending' as const };
          const asked = { sessionId, toolCall, options };
          const answer = await client.request('session/request_permission', asked);
          await say(JSON.stringify(answer));
          return { stopReason: 'end_turn' };
        }
        await say('working');
        await new Promise<void>((resolve) => {
          cancels.set(sessionId, resolve);
        });
        return { stopReason: 'cancelled' };
      });
  }
}
