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
import type { Disposable } from '../../base/disposable.ts';
import { AcpError } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import { badParam } from '../../base/parse.ts';
import { isRecord } from '../../base/record.ts';
import type { QueueRead } from '../../ports/files.ts';
import type { Log } from '../../ports/log.ts';
import { Dialects } from '../dialects/dialects.ts';
import { separate } from '../transports/joined-chunks.ts';
import type { Transport } from '../transports/transport.ts';
import { watchBacklog } from './answer-backlog.ts';
import { cancellationSender, jsonRpcFilter, rpcLogger } from './jsonrpc-adapter.ts';
import { filterReader, filterWriter, type MessageFilter } from './message-filters.ts';
import { OrderedQueue } from './ordered-queue.ts';
import { PathMap, type PathPairs } from './path-map.ts';
import { ReadGate } from './read-gate.ts';
import { watchRequestIds } from './request-ids.ts';
import { RequestError, toResponseError } from './rpc-errors.ts';
import { trafficFilter } from './traffic-log.ts';

/** Answers one kind of request; an AcpError becomes the matching JSON-RPC error. */
export type RequestHandler = (
  params: Record<string, unknown>,
  withdrawn: AbortSignal,
  queueRead: QueueRead,
) => unknown;

export interface ConnectionOptions {
  readonly transport: Pick<Transport, 'reader' | 'writer' | 'flow'>;
  readonly log: Log;
  /** Called for every session/update, in wire order. */
  onUpdate(params: Record<string, unknown>): void;
  /** The session of messages that have no session id. */
  currentSession(): string | undefined;
  /** Called for every message, unchanged. */
  onMessage?(message: unknown, isOutgoing: boolean): void;
  /** Accept ACP v1 only, no dialects. */
  readonly isStrict: boolean;
  /** Folders on the agent's machine and their local names. */
  readonly paths?: PathPairs;
  /** Whether something depends on which text is in which chunk. */
  needsSingleChunks?(): boolean;
  /** Requests we serve, by method. All others are answered "method not found", except those of `extensions`. */
  readonly handlers: Readonly<Record<string, RequestHandler>>;
  readonly extensions?: ConnectionExtensions;
  /** Notifications we handle besides session/update, by method. */
  readonly listeners?: Readonly<Record<string, (params: Record<string, unknown>) => void>>;
  /** Called for every request that is sent. */
  onRequestSent?(id: string | number, params: unknown): void;
}

/** Methods that are not part of ACP. */
export interface ConnectionExtensions {
  serves(method: string): boolean;
  request(method: string, params: unknown, withdrawn: AbortSignal): Promise<unknown>;
  notify(method: string, params: unknown): void;
}

/** JSON-RPC with an agent. */
export class Connection implements Disposable {
  private readonly rpc: MessageConnection;
  private readonly queue: OrderedQueue;
  private readonly reads = new ReadGate();
  private readonly options: ConnectionOptions;
  private readonly dialects: Dialects;

  constructor(options: ConnectionOptions) {
    this.options = options;
    const { transport, log } = options;
    this.dialects = createDialects(options);
    const filters = messageFilters(options, this.dialects);
    this.queue = new OrderedQueue((message) => this.tryHandleUpdate(message), transport.flow);
    const onFilterError = (error: unknown) => log.error('a message filter failed', error);
    const reader = this.queue.readFrom(filterReader(transport.reader, filters, onFilterError));
    // An agent that does not read its answers must not make us queue more of them.
    const bounded = watchBacklog(filterWriter(transport.writer, filters), {
      onHigh: () => this.holdRequests(),
      onLow: () => this.releaseRequests(),
    });
    const writer = watchRequestIds(bounded, (id, params) => options.onRequestSent?.(id, params));
    this.rpc = createMessageConnection(reader, writer, rpcLogger(log), {
      messageStrategy: this.queue,
      cancellationStrategy: { receiver: CancellationReceiverStrategy.Message, sender: cancellationSender },
    });
    // A broken pipe is reported by the exit of the agent, with the reason.
    this.rpc.onError(([error]) => log.debug(`connection: ${error.message}`));
    this.rpc.onClose(this.logRuleCounts);
    this.registerHandlers(options);
    this.rpc.listen();
  }

