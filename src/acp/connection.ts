import {
  CancellationReceiverStrategy,
  type CancellationToken,
  CancellationTokenSource,
  createMessageConnection,
  ErrorCodes,
  type Message,
  type MessageConnection,
  ParameterStructures,
  RequestType,
  ResponseError,
} from 'vscode-jsonrpc/node';
import { type Disposable, isRecord, shorten } from '../base.ts';
import { AcpError } from '../errors.ts';
import type { Log } from '../ports/host.ts';
import { watchingBacklog } from './answer-backlog.ts';
import { Dialects } from './dialects/dialects.ts';
import { readingDialects, type Translator, writingDialects } from './dialects/streams.ts';
import { Inbox } from './inbox.ts';
import { PathMap, type PathPairs } from './path-map.ts';
import { watchingRequests } from './request-ids.ts';
import { RequestError, rpcCodes } from './rpc-errors.ts';
import { tap } from './traffic.ts';
import type { Transport } from './transport.ts';

const maxLogged = 500;

/** Answers one kind of request; an AcpError becomes the matching JSON-RPC error. */
export type RequestHandler = (params: Record<string, unknown>, withdrawn: AbortSignal) => unknown;

export interface ConnectionOptions {
  readonly transport: Pick<Transport, 'reader' | 'writer' | 'flow'>;
  readonly log: Log;
  /** Every session/update, in the order of the wire and before whatever was sent after it. */
  onUpdate(params: Record<string, unknown>): void;
  /** The session that messages are about that name none. */
  currentSession(): string | undefined;
  /** Every message as it stands on the wire. */
  onMessage?(message: unknown, isOutgoing: boolean): void;
  /** Other ways of speaking than ACP v1 are not understood. */
  readonly isStrict: boolean;
  /** Folders of the agent's machine and what they are called here. */
  readonly paths?: PathPairs;
  /** Methods we serve. All others are answered "method not found", but for those of `extensions`. */
  readonly handlers: Readonly<Record<string, RequestHandler>>;
  readonly extensions?: ConnectionExtensions;
  /** Notifications we understand, beside the updates. */
  readonly listeners?: Readonly<Record<string, (params: Record<string, unknown>) => void>>;
  /** A request of ours is on its way under this id. */
  onRequestSent?(id: string | number, params: unknown): void;
}

/** Methods beyond the protocol. */
export interface ConnectionExtensions {
  serves(method: string): boolean;
  request(method: string, params: unknown, withdrawn: AbortSignal): Promise<unknown>;
  notify(method: string, params: unknown): void;
}

/** JSON-RPC with an agent. */
export class Connection implements Disposable {
  private readonly rpc: MessageConnection;
  private readonly inbox: Inbox;
  private readonly options: ConnectionOptions;

  constructor(options: ConnectionOptions) {
    this.options = options;
    const { transport, log } = options;
    const dialects = new Dialects(
      {
        currentSession: options.currentSession,
        onRewrite: (kind) => log.info(`dialect of the agent: ${kind}`),
      },
      { isStrict: options.isStrict },
    );
    const listen = options.onMessage ?? (() => undefined);
    // The first stands nearest to the wire.
    const translators = [tap(listen), dialects, ...pathMaps(options.paths)].map((one) => enduring(one, log));
    const reader = translators.reduce(readingDialects, transport.reader);
    const written = translators.reduce(writingDialects, transport.writer);
    // An agent that does not read its answers gets no more of them: its requests are not read either.
    const bounded = watchingBacklog(written, (isFull) => this.inbox.hold(isFull));
    const writer = watchingRequests(bounded, (id, params) => options.onRequestSent?.(id, params));
    const take = (message: Message) => {
      mendError(message);
      return translateCancellation(message) || this.takeUpdate(message);
    };
    this.inbox = new Inbox(take, transport.flow);
    this.rpc = createMessageConnection(this.inbox.reading(reader), writer, rpcLogger(log), {
      messageStrategy: this.inbox,
      cancellationStrategy: { receiver: CancellationReceiverStrategy.Message, sender: cancellationSender },
    });
    for (const [method, handler] of Object.entries(options.handlers)) {
      const request = new RequestType<unknown, unknown, void>(method, ParameterStructures.byName);
      this.rpc.onRequest(request, (params, token) =>
        this.serve((withdrawn) => handler(objectFrom(params), withdrawn), token),
      );
    }
    const { extensions } = options;
    if (extensions) this.rpc.onRequest((...call) => this.serveExtension(extensions, ...call));
    for (const [method, listener] of Object.entries(options.listeners ?? {})) {
      this.rpc.onNotification(method, (params: unknown) => {
        if (isRecord(params)) listener(params);
      });
    }
    // A broken pipe ends the connection; the agent's exit tells the reason.
    this.rpc.onError(([error]) => log.debug(`connection: ${error.message}`));
    this.rpc.onUnhandledNotification(({ method, params }) => {
      log.debug(`notification beyond the protocol: ${method}`);
      extensions?.notify(method, params);
    });
    this.rpc.listen();
  }

