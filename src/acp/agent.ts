import { setImmediate as turnOfEvents } from 'node:timers/promises';
import { isRecord, once } from '../base.ts';
import { AcpError } from '../errors.ts';
import type { AgentLink, AgentSpec, KeptSession, Opening, SessionSink } from '../ports/agent.ts';
import type { Log } from '../ports/host.ts';
import type { ExtensionCall, Extensions } from '../ports/wire.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Leash } from '../processes.ts';
import { isElsewhere } from '../program-kinds.ts';
import type { StopReason } from '../session/events.ts';
import type { AgentIdentity, Setting } from '../session/model.ts';
import { type Ability, requireAbility } from './abilities.ts';
import { ChunkJoiner } from './chunk-joiner.ts';
import { Connection, type ConnectionExtensions } from './connection.ts';
import { Elicitations, type Scope } from './elicitation.ts';
import { shakeHands, type Terms } from './handshake.ts';
import { readKeptSessions } from './kept-sessions.ts';
import { askedToolFrom, eventFrom, optionsFrom } from './normalise.ts';
import { loginPageIn, PageLogins } from './page-login.ts';
import { formAskedBy, permissionAnswer } from './permission-form.ts';
import { provisionsFor, tellLeftOut } from './provisions.ts';
import { meantBy, quirksOf } from './quirks.ts';
import { RequestSessions } from './request-ids.ts';
import { Router } from './router.ts';
import { isConnectionEnd, isNotFound, toAcpError } from './rpc-errors.ts';
import { serviceMethods } from './service-methods.ts';
import { changed, changeRequest, settingsFrom } from './settings.ts';
import { TrafficLog } from './traffic.ts';
import type { Transport } from './transport.ts';
import { openTransport } from './transports/open.ts';
import { Turns } from './turns.ts';
import { sessionIdOf, textOf } from './wire.ts';

const nothing = { files: false, terminals: false };

/** One started agent: the way to it, the connection over that, and the sessions on that. */
export class Agent implements AgentLink {
  readonly ready: Promise<AgentIdentity>;
  readonly gone: Promise<AcpError | undefined>;
  readonly traffic = new TrafficLog();
  private readonly spec: AgentSpec;
  private readonly transport: Transport;
  private readonly connection: Connection;
  private readonly router = new Router();
  private readonly joiner = new ChunkJoiner((sessionId, event) => this.router.route(sessionId, event));
  private readonly requests = new RequestSessions();
  private readonly logins = new PageLogins();
  private readonly elicitations = new Elicitations((scope) => this.sinkFor(scope));
  private readonly turns = new Turns();
  private readonly log: Log;
  private quirks = quirksOf(undefined);
  /** Kinds of reports that were logged already. */
  private readonly unknown = new Set<string>();
  /** Sessions whose closing was not answered yet. */
  private readonly closings = new Map<string, Promise<void>>();
  private isEnding = false;

  constructor(
    spec: AgentSpec,
    leash: Leash,
    log: Log,
    offers: Workspace['offers'] = nothing,
    extensions?: Extensions,
    transport = openTransport(spec, leash, log),
  ) {
    this.spec = spec;
    this.log = log;
    this.transport = transport;
    this.connection = new Connection({
      transport: this.transport,
      log,
      isStrict: spec.isStrict ?? false,
      paths: spec.paths ?? {},
      currentSession: () => this.router.current,
      onMessage: this.traffic.add,
      onUpdate: (params) => this.receive(sessionIdOf(params), params.update),
      handlers: {
        'session/request_permission': (params, withdrawn) => this.askPermission(params, withdrawn),
        'elicitation/create': (params, withdrawn) => this.elicitations.create(params, withdrawn),
        ...serviceMethods({
          offers,
          servicesOf: (sessionId) => this.router.sinkOf(sessionId)?.services,
          hasProposals: spec.hasProposals ?? false,
          isMissingEmpty: () => this.quirks.emptyForMissingFile ?? false,
        }),
      },
      ...(extensions && { extensions: this.bind(extensions) }),
      listeners: {
        'elicitation/complete': (params) => this.elicitations.complete(params),
        '_acp.nvim/auth_complete': () => this.logins.complete(),
        '_acp.nvim/end_turn': (params) => this.turns.announceEnd(sessionIdOf(params) ?? ''),
      },
      onRequestSent: (id, params) => this.requests.note(id, isRecord(params) ? params.sessionId : undefined),
    });
    this.gone = this.awaitEnd();
    const reach = this.transport;
    const started = { command: spec.command, isElsewhere: isElsewhere(spec) };
    this.ready = this.greet({ offers, reach, started, offer: extensions?.offer });
    // Nobody may be waiting for the handshake when the agent is ended during it.
    this.ready.catch(() => this.dispose());
  }

