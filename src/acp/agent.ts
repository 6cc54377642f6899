import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { AcpError } from '../base/errors.ts';
import type { AgentIdentity, Setting } from '../model/agent.ts';
import type { Prompt } from '../model/prompt.ts';
import type { AgentEvent, NoticeEvent, StopReason } from '../model/session-events.ts';
import type {
  AgentCalls,
  AgentLink,
  AgentSpec,
  OpenSessionOptions,
  SessionSink,
  SteeringOutcome,
  StoredSession,
} from '../ports/agent.ts';
import type { ExtensionOffer, Extensions } from '../ports/extensions.ts';
import type { Log } from '../ports/log.ts';
import type { Traffic } from '../ports/traffic.ts';
import type { Workspace } from '../ports/workspace.ts';
import { isRemoteAgent } from '../system/program-kinds.ts';
import { AgentConnection } from './connection/agent-connection.ts';
import { RequestSessions } from './connection/request-ids.ts';
import { isNotFound } from './connection/rpc-errors.ts';
import { type Capability, requireCapability } from './decode/capabilities.ts';
import { asRecord, asString, sessionIdOf } from './decode/fields.ts';
import { listSessions } from './decode/list-sessions.ts';
import { dependsOnChunks, quirksOf } from './decode/quirks.ts';
import { decodeSettings, encodeSettingChange, settingChangeEvent } from './decode/settings.ts';
import { decodeTurnTokens } from './decode/turn-tokens.ts';
import { encodePrompt } from './encode/prompt.ts';
import { decodeQwenSuggestion } from './extensions/prompt-suggestions.ts';
import { decodeSteering, steeringMethod, steeringParams } from './extensions/steering.ts';
import { BrowserLogins, decodeLoginUrl } from './handlers/browser-login.ts';
import { clientMethods } from './handlers/client-methods.ts';
import { type ElicitationScope, Elicitations } from './handlers/elicitation.ts';
import { bindExtensions } from './handlers/extension-calls.ts';
import { askPermission } from './handlers/permission.ts';
import { SessionRouter } from './handlers/session-router.ts';
import { TurnEnds } from './handlers/turn-end.ts';
import { UpdateHandler } from './handlers/updates.ts';
import { oldNodeNotice } from './setup/old-node.ts';
import { reportOmissions, sessionSetupFor } from './setup/session-setup.ts';
import type { Transport } from './transports/transport.ts';

interface AgentOptions {
  readonly transport: Transport;
  readonly log: Log;
  /** The services that agents are offered; none by default. */
  readonly offers?: Workspace['offers'];
  readonly extensions?: Extensions | undefined;
}

/** A started agent: its transport, the connection and the sessions. */
export class Agent implements AgentLink, AgentCalls {
  readonly ready: Promise<AgentIdentity>;
  readonly gone: Promise<AcpError | undefined>;
  readonly traffic: Traffic;
  private readonly spec: AgentSpec;
  private readonly connection: AgentConnection;
  private readonly router = new SessionRouter();
  private readonly updates: UpdateHandler;
  private readonly requestSessions = new RequestSessions();
  private readonly logins = new BrowserLogins();
  private readonly elicitations = new Elicitations((scope) => this.sinkFor(scope));
  private readonly turns = new TurnEnds();
  private quirks = quirksOf(undefined);
  private oldNode: Promise<NoticeEvent | undefined> | undefined;
  /** The requests to close a session that are not answered yet, by session id. */
  private readonly closings = new Map<string, Promise<void>>();

  constructor(spec: AgentSpec, options: AgentOptions) {
    this.spec = spec;
    const { log, offers = { files: false, terminals: false }, extensions } = options;
    const quirks = () => this.quirks;
    this.updates = new UpdateHandler({ agentName: spec.name, router: this.router, log, quirks });
    this.connection = this.connect(options, offers);
    this.gone = this.connection.gone;
    this.traffic = this.connection.traffic;
    this.ready = this.shakeHands(offers, extensions?.offer);
    this.oldNode = oldNodeNotice(spec, this.ready).catch(() => undefined);
    // Nobody may be awaiting the handshake when it fails.
    this.ready
      .catch(() => this.end())
      .catch((error: unknown) => log.error(`${spec.name} could not be ended`, error));
  }

  get title(): string {
    return this.connection.agentTitle;
  }

  get agent(): this {
    return this;
  }