  // Both are asynchronous functions because vscode-jsonrpc throws at once when the connection is closed.
  async request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    if (!signal) return this.send(method, params);
    if (signal.aborted) throw takenBack(method);
    const withdrawal = new CancellationTokenSource();
    const answer = this.send(method, params, withdrawal.token);
    return new Promise((resolve, reject) => {
      // The agent is told, and whatever it answers then is of no interest.
      const withdraw = () => {
        withdrawal.cancel();
        reject(takenBack(method));
      };
      signal.addEventListener('abort', withdraw, { once: true });
      answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', withdraw));
    });
  }

  notify(method: string, params: object): void {
    const send = async () => this.rpc.sendNotification(method, params);
    send().catch((error: unknown) => {
      this.options.log.debug(`${method} was not sent: ${String(error)}`);
    });
  }

  /** Resolves when everything that was read until now was handed on. */
  settled(): Promise<void> {
    return this.inbox.settled();
  }

  /** Rejects every request that is still waiting for its answer; what comes in from here on is ignored. */
  dispose(): void {
    this.rpc.dispose();
  }

  private async send(method: string, params: object, token?: CancellationToken): Promise<unknown> {
    try {
      return await this.rpc.sendRequest(method, params, ...(token ? [token] : []));
    } catch (error) {
      throw error instanceof ResponseError ? new RequestError(method, error) : error;
    }
  }

  private takeUpdate(message: Message): boolean {
    const { method, params, id } = message as { method?: unknown; params?: unknown; id?: unknown };
    if (method !== 'session/update' || id !== undefined) return false;
    if (!isRecord(params)) return true;
    try {
      this.options.onUpdate(params);
    } catch (error) {
      this.options.log.error('a session/update was not applied', error);
    }
    return true;
  }

  private serveExtension(
    extensions: ConnectionExtensions,
    method: string,
    params: unknown,
    token: CancellationToken,
  ): Promise<unknown> {
    if (!extensions.serves(method))
      throw new ResponseError(ErrorCodes.MethodNotFound, `Unhandled method ${method}`);
    return this.serve((withdrawn) => extensions.request(method, params, withdrawn), token);
  }

  private async serve(run: (withdrawn: AbortSignal) => unknown, token: CancellationToken): Promise<unknown> {
    const withdrawn = new AbortController();
    if (token.isCancellationRequested) withdrawn.abort();
    const listening = token.onCancellationRequested(() => withdrawn.abort());
    try {
      return await run(withdrawn.signal);
    } catch (error) {
      throw toResponseError(error, this.options.log);
    } finally {
      listening.dispose();
    }
  }
}

function objectFrom(params: unknown): Record<string, unknown> {
  if (!isRecord(params)) throw new AcpError('bad_params', 'params must be an object');
  return params;
}

// A message that a translator fails at is left as it is. Nobody would catch the error, and it would end the host.
function enduring(translator: Translator, log: Log): Translator {
  return {
    inbound: (message) => {
      try {
        return translator.inbound(message);
      } catch (error) {
        log.error('a message was not translated', error);
        return [message];
      }
    },
    outbound: (message) => translator.outbound(message),
  };
}

// Most agents run here, and their messages should cost nothing more.
function pathMaps(pairs: PathPairs = {}): readonly PathMap[] {
  return Object.keys(pairs).length === 0 ? [] : [new PathMap(pairs)];
}

// ACP's word for taking a request back differs from the one vscode-jsonrpc knows, which throws at an id it can't look up.
// True when there is nothing left to be handled.
function translateCancellation(message: Message): boolean {
  const { method, params, id } = message as { method?: unknown; params?: unknown; id?: unknown };
  if (id !== undefined || (method !== '$/cancel_request' && method !== '$/cancelRequest')) return false;
  const requestId = isRecord(params) ? (params.requestId ?? params.id) : undefined;
  if (typeof requestId !== 'string' && typeof requestId !== 'number') return true;
  Object.assign(message, { method: '$/cancelRequest', params: { id: requestId } });
  return false;
}

// vscode-jsonrpc fails at an error whose message is no text, and whoever waits for the answer would wait for ever. One
// without a code it gives a code that means something in ACP.
function mendError(message: Message): void {
  const { method, error } = message as { method?: unknown; error?: unknown };
  if (method !== undefined || !isRecord(error)) return;
  const text = typeof error.message === 'string' ? error.message : '';
  const code = typeof error.code === 'number' ? error.code : rpcCodes.internal;
  if (text === error.message && code === error.code) return;
  Object.assign(message, { error: { ...error, message: text, code } });
}

const cancellationSender = {
  sendCancellation: async (rpc: MessageConnection, id: string | number) =>
    rpc.sendNotification('$/cancel_request', { requestId: id }),
  cleanup: () => undefined,
};

function takenBack(method: string): AcpError {
  return new AcpError('cancelled', `${method} was taken back.`);
}

function toResponseError(error: unknown, log: Log): unknown {
  if (error instanceof ResponseError) return error;
  if (!(error instanceof AcpError)) {
    log.error('a request of the agent failed', error);
    return error;
  }
  const codes: Partial<Record<AcpError['code'], number>> = {
    bad_params: rpcCodes.badParams,
    not_found: rpcCodes.notFound,
    cancelled: rpcCodes.cancelled,
    denied: rpcCodes.badParams,
    file_error: rpcCodes.internal,
  };
  const code = codes[error.code];
  return code === undefined ? error : new ResponseError(code, error.message, error.data);
}

// It logs whole messages that it does not understand.
function rpcLogger(log: Log) {
  const warn = (message: string) => log.warn(`json-rpc: ${shorten(message, maxLogged)}`);
  const debug = (message: string) => log.debug(`json-rpc: ${shorten(message, maxLogged)}`);
  return { error: warn, warn, info: debug, log: debug };
}