  async openSession(opening: Opening, sink: SessionSink, signal?: AbortSignal): Promise<string> {
    const { how, cwd } = opening;
    if (how !== 'new') await this.require(how);
    this.router.beginOpening(sink);
    try {
      // What an agent tells of an earlier session comes before its answer.
      if (opening.sessionId !== undefined) this.router.attach(opening.sessionId, sink);
      const known = opening.sessionId === undefined ? {} : { sessionId: opening.sessionId };
      const provisions = provisionsFor(this.spec, cwd, (await this.ready).abilities);
      const params = { ...known, cwd, ...provisions.params };
      const answer = await this.request(`session/${how}`, params, signal);
      const sessionId = opening.sessionId ?? this.idOfNew(answer);
      this.router.attach(sessionId, sink);
      const settings = settingsFrom(answer);
      if (settings) sink.report({ kind: 'settings', settings });
      tellLeftOut(sink, provisions);
      return sessionId;
    } catch (error) {
      if (opening.sessionId !== undefined) this.router.detach(opening.sessionId);
      throw error;
    } finally {
      this.router.settleOpening(sink);
    }
  }

  async listSessions(cwd: string | undefined, signal?: AbortSignal): Promise<readonly KeptSession[]> {
    await this.require('list');
    return readKeptSessions((params) => this.request('session/list', params, signal), cwd);
  }

  closeSession(sessionId: string): Promise<void> {
    this.router.detach(sessionId);
    const closing = this.close(sessionId);
    this.closings.set(sessionId, closing);
    const forget = () => void this.closings.delete(sessionId);
    closing.then(forget, forget);
    return closing;
  }

  async deleteSession(sessionId: string): Promise<void> {
    await this.require('delete');
    await this.closings.get(sessionId)?.catch(() => undefined);
    await this.dismiss('session/delete', sessionId);
  }

  async change(sessionId: string, setting: Setting, value: string | boolean): Promise<void> {
    const { method, params } = changeRequest(setting, value);
    const answer = await this.request(method, { sessionId, ...params });
    const settings = setting.source === 'option' ? settingsFrom(answer) : undefined;
    this.joiner.take(sessionId, settings ? { kind: 'settings', settings } : changed(setting, value));
  }

  async prompt(sessionId: string, text: string): Promise<StopReason> {
    const prompt = [{ type: 'text', text }];
    this.router.favour(sessionId);
    const turn = this.turns.begin(sessionId);
    try {
      const answer = this.request('session/prompt', { sessionId, prompt });
      return stopReasonIn(await Promise.race([answer, turn.isOver]));
    } finally {
      turn.dispose();
    }
  }

  async authenticate(methodId: string, signal?: AbortSignal): Promise<void> {
    const { authMethods = [] } = await this.ready;
    const method = authMethods.find(({ id }) => id === methodId);
    if (method?.kind !== 'agent') {
      throw new AcpError('unsupported', `${this.spec.name} can't be told to log in by "${methodId}".`);
    }
    const done = new AbortController();
    const asked = this.request('authenticate', { methodId }, signal);
    const answer = await Promise.race([asked, this.logins.completed(done.signal)]).finally(() =>
      done.abort(),
    );
    const page = loginPageIn(answer);
    if (page === undefined) return;
    const { title } = await this.ready;
    const sink = this.sinkFor({ requestId: '' });
    await this.call(() => this.logins.visit(page, title, sink, signal ?? new AbortController().signal));
  }

  async logout(): Promise<void> {
    await this.require('logout');
    await this.request('logout', {});
  }

  notify(method: string, params: object): void {
    this.connection.notify(method, params);
  }

  cancel(sessionId: string): void {
    this.connection.notify('session/cancel', { sessionId });
  }

  dispose(): void {
    void this.end();
  }

  kill(): void {
    void this.transport.kill?.();
    void this.end();
  }

  readonly end = once(async () => {
    this.isEnding = true;
    this.connection.dispose();
    await this.transport.end();
  });

  sharesProgramWith(other: AgentLink): boolean {
    return other === this;
  }

  endProgram(): Promise<void> {
    return this.end();
  }

