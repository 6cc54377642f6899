import type { Readable, Writable } from 'node:stream';
import {
  CancellationReceiverStrategy,
  type CancellationToken,
  CancellationTokenSource,
  createMessageConnection,
  type DataCallback,
  type Message,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import { NdjsonReader, NdjsonWriter } from '../acp/transports/stdio/ndjson.ts';
import { isRecord } from '../base/record.ts';

/** Sends messages to the client. */
export interface TourClient {
  /** Resolves when the client can accept more. */
  notify(method: string, params: object): Promise<void>;
  /** When the signal fires, rejects immediately and cancels the request. */
  request(method: string, params: object, signal: AbortSignal): Promise<unknown>;
}

/** Handles messages from the client. */
export interface RequestServer {
  handleRequest(method: string, params: unknown, withdrawn: AbortSignal): unknown;
  handleNotification(method: string, params: unknown): void;
}

/** A JSON-RPC connection to the client over two streams. */
export class ClientConnection implements TourClient {
  private readonly rpc: MessageConnection;

  constructor(input: Readable, output: Writable) {
    const reader = new TourReader(input, (line) => process.stderr.write(`tour: not JSON-RPC: ${line}\n`));
    this.rpc = createMessageConnection(reader, new NdjsonWriter(output), undefined, {
      cancellationStrategy: {
        receiver: CancellationReceiverStrategy.Message,
        sender: tourCancellationSender,
      },
    });
  }

  serve(server: RequestServer): void {
    this.rpc.onRequest((method, params, token) => server.handleRequest(method, params, signalOf(token)));
    this.rpc.onNotification((method, params) => server.handleNotification(method, params));
    this.rpc.listen();
  }

  onClose(listener: () => void): void {
    this.rpc.onClose(listener);
  }

  notify(method: string, params: object): Promise<void> {
    return this.rpc.sendNotification(method, params);
  }

  request(method: string, params: object, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    const withdrawal = new CancellationTokenSource();
    return new Promise((resolve, reject) => {
      const withdraw = () => {
        withdrawal.cancel();
        reject(signal.reason);
      };
      signal.addEventListener('abort', withdraw, { once: true });
      const answer = this.rpc.sendRequest(method, params, withdrawal.token);
      answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', withdraw));
    });
  }
}

// ACP names the cancel notification differently from vscode-jsonrpc.
class TourReader extends NdjsonReader {
  override listen(callback: DataCallback) {
    return super.listen((message) => callback(withCancelMethod(message)));
  }
}

function withCancelMethod(message: Message): Message {
  const { method, params } = message as { method?: unknown; params?: unknown };
  if (method !== '$/cancel_request' || !isRecord(params)) return message;
  return { ...message, method: '$/cancelRequest', params: { id: params.requestId } } as Message;
}

const tourCancellationSender = {
  sendCancellation: (rpc: MessageConnection, id: string | number) =>
    rpc.sendNotification('$/cancel_request', { requestId: id }),
  cleanup: () => undefined,
};

function signalOf(token: CancellationToken): AbortSignal {
  const withdrawn = new AbortController();
  if (token.isCancellationRequested) withdrawn.abort();
  token.onCancellationRequested(() => withdrawn.abort());
  return withdrawn.signal;
}
