import { setMaxListeners } from 'node:events';
import type {
  InitializeResponse,
  ListSessionsResponse,
  LoadSessionResponse,
  NewSessionResponse,
  PromptResponse,
  ResumeSessionResponse,
  SessionUpdate,
  StopReason,
} from '@agentclientprotocol/sdk';
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import { isRecord } from '../base/record.ts';
import { rpcCodes } from '../base/rpc-codes.ts';
import { version } from '../base/version.ts';
import { type ClientCapabilities, readClientCapabilities } from './client-capabilities.ts';
import type { RequestServer, TourClient } from './client-connection.ts';
import { commands, findCommand } from './commands.ts';
import type { Login } from './login.ts';
import {
  invalidParam,
  type RequestParams,
  requireFolder,
  requireList,
  requireNumber,
  requireParams,
  requireString,
} from './params.ts';
import { readPrompt, type TourPrompt, titleFromPrompt } from './prompt.ts';
import { createSession, modes, type TourSession } from './session.ts';
import { recordingClient, type SessionStore } from './session-store.ts';
import { TourTurn } from './turn.ts';

interface TourParts {
  readonly client: TourClient;
  readonly pace: number;
  readonly protocolVersion: number;
  readonly login: Login;
  readonly store: SessionStore;
}

// The types of the SDK have only what is stable.
const unstableCapabilities: object = { fork: {}, title: {} };

type RequestMethod = (params: RequestParams, withdrawn: AbortSignal) => unknown;

/** An agent that demonstrates what a client can do. It runs commands from a table and needs neither key nor network. */
export class TourAgent implements RequestServer {
  private readonly parts: TourParts;
  private readonly client: TourClient;
  private readonly sessions = new Map<string, TourSession>();
  private capabilities: ClientCapabilities = readClientCapabilities(undefined);

  private readonly methods: ReadonlyMap<string, RequestMethod> = new Map<string, RequestMethod>([
    ['initialize', (params) => this.initialize(params)],
    ['authenticate', (params) => this.parts.login.authenticate(params)],
    ['logout', () => this.parts.login.logout()],
    ['session/new', (params) => this.openSession(params)],
    ['session/load', (params) => this.loadSession(params)],
    ['session/resume', (params) => this.resumeSession(params)],
    ['session/list', (params) => this.listSessions(params)],
    ['session/close', (params) => this.closeSession(params)],
    ['session/delete', (params) => this.deleteSession(params)],
    ['session/fork', (params) => this.forkSession(params)],
    ['session/set_title', (params) => this.renameSession(params)],
    ['session/set_mode', (params) => this.setMode(params)],
    ['session/prompt', (params, withdrawn) => this.prompt(params, withdrawn)],
    ['_session/steering', (params) => this.steer(params)],
  ]);

  constructor(parts: TourParts) {
    this.parts = parts;
    this.client = recordingClient(parts.client, parts.store);
  }

  handleRequest(method: string, params: unknown, withdrawn: AbortSignal): unknown {
    const serve = this.methods.get(method);
    if (!serve)
      throw new ResponseError(ErrorCodes.MethodNotFound, `The tour does not support the method ${method}`);
    return serve(requireParams(params), withdrawn);
  }

  handleNotification(method: string, params: unknown): void {
    if (method !== 'session/cancel' || !isRecord(params)) return;
    this.sessions.get(String(params.sessionId))?.turn?.abort();
  }