  private bind(extensions: Extensions): ConnectionExtensions {
    const call = (method: string, params: unknown): ExtensionCall => {
      const named = isRecord(params) ? textOf(params.sessionId) : undefined;
      const session = named ?? this.router.current;
      return { owner: this.router.ownerOf(session), agent: this.spec.name, session, method, params };
    };
    return {
      serves: (method) => extensions.serves(method),
      request: (method, params, withdrawn) => extensions.request(call(method, params), withdrawn),
      notify: (method, params) => extensions.notify(call(method, params)),
    };
  }

  private async greet(terms: Terms): Promise<AgentIdentity> {
    const identity = await this.call(() => shakeHands(this.connection, this.spec.name, terms));
    this.quirks = quirksOf(identity.program);
    return identity;
  }

  private receive(sessionId: string | undefined, update: unknown): void {
    // What names no session is about nothing we could show.
    if (sessionId === undefined) return;
    const childId = isRecord(update) && update.sessionUpdate === 'subagent_update' && sessionIdOf(update);
    if (childId) return this.router.adopt(childId, sessionId)?.describe(update as Record<string, unknown>);
    const event = meantBy(eventFrom(update), this.quirks);
    if (event.kind === 'nothing') return;
    if (event.kind === 'unknown' && !this.unknown.has(event.name)) {
      this.unknown.add(event.name);
      this.log.info(`${this.spec.name} reports what is not understood here: ${event.name}`);
    }
    this.joiner.take(sessionId, event);
  }

  private idOfNew(answer: unknown): string {
    const sessionId = isRecord(answer) ? textOf(answer.sessionId) : undefined;
    if (sessionId !== undefined) return sessionId;
    throw new AcpError('agent_error', `${this.spec.name} opened a session without an id.`, {
      hint: 'This is a fault of the agent; :AcpRestart tries again.',
    });
  }

  private async require(ability: Ability): Promise<void> {
    const { title, abilities = {} } = await this.ready;
    requireAbility(title, abilities, ability);
  }

  private async close(sessionId: string): Promise<void> {
    await this.require('close');
    // The answers to what it asked are on their way, and go first.
    await turnOfEvents();
    await this.dismiss('session/close', sessionId);
  }

  // What is not there any more is as good as gone.
  private async dismiss(method: string, sessionId: string): Promise<void> {
    try {
      await this.request(method, { sessionId });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  // An agent may die with its last words still on their way to those who wait for them.
  private async awaitEnd(): Promise<AcpError | undefined> {
    const reason = await this.transport.gone;
    await this.connection.settled();
    this.traffic.end();
    return this.isEnding ? undefined : reason;
  }

  request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    return this.call(() => this.connection.request(method, params, signal));
  }

  // A request stays unanswered for ever when its agent dies, so every call also waits for that.
  private async call<T>(request: () => Promise<T>): Promise<T> {
    const death = this.gone.then((error) => {
      throw error ?? new AcpError('cancelled', `${this.spec.name} was ended.`);
    });
    try {
      return await Promise.race([request(), death]);
    } catch (error) {
      // The end of the transport tells more than that of the connection.
      if (isConnectionEnd(error)) await death;
      throw toAcpError(this.spec.name, error);
    }
  }

  private async askPermission(params: Record<string, unknown>, withdrawn: AbortSignal): Promise<unknown> {
    const sessionId = sessionIdOf(params);
    if (this.router.hasLeft(sessionId ?? '')) return { outcome: { outcome: 'cancelled' } };
    const sink = this.router.sinkOf(sessionId);
    const tool = askedToolFrom(params.toolCall);
    if (!tool) throw new AcpError('bad_params', 'toolCall.toolCallId must be a string');
    if (!sink) throw new AcpError('not_found', `no session ${sessionId ?? ''}`);
    const elicitation = formAskedBy(params, this.quirks);
    if (elicitation) {
      const { toolCallId } = tool;
      sink.report({ kind: 'tool', patch: tool });
      return permissionAnswer(params, await sink.elicit({ elicitation, toolCallId, withdrawn }));
    }
    const optionId = await sink.ask({ tool, options: optionsFrom(params.options), withdrawn });
    return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
  }

  // A request outside of sessions, such as a login, is made for the one that was used last.
  private sinkFor(scope: Scope): SessionSink {
    const id = 'sessionId' in scope ? scope.sessionId : this.requests.sessionOf(scope.requestId);
    const sink = this.router.sinkOf(id);
    if (!sink) throw new AcpError('not_found', `no session ${id ?? 'is open'}`);
    return sink;
  }
}

function stopReasonIn(answer: unknown): StopReason {
  return (isRecord(answer) ? textOf(answer.stopReason) : undefined) ?? 'end_turn';
}
