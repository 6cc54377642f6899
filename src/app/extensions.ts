import type { Disposable } from '../base/disposable.ts';
import { AcpError, messageOf } from '../base/errors.ts';
import type { AgentLink, SessionSink } from '../ports/agent.ts';
import type { Clock } from '../ports/clock.ts';
import type { Editor } from '../ports/editor.ts';
import type { ExtensionError, ExtensionMessage } from '../ports/editor-operations.ts';
import type { ExtensionCall, ExtensionOffer, Extensions } from '../ports/extensions.ts';

/** The methods that Lua serves; requests with their time limit in milliseconds. */
interface ExtensionNames {
  readonly requests: ReadonlyMap<string, number>;
  readonly notifications: ReadonlySet<string>;
}

interface ExtensionPorts {
  readonly editor: Editor;
  readonly clock: Clock;
  /** The chat that shows a session. */
  chatOf(owner: SessionSink | undefined): number | undefined;
}

/** A message of Lua for an agent; with an id it is a request. */
interface OutgoingMessage {
  readonly id: number | undefined;
  readonly method: string;
  readonly params: unknown;
}

interface PendingRequest {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The extension methods that the user's Lua serves. Each request is answered once, also if Lua fails or hangs. */
export class LuaExtensions implements Extensions {
  private readonly ports: ExtensionPorts;
  private names: ExtensionNames = { requests: new Map(), notifications: new Set() };
  private readonly pending = new Map<number, PendingRequest>();
  private lastId = 0;

  constructor(ports: ExtensionPorts) {
    this.ports = ports;
  }

  /** Lua sends all names whenever they change. */
  setNames(names: ExtensionNames): void {
    this.names = names;
  }

  get offer(): ExtensionOffer | undefined {
    const { requests, notifications } = this.names;
    if (requests.size === 0 && notifications.size === 0) return undefined;
    return { requests: [...requests.keys()].sort(), notifications: [...notifications].sort() };
  }

  serves(method: string): boolean {
    return this.names.requests.has(method);
  }

  async request(call: ExtensionCall, withdrawn: AbortSignal): Promise<unknown> {
    this.lastId += 1;
    const id = this.lastId;
    const holds: Disposable[] = [];
    try {
      return await new Promise((resolve, reject) => {
        this.pending.set(id, { resolve, reject });
        holds.push(
          this.limitTime(call.method, reject),
          onAbort(withdrawn, () => reject(cancelled(call.method))),
        );
        this.ports.editor
          .call('extension.request', { id, ...this.messageFor(call) })
          .catch((error: unknown) => this.answer(id, undefined, messageOf(error)));
      });
    } catch (error) {
      throw requestError(error);
    } finally {
      // Lua may still be running the handler.
      if (this.pending.delete(id)) this.ports.editor.send('extension.forget', { id });
      for (const hold of holds) hold.dispose();
    }
  }

  notify(call: ExtensionCall): void {
    if (this.names.notifications.has(call.method)) {
      this.ports.editor.send('extension.notification', this.messageFor(call));
    }
  }

  /** The answer of Lua; an answer after the time limit is ignored. */
  answer(id: number, result: unknown, error: string | undefined): void {
    const waiting = this.pending.get(id);
    this.pending.delete(id);
    if (error !== undefined) waiting?.reject(new Error(error));
    else waiting?.resolve(fromLua(result));
  }

  /** Sends a message to an agent, and the answer to Lua. */
  send(find: () => AgentLink | undefined, { id, method, params }: OutgoingMessage): void {
    const send = async () => {
      const link = find();
      if (!link) throw new AcpError('not_found', 'the agent was not started yet');
      if (!method.startsWith('_')) throw new AcpError('bad_params', `${method} must start with "_"`);
      if (id === undefined) return link.agent.notify(method, paramsFrom(params));
      const result = await link.agent.request(method, paramsFrom(params));
      this.ports.editor.send('extension.answered', { id, result: result ?? null });
    };
    send().catch((error: unknown) => {
      if (id !== undefined)
        this.ports.editor.send('extension.answered', { id, error: extensionError(error) });
      else this.ports.editor.notify('error', `${method}: ${messageOf(error)}`);
    });
  }

  private limitTime(method: string, reject: (error: Error) => void): Disposable {
    const ms = this.names.requests.get(method) ?? 0;
    return this.ports.clock.after(ms, () =>
      reject(new Error(`${method} was not answered within ${ms / 1_000} s`)),
    );
  }

  private messageFor({ owner, agent, session, method, params }: ExtensionCall): ExtensionMessage {
    const chat = this.ports.chatOf(owner);
    return { method, context: { agent, chat, session }, params };
  }
}

// An empty Lua table arrives as an empty list.
function fromLua(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? {} : (value ?? null);
}

function paramsFrom(value: unknown): object {
  const params = fromLua(value) ?? {};
  if (typeof params !== 'object') throw new AcpError('bad_params', 'params must be a table');
  return params;
}

/** The error response of the agent, if that is the cause. */
function extensionError(error: unknown): ExtensionError {
  const response = error instanceof AcpError ? error.cause : undefined;
  if (!(response instanceof Error && 'code' in response && typeof response.code === 'number'))
    return { message: messageOf(error) };
  const { code, message } = response;
  return { code, message, data: 'data' in response ? response.data : undefined };
}

function cancelled(method: string): AcpError {
  return new AcpError('cancelled', `${method} was withdrawn`);
}

function requestError(error: unknown): AcpError {
  return error instanceof AcpError && error.code === 'cancelled'
    ? error
    : new AcpError('extension_error', messageOf(error), { cause: error });
}

function onAbort(signal: AbortSignal, callback: () => void): Disposable {
  if (signal.aborted) callback();
  signal.addEventListener('abort', callback, { once: true });
  return { dispose: () => signal.removeEventListener('abort', callback) };
}
