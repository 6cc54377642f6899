import { randomInt } from 'node:crypto';
import { Agent } from './acp/agent.ts';
import { AgentPool } from './acp/agent-pool.ts';
import { LuaExtensions } from './acp/extensions.ts';
import { publicAddress } from './acp/transports/endpoint.ts';
import { type Disposable, lookUp, once } from './base.ts';
import { type Before, Chat, type ChatPorts } from './chat.ts';
import { notifications, payloadOf, requests } from './commands.ts';
import { AcpError, messageOf } from './errors.ts';
import { type FileLog, type LogLevel, redact } from './log.ts';
import { NodePtyLauncher } from './nvim/pty.ts';
import { RenderLoop } from './nvim/render-loop.ts';
import { failureOf } from './operation-names.ts';
import type { AgentSpec, SessionSink } from './ports/agent.ts';
import type { Clock, Editor } from './ports/host.ts';
import { Leash } from './processes.ts';
import { RegistryAgents, type RegistryPlaces } from './registry-agents.ts';
import { type Restart, restartAgent } from './restarts.ts';
import { Journal } from './session/journal.ts';
import { pruneJournals } from './session/prune.ts';
import { Sessions } from './sessions.ts';
import { TerminalWindows } from './terminal-windows.ts';
import { version } from './version.ts';
import { EditorWorkspace } from './workspace/workspace.ts';

// Lua writes numbers with 14 digits.
const maxFirstQuestionId = 2 ** 40;

export interface HostParts {
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: FileLog;
}

export interface ChatOpening {
  readonly id: number;
  readonly spec: AgentSpec;
  readonly transcript: string;
  /** What the user wants to go on with. */
  readonly before: Before | undefined;
}

export type Reply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: string };

/** The owner of every chat: what Neovim says goes in here, and losing Neovim ends all of it. */
export class Host implements Disposable {
  private readonly log: FileLog;
  private readonly chats = new Map<number, Chat>();
  private readonly leash = new Leash();
  private readonly ports: ChatPorts;
  private readonly workspace: EditorWorkspace;
  readonly terminals: TerminalWindows;
  readonly sessions: Sessions;
  readonly extensions: LuaExtensions;
  private registry: RegistryAgents | undefined;
  private isShuttingDown = false;
  /** What the user was told already. */
  private readonly toldBugs = new Set<string>();

  constructor({ editor, clock, log }: HostParts) {
    this.log = log;
    this.workspace = new EditorWorkspace({ ptys: new NodePtyLauncher(this.leash), editor, clock, log });
    this.terminals = new TerminalWindows({ workspace: this.workspace, editor, clock, log });
    this.extensions = new LuaExtensions({ editor, clock, chatOf: (sink) => this.chatOf(sink) });
    this.ports = {
      workspace: this.workspace,
      editor,
      clock,
      log,
      renderLoop: new RenderLoop(editor, clock, log),
      launcher: new AgentPool({
        launch: (spec) => new Agent(spec, this.leash, log, this.workspace.offers, this.extensions),
      }),
      terminals: this.terminals,
      firstQuestionId: randomInt(1, maxFirstQuestionId),
    };
    this.sessions = new Sessions({
      ...this.ports,
      chats: {
        list: () => [...this.chats.values()].map((chat) => chat.summary()),
        close: (id) => this.closeChat(id),
      },
    });
  }

  /** Takes a message that wants no answer; what goes wrong with it, at once or later, is told to the user. */
  async notify(op: string, payload: unknown): Promise<void> {
    // Nothing is opened or written any more.
    if (this.isShuttingDown) return;
    const handle = lookUp(notifications, op);
    try {
      if (!handle) throw new Error(`the host knows no "${op}"; is an older build running? Run :AcpRestart!`);
      await handle(this, payloadOf(payload));
    } catch (error) {
      this.tellFailure(op, error);
    }
  }

  /** Tells of an error that nobody has handled. What it belongs to may be broken, the rest goes on. */
  reportBug(error: unknown): void {
    this.log.error('an error was not handled', error);
    const message = `an error in the host: ${messageOf(error)}; :AcpLog shows more`;
    if (this.toldBugs.has(message)) return;
    this.toldBugs.add(message);
    this.ports.editor.tell('user.notify', { message, level: 'error' });
  }

  private tellFailure(op: string, error: unknown): void {
    if (error instanceof AcpError && error.code === 'cancelled') return;
    this.log.error(`${op} failed`, error);
    const message = failureOf(op, messageOf(error));
    this.ports.editor.tell('user.notify', { message, level: 'error' });
  }

  /** Answers a question of Neovim, which never waits for long. */
  answer(id: number, op: string, payload: unknown): void {
    const reply = this.request(op, payload);
    const { editor } = this.ports;
    editor.tell('host.answer', { id, ...(reply.ok ? { value: reply.value } : { error: reply.error }) });
  }

