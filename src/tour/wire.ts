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
import { NdjsonReader, NdjsonWriter } from '../acp/ndjson.ts';
import { isRecord } from '../base.ts';

/** The other end, as the tour calls it. */
export interface Client {
  /** Resolves when the client has room for more. */
  notify(method: string, params: object): Promise<void>;
  /** Rejects at once when the signal fires, and takes the request back. */
  request(method: string, params: object, signal: AbortSignal): Promise<unknown>;
}

/** This end, as the client calls it. */
export interface Server {
  answer(method: string, params: unknown, withdrawn: AbortSignal): unknown;
  hear(method: string, params: unknown): void;
}

/** JSON-RPC with the client over a pair of streams. */
export class Wire implements Client {
  private readonly rpc: MessageConnection;

  constructor(input: Readable, output: Writable) {
    const reader = new TourReader(input, (line) => process.stderr.write(`tour: not JSON-RPC: ${line}\n`));
    this.rpc = createMessageConnection(reader, new NdjsonWriter(output), undefined, {
      cancellationStrategy: { receiver: CancellationReceiverStrategy.Message, sender: cancellationSender },
    });
  }

  serve(server: Server): void {
    this.rpc.onRequest((method, params, token) => server.answer(method, params, signalFrom(token)));
    this.rpc.onNotification((method, params) => server.hear(method, params));
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

// ACP's word for taking a request back differs from the one vscode-jsonrpc looks for.
class TourReader extends NdjsonReader {
  override listen(callback: DataCallback) {
    return super.listen((message) => callback(withKnownCancellation(message)));
  }
}

function withKnownCancellation(message: Message): Message {
  const { method, params } = message as { method?: unknown; params?: unknown };
  if (method !== '$/cancel_request' || !isRecord(params)) return message;
  return { ...message, method: '$/cancelRequest', params: { id: params.requestId } } as Message;
}

const cancellationSender = {
  sendCancellation: (rpc: MessageConnection, id: string | number) =>
    rpc.sendNotification('$/cancel_request', { requestId: id }),
  cleanup: () => undefined,
};

function signalFrom(token: CancellationToken): AbortSignal {
  const withdrawn = new AbortController();
  if (token.isCancellationRequested) withdrawn.abort();
  token.onCancellationRequested(() => withdrawn.abort());
  return withdrawn.signal;
}
