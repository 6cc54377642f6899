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
import { rpcCodes } from '../acp/rpc-errors.ts';
import { isRecord } from '../base.ts';
import { version } from '../version.ts';
import { type Abilities, abilitiesFrom } from './abilities.ts';
import type { Login } from './login.ts';
import { type Memory, remembering } from './memory.ts';
import { badParam, folderIn, listIn, numberIn, type Params, paramsFrom, textIn } from './params.ts';
import { type Prompt, promptFrom, titleFrom } from './prompt.ts';
import { createSession, modes, type TourSession } from './session.ts';
import { Stage } from './stage.ts';
import type { Client, Server } from './wire.ts';
import { findWord, words } from './words.ts';

export interface TourParts {
  readonly client: Client;
  readonly pace: number;
  readonly protocolVersion: number;
  readonly login: Login;
  readonly memory: Memory;
}

type Method = (params: Params, withdrawn: AbortSignal) => unknown;

/** An agent that shows what a client can do. It thinks with a table of words and needs neither key nor network. */
export class TourAgent implements Server {
  private readonly parts: TourParts;
  private readonly client: Client;
  private readonly sessions = new Map<string, TourSession>();
  private abilities: Abilities = abilitiesFrom(undefined);

  private readonly methods: ReadonlyMap<string, Method> = new Map<string, Method>([
    ['initialize', (params) => this.initialize(params)],
    ['authenticate', (params) => this.parts.login.authenticate(params)],
    ['logout', () => this.parts.login.logout()],
    ['session/new', (params) => this.openSession(params)],
    ['session/load', (params) => this.tellAgain(params)],
    ['session/resume', (params) => this.goOn(params)],
    ['session/list', (params) => this.list(params)],
    ['session/close', (params) => this.close(params)],
    ['session/delete', (params) => this.delete(params)],
    ['session/set_mode', (params) => this.setMode(params)],
    ['session/prompt', (params, withdrawn) => this.prompt(params, withdrawn)],
  ]);

  constructor(parts: TourParts) {
    this.parts = parts;
    this.client = remembering(parts.client, parts.memory);
  }

  answer(method: string, params: unknown, withdrawn: AbortSignal): unknown {
    const serve = this.methods.get(method);
    if (!serve) throw new ResponseError(ErrorCodes.MethodNotFound, `The tour knows no method ${method}`);
    return serve(paramsFrom(params), withdrawn);
  }

  hear(method: string, params: unknown): void {
    if (method !== 'session/cancel' || !isRecord(params)) return;
    this.sessions.get(String(params.sessionId))?.turn?.abort();
  }

  private initialize(params: Params): InitializeResponse {
    numberIn(params, 'protocolVersion');
    this.abilities = abilitiesFrom(params.clientCapabilities);
    return {
      protocolVersion: this.parts.protocolVersion,
      agentInfo: { name: 'tour', title: 'Tour', version },
      agentCapabilities: {
        loadSession: true,
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        promptCapabilities: { embeddedContext: true },
        ...this.parts.login.capabilities,
      },
      authMethods: this.parts.login.methods,
    };
  }

  private openSession(params: Params): NewSessionResponse {
    listIn(params, 'mcpServers');
    this.parts.login.require();
    const { memory } = this.parts;
    const session = createSession(memory.nextId(), folderIn(params, 'cwd'));
    this.sessions.set(session.id, session);
    memory.begin(session.id, session.cwd);
    // The answer goes out first, so that the client knows the session all this belongs to.
    setImmediate(() => void this.welcome(session));
    return { sessionId: session.id, ...modesOf(session) };
  }

  private async tellAgain(params: Params): Promise<LoadSessionResponse> {
    const session = this.reopen(params);
    const { updates } = this.parts.memory.get(session.id)!;
    const { client } = this.parts;
    for (const update of updates) await client.notify('session/update', { sessionId: session.id, update });
    await this.report(session, commandList());
    return modesOf(session);
  }

  private async goOn(params: Params): Promise<ResumeSessionResponse> {
    const session = this.reopen(params);
    await this.report(session, commandList());
    return modesOf(session);
  }

  private reopen(params: Params): TourSession {
    listIn(params, 'mcpServers');
    this.parts.login.require();
    const id = textIn(params, 'sessionId');
    const cwd = folderIn(params, 'cwd');
    const conversation = this.parts.memory.get(id);
    if (!conversation) throw unknownSession(id);
    const session = this.sessions.get(id) ?? createSession(id, cwd);
    session.messageCount ||= conversation.updates.length;
    session.toolCount ||= conversation.updates.length;
    session.isTitled = conversation.info.title !== undefined;
    this.sessions.set(id, session);
    return session;
  }