  /** Answers at once, from memory. */
  request(op: string, payload: unknown): Reply {
    try {
      const handle = lookUp(requests, op);
      if (!handle) return { ok: false, error: `the host knows no "${op}"` };
      return { ok: true, value: handle(this, payloadOf(payload)) ?? null };
    } catch (error) {
      this.log.error(op, error);
      return { ok: false, error: messageOf(error) };
    }
  }

  hello(log: string, level: string, shell?: string): void {
    if (shell) this.workspace.shell = shell;
    this.log.open(log, level as LogLevel);
    this.log.info(`host ${version} on node ${process.versions.node}, pid ${process.pid}`);
  }

  openChat({ id, spec, transcript, before }: ChatOpening): void {
    if (this.chats.has(id)) return;
    this.log.info(`chat ${id}: ${whereIs(spec)} in ${spec.cwd}`);
    const { clock, log } = this.ports;
    const chat = new Chat(id, spec, new Journal(transcript, clock, log), this.ports);
    this.chats.set(id, chat);
    chat.start(before);
    if (id === 1) this.tidyUp(transcript);
  }

  findChat(id: number): Chat | undefined {
    return this.chats.get(id);
  }

  chat(id: number): Chat {
    const chat = this.chats.get(id);
    if (chat) return chat;
    this.ports.editor.tell('chat.unknown', { chat: id });
    throw new AcpError('not_found', `there is no chat ${id}; :AcpChat opens it`);
  }

  /** The user has saved a file: no agent did. */
  async fileSaved(file: string): Promise<void> {
    await Promise.all([...this.chats.values()].map((chat) => chat.saved(file)));
  }

  /** The user has read a file again, and what was in its buffer is gone. */
  async fileReread(file: string): Promise<void> {
    await Promise.all([...this.chats.values()].map((chat) => chat.reread(file)));
  }

  /** Settles when nothing of the chat is written any more. */
  async closeChat(id: number): Promise<void> {
    const chat = this.chats.get(id);
    this.chats.delete(id);
    await chat?.end();
  }

  /** Restarts the agent of a chat. */
  restartAgent(restart: Restart): Promise<void> {
    this.chat(restart.chat);
    return restartAgent(restart, this.chats, this.ports.editor);
  }

  login(id: number, method: string): Promise<void> {
    return this.shareLogin(id, this.chat(id).session.login(method));
  }

  loginWithKey(id: number, method: string, key: string): Promise<boolean> {
    return this.chat(id).session.loginWithKey(method, key);
  }

  loginEnded(id: number, code: number): Promise<void> {
    return this.shareLogin(id, this.chat(id).session.loginEnded(code));
  }

  // Whoever waits for the same agent to know the user need not be asked again.
  private async shareLogin(id: number, login: Promise<boolean>): Promise<void> {
    const { name } = this.chat(id).session.state.agent;
    if (!(await login)) return;
    const others = [...this.chats].filter(
      ([other, { session }]) => other !== id && session.state.agent.name === name,
    );
    await Promise.all(others.map(([, { session }]) => session.loggedInElsewhere()));
  }

  /** The agents of the registry the options name. */
  registryAgents(places: RegistryPlaces): RegistryAgents {
    if (this.registry?.places.source !== places.source) {
      this.registry?.dispose();
      this.registry = new RegistryAgents(places, this.ports);
    }
    return this.registry as RegistryAgents;
  }

  private chatOf(sink: SessionSink | undefined): number | undefined {
    return [...this.chats].find(([, { session }]) => session === sink)?.[0];
  }

  private tidyUp(transcript: string): void {
    pruneJournals(transcript, this.ports.clock.now()).catch((error: unknown) => {
      this.log.error(`transcripts older than ${transcript} were not removed`, error);
    });
  }

  status(): unknown {
    return {
      version,
      node: process.versions.node,
      pid: process.pid,
      isDrawn: this.ports.renderLoop.isIdle,
      terminals: this.workspace.all.length,
      chats: [...this.chats].map(([id, { session }]) => ({
        id,
        agent: session.state.agent.name,
        phase: session.state.phase,
        entries: session.state.entries.length,
      })),
    };
  }

  /** Ends every agent; settles when the last of their processes has gone. */
  readonly shutdown = once(async () => {
    this.isShuttingDown = true;
    const chats = [...this.chats.values()];
    this.chats.clear();
    // The process may exit before slow agents have ended.
    for (const chat of chats) chat.flush();
    this.registry?.dispose();
    this.ports.renderLoop.dispose();
    await Promise.allSettled([
      this.written(),
      this.sessions.end(),
      this.workspace.end(),
      ...chats.map((chat) => chat.session.end()),
    ]);
    for (const chat of chats) chat.dispose();
    this.leash.dispose();
  });

  /** Ends the watching of files; settles when all that users decided is on disk. */
  readonly written = once(() => this.workspace.endChanges());

  dispose(): void {
    void this.shutdown();
  }
}

function whereIs({ command, url }: AgentSpec): string {
  return url === undefined ? redact(command.join(' ')) : publicAddress(url);
}