  // Asynchronous, because vscode-jsonrpc throws synchronously when the connection is closed.
  async request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    if (!signal) return this.send(method, params);
    if (signal.aborted) throw cancelledError(method);
    const cancellation = new CancellationTokenSource();
    const answer = this.send(method, params, cancellation.token);
    return new Promise((resolve, reject) => {
      // Rejects without waiting for the agent to confirm the cancellation.
      const cancel = () => {
        cancellation.cancel();
        reject(cancelledError(method));
      };
      signal.addEventListener('abort', cancel, { once: true });
      answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancel));
    });
  }

  notify(method: string, params: object): void {
    const send = async () => this.rpc.sendNotification(method, params);
    send().catch((error: unknown) => {
      this.options.log.debug(`${method} was not sent: ${String(error)}`);
    });
  }

  /** The agent has ended. Resolves when every message that was read until now has been handled, except for requests. */
  drained(): Promise<void> {
    this.reads.open();
    return this.queue.drained();
  }

  /** Rejects every pending request and ignores further messages. */
  dispose(): void {
    this.reads.open();
    this.logRuleCounts();
    this.rpc.dispose();
  }

  private holdRequests(): void {
    this.queue.hold();
    this.reads.close();
  }

  private releaseRequests(): void {
    this.reads.open();
    this.queue.release();
  }

  private registerHandlers({ handlers, listeners = {}, extensions, log }: ConnectionOptions): void {
    for (const [method, handler] of Object.entries(handlers)) {
      const request = new RequestType<unknown, unknown, void>(method, ParameterStructures.byName);
      this.rpc.onRequest(request, (params, token) =>
        this.serve((withdrawn) => handler(requireObject(params), withdrawn, this.reads.queueRead), token),
      );
    }
    if (extensions) this.rpc.onRequest((...call) => this.serveExtension(extensions, ...call));
    for (const [method, listener] of Object.entries(listeners)) {
      this.rpc.onNotification(method, (params: unknown) => {
        if (isRecord(params)) listener(params);
      });
    }
    this.rpc.onUnhandledNotification(({ method, params }) => {
      log.debug(`unhandled notification: ${method}`);
      extensions?.notify(method, params);
    });
  }

  private readonly logRuleCounts = once(() => {
    const counts = [...this.dialects.ruleCounts].map(([rule, count]) => `${rule} ×${count}`);
    if (counts.length > 0) this.options.log.info(`dialect rules applied: ${counts.join('; ')}`);
  });

  private async send(method: string, params: object, token?: CancellationToken): Promise<unknown> {
    try {
      return await this.rpc.sendRequest(method, params, ...(token ? [token] : []));
    } catch (error) {
      throw error instanceof ResponseError ? new RequestError(method, error) : error;
    }
  }

  // Updates do not go through vscode-jsonrpc, because it spends an event-loop turn on each message.
  private tryHandleUpdate(message: Message): boolean {
    const { method, params, id } = message as { method?: unknown; params?: unknown; id?: unknown };
    if (method !== 'session/update' || id !== undefined) return false;
    if (!isRecord(params)) return true;
    try {
      this.options.onUpdate(params);
    } catch (error) {
      this.options.log.error('a session/update could not be applied', error);
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

function requireObject(params: unknown): Record<string, unknown> {
  if (!isRecord(params)) throw badParam('params', 'an object', params);
  return params;
}

/**
 * The stages between the wire and JSON-RPC, nearest to the wire first. Incoming messages pass them from first to last,
 * outgoing ones from last to first.
 */
function messageFilters(options: ConnectionOptions, dialects: Dialects): readonly MessageFilter[] {
  const { onMessage, paths = {} } = options;
  const recordTraffic = onMessage ? [trafficFilter(onMessage)] : [];
  const mapPaths = Object.keys(paths).length > 0 ? [new PathMap(paths)] : [];
  const separateChunks: MessageFilter = {
    inbound: (message) => (options.needsSingleChunks?.() ? separate(message) : [message]),
    outbound: (message) => message,
  };
  return [...recordTraffic, separateChunks, dialects, ...mapPaths, jsonRpcFilter];
}

function createDialects({ log, currentSession, isStrict }: ConnectionOptions): Dialects {
  const onRuleApplied = (rule: string) => log.info(`dialect rule applied: ${rule}`);
  return new Dialects({ currentSession, onRuleApplied }, { isStrict });
}

function cancelledError(method: string): AcpError {
  return new AcpError('cancelled', `${method} was cancelled.`);
}