  private list(params: Params): ListSessionsResponse {
    const cwd = params.cwd === undefined ? undefined : folderIn(params, 'cwd');
    return { sessions: this.parts.memory.list(cwd) };
  }

  private close(params: Params): object {
    const id = textIn(params, 'sessionId');
    this.sessions.get(id)?.turn?.abort();
    this.sessions.delete(id);
    return {};
  }

  private delete(params: Params): object {
    this.parts.memory.delete(textIn(params, 'sessionId'));
    return this.close(params);
  }

  private async welcome(session: TourSession): Promise<void> {
    await this.report(session, commandList());
    await this.report(session, {
      sessionUpdate: 'agent_message_chunk',
      messageId: `${session.id}-welcome`,
      content: { type: 'text', text: welcomeText },
    });
  }

  private async setMode(params: Params): Promise<object> {
    const session = this.sessionIn(params);
    const mode = textIn(params, 'modeId');
    const known = modes.map(({ id }) => id);
    if (!known.some((id) => id === mode)) throw badParam('modeId', `one of ${known.join(', ')}`, mode);
    session.mode = mode;
    await this.report(session, { sessionUpdate: 'current_mode_update', currentModeId: mode });
    return {};
  }

  private async prompt(params: Params, withdrawn: AbortSignal): Promise<PromptResponse> {
    const session = this.sessionIn(params);
    const prompt = promptFrom(listIn(params, 'prompt'));
    this.parts.login.require();
    if (session.turn) {
      const message = `Session ${session.id} is busy. Cancel the running prompt or wait for its end.`;
      throw new ResponseError(ErrorCodes.InvalidRequest, message);
    }
    const turn = new AbortController();
    session.turn = turn;
    this.notePrompt(session, prompt);
    if (withdrawn.aborted) turn.abort();
    else withdrawn.addEventListener('abort', () => turn.abort(), { once: true });
    const stopReason = await this.play(session, prompt, turn.signal).finally(() => {
      session.turn = undefined;
      this.parts.memory.save(session.id);
    });
    return { stopReason };
  }

  private async play(session: TourSession, prompt: Prompt, signal: AbortSignal): Promise<StopReason> {
    const word = findWord(prompt.word);
    const { pace } = this.parts;
    const stage = new Stage({ client: this.client, pace, session, prompt, can: this.abilities, signal });
    try {
      await this.nameSession(session, prompt);
      await word.scene(stage, prompt.rest);
      return signal.aborted ? 'cancelled' : (word.ends ?? 'end_turn');
    } catch (error) {
      if (signal.aborted) return 'cancelled';
      throw error;
    }
  }

  private async nameSession(session: TourSession, prompt: Prompt): Promise<void> {
    if (session.isTitled) return;
    session.isTitled = true;
    await this.report(session, { sessionUpdate: 'session_info_update', title: titleFrom(prompt) });
  }

  private report(session: TourSession, update: SessionUpdate): Promise<void> {
    return this.client.notify('session/update', { sessionId: session.id, update });
  }

  private notePrompt(session: TourSession, { text }: Prompt): void {
    session.messageCount += 1;
    const messageId = `${session.id}-prompt-${session.messageCount}`;
    const content = { type: 'text', text } as const;
    this.parts.memory.note(session.id, { sessionUpdate: 'user_message_chunk', messageId, content });
  }

  private sessionIn(params: Params): TourSession {
    const id = textIn(params, 'sessionId');
    const session = this.sessions.get(id);
    if (!session) throw unknownSession(id);
    return session;
  }
}

function unknownSession(id: string): ResponseError<void> {
  return new ResponseError(rpcCodes.notFound, `There is no session ${id}`);
}

function modesOf(session: TourSession) {
  return { modes: { currentModeId: session.mode, availableModes: [...modes] } };
}

const welcomeText =
  'Welcome. Write `tour` below and send it: `<C-s>` in Insert mode, `<CR>` in Normal mode. `help` lists all the words I know.';

function commandList(): SessionUpdate {
  const availableCommands = words.map(({ name, about, hint }) => ({
    name,
    description: about,
    ...(hint !== undefined && { input: { hint } }),
  }));
  return { sessionUpdate: 'available_commands_update', availableCommands };
}
