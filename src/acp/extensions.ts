import { ErrorCodes, ResponseError } from 'vscode-jsonrpc';
import type { Disposable } from '../base.ts';
import { AcpError, messageOf } from '../errors.ts';
import type { AgentLink, SessionSink } from '../ports/agent.ts';
import type { Clock, Editor } from '../ports/host.ts';
import type { ExtensionCall, ExtensionOffer, Extensions } from '../ports/wire.ts';

/** The names that Lua serves; a request has its time limit in milliseconds with it. */
export interface ExtensionNames {
  readonly requests: ReadonlyMap<string, number>;
  readonly notifications: ReadonlySet<string>;
}

interface ExtensionPorts {
  readonly editor: Editor;
  readonly clock: Clock;
  /** The chat that shows a session. */
  chatOf(owner: SessionSink | undefined): number | undefined;
}

/** Something that Lua has to say to an agent; with an id it wants an answer. */
export interface Outgoing {
  readonly id: number | undefined;
  readonly method: string;
  readonly params: unknown;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Methods beyond the protocol that the user's Lua serves. Each request is answered once, whatever Lua does. */
export class LuaExtensions implements Extensions {
  private readonly ports: ExtensionPorts;
  private names: ExtensionNames = { requests: new Map(), notifications: new Set() };
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;

  constructor(ports: ExtensionPorts) {
    this.ports = ports;
  }

  /** Lua tells all of its names whenever they change. */
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
        this.waiting.set(id, { resolve, reject });
        holds.push(
          this.limitTime(call.method, reject),
          onAbort(withdrawn, () => reject(cancelled(call.method))),
        );
        this.ports.editor
          .call('extension.request', { id, ...this.forLua(call) })
          .catch((error: unknown) => this.answer(id, undefined, messageOf(error)));
      });
    } catch (error) {
      throw asResponse(error);
    } finally {
      // Lua may still be at it.
      if (this.waiting.delete(id)) this.ports.editor.tell('extension.forget', { id });
      for (const hold of holds) hold.dispose();
    }
  }

  notify(call: ExtensionCall): void {
    if (this.names.notifications.has(call.method)) {
      this.ports.editor.tell('extension.notification', this.forLua(call));
    }
  }

  /** What Lua answers; what comes too late is of no interest to anybody. */
  answer(id: number, result: unknown, error: string | undefined): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (error !== undefined) waiting?.reject(new Error(error));
    else waiting?.resolve(fromLua(result));
  }

  /** Says something to an agent, and tells Lua what it answers. */
  send(find: () => AgentLink | undefined, { id, method, params }: Outgoing): void {
    const send = async () => {
      const link = find();
      if (!link) throw new AcpError('not_found', 'no agent was started yet');
      if (!method.startsWith('_')) throw new AcpError('bad_params', `${method} does not begin with "_"`);
      if (id === undefined) return link.notify(method, paramsFrom(params));
      const result = await link.request(method, paramsFrom(params));
      this.ports.editor.tell('extension.answered', { id, result: result ?? null });
    };
    send().catch((error: unknown) => {
      if (id !== undefined) this.ports.editor.tell('extension.answered', { id, error: factsOf(error) });
      else
        this.ports.editor.tell('user.notify', { message: `${method}: ${messageOf(error)}`, level: 'error' });
    });
  }

  private limitTime(method: string, reject: (error: Error) => void): Disposable {
    const ms = this.names.requests.get(method) ?? 0;
    return this.ports.clock.after(ms, () =>
      reject(new Error(`${method} was not answered within ${ms / 1_000} s`)),
    );
  }

  private forLua({ owner, agent, session, method, params }: ExtensionCall): object {
    const chat = this.ports.chatOf(owner);
    const context = { agent, ...(chat !== undefined && { chat }), ...(session !== undefined && { session }) };
    return { method, context, ...(params !== undefined && { params }) };
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

/** What an agent said about an error, in its own words. */
function factsOf(error: unknown): object {
  const cause = error instanceof AcpError ? error.cause : undefined;
  if (!(cause instanceof ResponseError)) return { message: messageOf(error) };
  const { code, message, data } = cause as ResponseError<unknown>;
  return { code, message, ...(data !== undefined && { data }) };
}

function cancelled(method: string): AcpError {
  return new AcpError('cancelled', `${method} was withdrawn`);
}

function asResponse(error: unknown): Error {
  return error instanceof AcpError && error.code === 'cancelled'
    ? error
    : new ResponseError(ErrorCodes.InternalError, messageOf(error));
}

function onAbort(signal: AbortSignal, callback: () => void): Disposable {
  if (signal.aborted) callback();
  signal.addEventListener('abort', callback, { once: true });
  return { dispose: () => signal.removeEventListener('abort', callback) };
}