  private initialize(params: RequestParams): InitializeResponse {
    requireNumber(params, 'protocolVersion');
    this.capabilities = readClientCapabilities(params.clientCapabilities);
    return {
      protocolVersion: this.parts.protocolVersion,
      agentInfo: { name: 'tour', title: 'Tour', version },
      agentCapabilities: {
        loadSession: true,
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, ...unstableCapabilities },
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        ...this.parts.login.capabilities,
      },
      authMethods: this.parts.login.methods,
      _meta: { steering: { supported: true } },
    };
  }

  private openSession(params: RequestParams): NewSessionResponse {
    requireList(params, 'mcpServers');
    this.parts.login.requireLogin();
    const { store } = this.parts;
    const session = createSession(store.nextId(), requireFolder(params, 'cwd'));
    this.sessions.set(session.id, session);
    store.create(session.id, session.cwd);
    // After the response, because the client does not know the session before it.
    setImmediate(() => this.sendWelcome(session).catch(ignoreClosedConnection));
    return { sessionId: session.id, ...modesOf(session) };
  }

  private async loadSession(params: RequestParams): Promise<LoadSessionResponse> {
    const session = this.reopen(params);
    const { updates } = this.parts.store.get(session.id)!;
    const { client } = this.parts;
    for (const update of updates) await client.notify('session/update', { sessionId: session.id, update });
    await this.sendUpdate(session, commandList());
    return modesOf(session);
  }

  private async resumeSession(params: RequestParams): Promise<ResumeSessionResponse> {
    const session = this.reopen(params);
    await this.sendUpdate(session, commandList());
    return modesOf(session);
  }

  private reopen(params: RequestParams): TourSession {
    requireList(params, 'mcpServers');
    this.parts.login.requireLogin();
    const id = requireString(params, 'sessionId');
    const cwd = requireFolder(params, 'cwd');
    const stored = this.parts.store.get(id);
    if (!stored) throw unknownSession(id);
    const session = this.sessions.get(id) ?? createSession(id, cwd);
    session.messageCount ||= stored.updates.length;
    session.toolCount ||= stored.updates.length;
    session.hasTitle = stored.info.title !== undefined;
    this.sessions.set(id, session);
    return session;
  }

  private async forkSession(params: RequestParams): Promise<NewSessionResponse> {
    const { id } = this.reopen(params);
    const { store } = this.parts;
    const copy = store.copy(id);
    const session = this.reopen({ ...params, sessionId: copy });
    await this.sendUpdate(session, commandList());
    return { sessionId: copy, ...modesOf(session) };
  }

  private renameSession(params: RequestParams): object {
    const id = requireString(params, 'sessionId');
    const title = requireString(params, 'title').trim();
    const { store } = this.parts;
    if (!store.get(id)) throw unknownSession(id);
    store.record(id, { sessionUpdate: 'session_info_update', title });
    store.save(id);
    const session = this.sessions.get(id);
    if (session) session.hasTitle = true;
    return { title };
  }

  private listSessions(params: RequestParams): ListSessionsResponse {
    const cwd = params.cwd === undefined ? undefined : requireFolder(params, 'cwd');
    return { sessions: this.parts.store.list(cwd) };
  }

  private closeSession(params: RequestParams): object {
    const id = requireString(params, 'sessionId');
    this.sessions.get(id)?.turn?.abort();
    this.sessions.delete(id);
    return {};
  }

  private deleteSession(params: RequestParams): object {
    this.parts.store.delete(requireString(params, 'sessionId'));
    return this.closeSession(params);
  }

  private async sendWelcome(session: TourSession): Promise<void> {
    await this.sendUpdate(session, commandList());
    await this.sendUpdate(session, {
      sessionUpdate: 'agent_message_chunk',
      messageId: `${session.id}-welcome`,
      content: { type: 'text', text: welcomeText },
    });
  }

  private async setMode(params: RequestParams): Promise<object> {
    const session = this.sessionIn(params);
    const mode = requireString(params, 'modeId');
    const known = modes.map(({ id }) => id);
    if (!known.some((id) => id === mode)) throw invalidParam('modeId', `one of ${known.join(', ')}`, mode);
    session.mode = mode;
    await this.sendUpdate(session, { sessionUpdate: 'current_mode_update', currentModeId: mode });
    return {};
  }

  private async prompt(params: RequestParams, withdrawn: AbortSignal): Promise<PromptResponse> {
    const session = this.sessionIn(params);
    const prompt = readPrompt(requireList(params, 'prompt'));
    this.parts.login.requireLogin();
    if (session.turn) {
      const message = `Session ${session.id} is busy. Cancel the running prompt or wait until it ends.`;
      throw new ResponseError(ErrorCodes.InvalidRequest, message);
    }
    const turn = new AbortController();
    // A turn may have many questions open at once.
    setMaxListeners(0, turn.signal);
    session.turn = turn;
    this.recordPrompt(session, prompt);
    if (withdrawn.aborted) turn.abort();
    else withdrawn.addEventListener('abort', () => turn.abort(), { once: true });
    const stopReason = await this.runCommand(session, prompt, turn.signal).finally(() => {
      session.turn = undefined;
      session.injected.length = 0;
      this.parts.store.save(session.id);
    });
    return { stopReason };
  }

  /** Takes a prompt into the running turn. */
  private steer(params: RequestParams): object {
    const session = this.sessionIn(params);
    const prompt = readPrompt(requireList(params, 'prompt'));
    if (!session.turn) return { outcome: 'promptRequired', reason: 'noRunningTurn' };
    if (prompt.command === 'refuse') {
      throw new ResponseError(ErrorCodes.InvalidRequest, 'Not now. This refusal is part of the tour.');
    }
    this.recordPrompt(session, prompt);
    session.injected.push(prompt.text);
    session.onInjected?.();
    return { outcome: 'injected' };
  }

  private async runCommand(
    session: TourSession,
    prompt: TourPrompt,
    signal: AbortSignal,
  ): Promise<StopReason> {
    const command = findCommand(prompt.command);
    const { pace } = this.parts;
    const turn = new TourTurn({
      client: this.client,
      pace,
      session,
      prompt,
      capabilities: this.capabilities,
      signal,
    });
    try {
      await this.setTitle(session, prompt);
      await command.run(turn, prompt.rest);
      await turn.answerInjected();
      return signal.aborted ? 'cancelled' : (command.stopReason ?? 'end_turn');
    } catch (error) {
      if (signal.aborted) return 'cancelled';
      throw error;
    }
  }

  private async setTitle(session: TourSession, prompt: TourPrompt): Promise<void> {
    if (session.hasTitle) return;
    session.hasTitle = true;
    await this.sendUpdate(session, { sessionUpdate: 'session_info_update', title: titleFromPrompt(prompt) });
  }

  private sendUpdate(session: TourSession, update: SessionUpdate): Promise<void> {
    return this.client.notify('session/update', { sessionId: session.id, update });
  }

  private recordPrompt(session: TourSession, { text }: TourPrompt): void {
    session.messageCount += 1;
    const messageId = `${session.id}-prompt-${session.messageCount}`;
    const content = { type: 'text', text } as const;
    this.parts.store.record(session.id, { sessionUpdate: 'user_message_chunk', messageId, content });
  }

  private sessionIn(params: RequestParams): TourSession {
    const id = requireString(params, 'sessionId');
    const session = this.sessions.get(id);
    if (!session) throw unknownSession(id);
    return session;
  }
}

// The client may close the connection before the welcome is written.
function ignoreClosedConnection(): void {}

function unknownSession(id: string): ResponseError<void> {
  return new ResponseError(rpcCodes.notFound, `Session ${id} does not exist`);
}

function modesOf(session: TourSession) {
  return { modes: { currentModeId: session.mode, availableModes: [...modes] } };
}

const welcomeText =
  'Welcome. Type `tour` below and send it with `<C-s>` (Insert mode) or `<CR>` (Normal mode). `help` lists all commands.';

function commandList(): SessionUpdate {
  const availableCommands = commands.map(({ name, description: about, hint }) => ({
    name,
    description: about,
    ...(hint !== undefined && { input: { hint } }),
  }));
  return { sessionUpdate: 'available_commands_update', availableCommands };
}