  async openSession(options: OpenSessionOptions, sink: SessionSink, signal?: AbortSignal): Promise<string> {
    const { method, cwd } = options;
    // The session that is forked may be open in another chat.
    const continuedId = method === 'fork' ? undefined : options.sessionId;
    if (method !== 'new') await this.require(method);
    this.router.beginOpening(sink);
    try {
      // Agents replay an earlier session before they answer the request.
      if (continuedId !== undefined) this.router.attach(continuedId, sink);
      const known = options.sessionId === undefined ? {} : { sessionId: options.sessionId };
      const setup = sessionSetupFor(this.spec, cwd, (await this.ready).capabilities);
      const params = { ...known, cwd, ...setup.params };
      const answer = await this.request(`session/${method}`, params, signal);
      const sessionId = continuedId ?? this.newSessionId(answer);
      this.router.attach(sessionId, sink);
      const settings = decodeSettings(answer);
      if (settings) sink.report({ kind: 'settings', settings });
      reportOmissions(this.title, sink, setup);
      await this.reportOldNode(sink);
      return sessionId;
    } catch (error) {
      if (continuedId !== undefined) this.router.detach(continuedId);
      throw error;
    } finally {
      this.router.endOpening(sink);
    }
  }

  async listSessions(cwd: string | undefined, signal?: AbortSignal): Promise<readonly StoredSession[]> {
    await this.require('list');
    return listSessions((params) => this.request('session/list', params, signal), cwd);
  }

  closeSession(sessionId: string): Promise<void> {
    this.router.detach(sessionId);
    const closing = this.close(sessionId).finally(() => this.closings.delete(sessionId));
    this.closings.set(sessionId, closing);
    return closing;
  }

  async deleteSession(sessionId: string): Promise<void> {
    await this.require('delete');
    await this.closings.get(sessionId)?.catch(() => undefined);
    await this.requestRemoval('session/delete', sessionId);
  }

  async setTitle(sessionId: string, title: string): Promise<string> {
    await this.require('title');
    const answer = await this.request('session/set_title', { sessionId, title });
    return asString(asRecord(answer).title) ?? title;
  }

  async change(sessionId: string, setting: Setting, value: string | boolean): Promise<void> {
    const { method, params } = encodeSettingChange(setting, value);
    const answer = await this.request(method, { sessionId, ...params });
    const settings = setting.source === 'option' ? decodeSettings(answer) : undefined;
    this.updates.deliver(
      sessionId,
      settings ? { kind: 'settings', settings } : settingChangeEvent(setting, value),
    );
  }

  async prompt(sessionId: string, prompt: Prompt): Promise<StopReason> {
    this.router.markUsed(sessionId);
    const blocks = await this.encode(sessionId, prompt);
    const turn = this.turns.begin(sessionId);
    try {
      const answer = this.request('session/prompt', { sessionId, prompt: blocks });
      const end = await Promise.race([answer, turn.ended]);
      const tokens = decodeTurnTokens(end);
      if (tokens !== undefined) this.updates.deliver(sessionId, { kind: 'turn_tokens', tokens });
      return stopReasonIn(end);
    } finally {
      turn.dispose();
    }
  }

  async steer(sessionId: string, prompt: Prompt): Promise<SteeringOutcome> {
    const blocks = await this.encode(sessionId, prompt);
    const answer = await this.request(steeringMethod, steeringParams(sessionId, blocks));
    return decodeSteering(this.title, answer);
  }

  async authenticate(methodId: string, signal?: AbortSignal): Promise<void> {
    const { title, authMethods = [] } = await this.ready;
    const method = authMethods.find(({ id }) => id === methodId);
    if (method?.kind !== 'agent') {
      throw new AcpError('unsupported', `${title} has no login method "${methodId}" of its own.`);
    }
    const answer = await this.logins.untilAnsweredOrCompleted(
      this.request('authenticate', { methodId }, signal),
    );
    const url = decodeLoginUrl(answer);
    if (url === undefined) return;
    const sink = this.sinkFor({ requestId: '' });
    await this.connection.untilGone(() => this.logins.openPage(url, title, sink, signal));
  }

  async logout(): Promise<void> {
    await this.require('logout');
    await this.request('logout', {});
  }

  cancel(sessionId: string): void {
    this.connection.notify('session/cancel', { sessionId });
  }

  notify(method: string, params: object): void {
    this.connection.notify(method, params);
  }

  request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    return this.connection.request(method, params, signal);
  }

  sharesProgramWith(other: AgentLink): boolean {
    return other === this;
  }

  end(): Promise<void> {
    return this.connection.end();
  }

  endProgram(): Promise<void> {
    return this.end();
  }

  kill(): Promise<void> {
    return this.connection.kill();
  }

  private connect(
    { transport, log, extensions }: AgentOptions,
    offers: Workspace['offers'],
  ): AgentConnection {
    const { spec, router } = this;
    return new AgentConnection({
      agentName: spec.name,
      transport,
      log,
      isStrict: spec.isStrict ?? false,
      paths: spec.paths ?? {},
      currentSession: () => router.currentSession,
      onUpdate: (params) => this.updates.handle(params),
      needsSingleChunks: () => dependsOnChunks(this.quirks),
      onRequestSent: (id, params) => this.requestSessions.record(id, asRecord(params).sessionId),
      handlers: {
        'session/request_permission': (params, withdrawn) =>
          askPermission(params, withdrawn, { router, quirks: this.quirks }),
        'elicitation/create': (params, withdrawn) => this.elicitations.create(params, withdrawn),
        ...clientMethods({
          offers,
          servicesOf: (sessionId) => router.sinkOf(sessionId)?.services,
          hasProposals: spec.hasProposals ?? false,
          readsMissingFileAsEmpty: () => this.quirks.readsMissingFileAsEmpty ?? false,
        }),
      },
      listeners: {
        'elicitation/complete': (params) => this.elicitations.complete(params),
        '_acp.nvim/auth_complete': () => this.logins.complete(),
        'qwen/notify/session/prompt-suggestion': (params) =>
          this.updates.deliver(sessionIdOf(params) ?? '', {
            kind: 'suggestions',
            suggestions: decodeQwenSuggestion(params),
          }),
        '_acp.nvim/end_turn': (params) => this.turns.announceEnd(sessionIdOf(params) ?? ''),
      },
      ...(extensions && { extensions: bindExtensions(extensions, spec.name, router) }),
    });
  }

  private async shakeHands(
    offers: Workspace['offers'],
    extensions: ExtensionOffer | undefined,
  ): Promise<AgentIdentity> {
    const launch = { command: this.spec.command, isRemoteAgent: isRemoteAgent(this.spec) };
    const identity = await this.connection.initialize({ offers, launch, extensions });
    this.quirks = quirksOf(identity.program);
    return { ...identity, capabilities: { ...identity.capabilities, ...this.quirks.capabilities } };
  }

  // Once for each process, in the chat that opens the first session.
  private async reportOldNode(sink: SessionSink): Promise<void> {
    const { oldNode } = this;
    this.oldNode = undefined;
    const notice = await oldNode;
    if (notice) sink.report(notice);
  }

  private async encode(sessionId: string, prompt: Prompt): Promise<readonly object[]> {
    const { capabilities = {} } = await this.ready;
    const { blocks, omissions } = encodePrompt(prompt, capabilities);
    if (omissions.length > 0) this.router.sinkOf(sessionId)?.report(attachmentNotice(omissions));
    return blocks;
  }

  private newSessionId(answer: unknown): string {
    const sessionId = asString(asRecord(answer).sessionId);
    if (sessionId !== undefined) return sessionId;
    throw new AcpError('agent_error', `${this.title} opened a session without an id.`, {
      hint: 'This is a bug in the agent; :AcpRestart tries again.',
    });
  }

  private async require(capability: Capability): Promise<void> {
    const { title, capabilities = {} } = await this.ready;
    requireCapability(title, capabilities, capability);
  }

  private async close(sessionId: string): Promise<void> {
    await this.require('close');
    // Send the answers to the agent's open requests first.
    await nextEventLoopTurn();
    await this.requestRemoval('session/close', sessionId);
  }

  // A session that does not exist any more counts as removed.
  private async requestRemoval(method: string, sessionId: string): Promise<void> {
    try {
      await this.request(method, { sessionId });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  // A request without a session, such as a login, belongs to the session that was used last.
  private sinkFor(scope: ElicitationScope): SessionSink {
    const id = 'sessionId' in scope ? scope.sessionId : this.requestSessions.sessionOf(scope.requestId);
    const sink = this.router.sinkOf(id);
    if (!sink) throw new AcpError('not_found', id === undefined ? 'no session is open' : `no session ${id}`);
    return sink;
  }
}

function attachmentNotice(omissions: readonly string[]): AgentEvent {
  const [title = '', ...detail] = omissions;
  return { kind: 'notice', severity: 'info', title, detail };
}

function stopReasonIn(answer: unknown): StopReason {
  return asString(asRecord(answer).stopReason) ?? 'end_turn';
}
