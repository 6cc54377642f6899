import path from 'node:path';
import { publicAddress } from '../acp/transports/remote/endpoint.ts';
import { AcpError, causesOf, isFaultOfPlugin, messageOf } from '../base/errors.ts';
import { once } from '../base/once.ts';
import { lookUp } from '../base/record.ts';
import { version } from '../base/version.ts';
import type { RenderLoop } from '../nvim/render-loop.ts';
import type { RulePolicy } from '../permissions/policy.ts';
import type { AgentLauncher, AgentSpec } from '../ports/agent.ts';
import type { Clock } from '../ports/clock.ts';
import type { Editor } from '../ports/editor.ts';
import type { HostOptions } from '../ports/options.ts';
import { Journal } from '../session/journal/journal.ts';
import { pruneJournals, prunePictures } from '../session/journal/prune.ts';
import type { KeptSetting } from '../session/settings.ts';
import type { FileLog } from '../system/file-log.ts';
import type { OrphanGuard } from '../system/orphan-guard.ts';
import { redactCommand, redactText } from '../system/redact.ts';
import { sanitise } from '../view/sanitise.ts';
import type { EditorWorkspace } from '../workspace/workspace.ts';
import type { ConfiguredAgent } from './agent-spec.ts';
import type { Inbox } from './attention/inbox.ts';
import { Chat, type EarlierSession, type WaitingPrompts } from './chat/chat.ts';
import { type Restart, restartAgent } from './chat/restarts.ts';
import type { Chats } from './chats.ts';
import type { LuaExtensions } from './extensions.ts';
import type { IdleAgents } from './idle-agents.ts';
import type { LatestOptions } from './latest-options.ts';
import { operations, requests } from './operations.ts';
import type { RuleMaking } from './permissions/rule-making.ts';
import type { PermissionWindows } from './permissions/windows.ts';
import type { SharedPromptSources } from './prompt/chat-sources.ts';
import type { EditorContext } from './prompt/editor-context.ts';
import { type PastedPictures, picturesFolder } from './prompt/pasted-pictures.ts';
import type { QuestionLists } from './question-lists.ts';
import { RegistryAgents, type RegistryLocation } from './registry.ts';
import { makeReport, type NeovimFacts } from './report.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { RememberedSettings } from './settings/remembered-settings.ts';
import type { TerminalWindows } from './terminals.ts';

export interface HostParts {
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: FileLog;
  readonly options: LatestOptions;
  readonly chats: Chats;
  readonly workspace: EditorWorkspace;
  readonly renderLoop: RenderLoop;
  readonly launcher: AgentLauncher;
  readonly terminals: TerminalWindows;
  readonly sessions: Sessions;
  readonly extensions: LuaExtensions;
  readonly inbox: Inbox;
  readonly promptSources: SharedPromptSources;
  readonly permissions: RulePolicy;
  readonly permissionWindows: PermissionWindows;
  readonly clipboard: PastedPictures;
  readonly questionLists: QuestionLists;
  readonly ruleMaking: RuleMaking;
  readonly orphanGuard: OrphanGuard;
  readonly firstQuestionId: number;
  readonly settingDefaults: RememberedSettings;
  readonly idleAgents: IdleAgents;
}

interface OpenChatRequest {
  readonly id: number;
  readonly spec: AgentSpec;
  readonly journal: string;
  /** Nothing of the chat is kept on disk. */
  readonly isPrivate: boolean;
  /** It works in a worktree that was made for it. */
  readonly hasWorktree: boolean;
  /** The session to continue. */
  readonly before: EarlierSession | undefined;
  /** What the session had before the host was restarted. */
  readonly settings: readonly KeptSetting[];
  readonly waiting: WaitingPrompts;
}

type Reply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: string };

/** Runs the operations that Neovim sends, and owns everything that they start. */
export class Host {
  private readonly parts: HostParts;
  private registry: RegistryAgents | undefined;
  private isEnding = false;
  private isPruned = false;
  /** Bugs that were reported to the user already. */
  private readonly reportedBugs = new Set<string>();

  constructor(parts: HostParts) {
    this.parts = parts;
  }

  get terminals(): TerminalWindows {
    return this.parts.terminals;
  }

  get sessions(): Sessions {
    return this.parts.sessions;
  }

  get inbox(): Inbox {
    return this.parts.inbox;
  }

  get editorContext(): EditorContext {
    return this.parts.promptSources.context;
  }

  get permissions(): PermissionWindows {
    return this.parts.permissionWindows;
  }

  get questionLists(): QuestionLists {
    return this.parts.questionLists;
  }

  get ruleMaking(): RuleMaking {
    return this.parts.ruleMaking;
  }

  get extensions(): LuaExtensions {
    return this.parts.extensions;
  }

  /** Runs an operation that has no answer. A failure, also a later one, is reported to the user and logged. */
  async notify(op: string, payload: unknown): Promise<void> {
    if (this.isEnding) return;
    const operation = lookUp(operations, op);
    if (!operation) {
      return this.reportFailure(
        op,
        new Error(`${unknownOperation(op)}; :AcpRestart! starts the newest build`),
      );
    }
    try {
      await operation.run(this, payload, `${op}: `);
    } catch (error) {
      this.reportFailure(op, error, operation.purpose);
    }
  }

  /** Reports an error that nothing has handled. The chat that it belongs to may be broken; the others continue. */
  reportBug(error: unknown): void {
    this.parts.log.error('unhandled error', error);
    const message = `an error in the host: ${shownMessage(error)}; :AcpLog shows more`;
    if (this.reportedBugs.has(message)) return;
    this.reportedBugs.add(message);
    this.parts.editor.notify('error', message);
  }

  private reportFailure(op: string, error: unknown, purpose?: string): void {
    if (error instanceof AcpError && error.code === 'cancelled') return;
    this.logFailure(`${op} failed`, error);
    const message = shownMessage(error);
    this.parts.editor.notify('error', purpose === undefined ? message : `could not ${purpose}: ${message}`);
  }

  // What the user asked for and can't have is no error of the plugin. The user is told the reason.
  private logFailure(what: string, error: unknown): void {
    const { log } = this.parts;
    if (isFaultOfPlugin(error)) log.error(what, error);
    else log.info(`${what}: ${causesOf(error).map(messageOf).join(': ')}`);
  }

  /** Runs an operation and sends its answer to Neovim, which waits for a limited time only. */
  async answer(id: number, op: string, payload: unknown): Promise<void> {
    const reply = await this.settle(this.request(op, payload));
    this.parts.editor.send('host.answer', {
      id,
      ...(reply.ok ? { value: reply.value } : { error: reply.error }),
    });
  }

  private async settle(reply: Reply): Promise<Reply> {
    try {
      return reply.ok ? { ok: true, value: (await reply.value) ?? null } : reply;
    } catch (error) {
      return { ok: false, error: messageOf(error) };
    }
  }

  /** Runs an operation that is answered from memory; the value is a promise if Neovim does not wait for it. */
  request(op: string, payload: unknown): Reply {
    try {
      const operation = lookUp(requests, op);
      if (!operation) return { ok: false, error: unknownOperation(op) };
      return { ok: true, value: operation.run(this, payload, `${op}: `) ?? null };
    } catch (error) {
      this.logFailure(op, error);
      return { ok: false, error: messageOf(error) };
    }
  }

  /** The first operation that Neovim sends. */
  hello(log: string, options: HostOptions): void {
    this.configure(options);
    this.parts.log.open(log);
    this.parts.log.info(`host ${version} on node ${process.versions.node}, pid ${process.pid}`);
  }

  /** Neovim sends the options when it starts the host, and again when the user changes them. */
  configure(options: HostOptions): void {
    this.parts.options.set(options);
    this.parts.log.level = options.logLevel;
    this.parts.idleAgents.watch();
  }

  agentSpec(agent: ConfiguredAgent, cwd: string): AgentSpec {
    const { isStrict, hasProposals } = this.parts.options.get();
    return { ...agent, cwd, isStrict, hasProposals };
  }

  openChat({
    id,
    spec,
    journal: file,
    isPrivate,
    hasWorktree,
    before,
    settings,
    waiting,
  }: OpenChatRequest): void {
    const { chats, clock, log } = this.parts;
    if (chats.find(id)) return;
    log.info(`chat ${id}: ${describeAgent(spec)} in ${spec.cwd}`);
    if (isPrivate) this.parts.orphanGuard.addFolder(path.dirname(file));
    const onActivity = () => this.parts.sessions.panel.touch();
    const journal = new Journal(file, clock, log, !isPrivate);
    const chat = new Chat(id, spec, journal, { ...this.parts, onActivity, hasWorktree });
    chats.add(chat);
    chat.session.settings.keep(settings);
    chat.start(before, waiting);
    this.parts.permissionWindows.check(id);
    if (!isPrivate) this.pruneFiles(file);
    this.reportMissingTerminals();
  }

  private readonly reportMissingTerminals = once(() => {
    if (this.parts.workspace.offers.terminals) return;
    this.parts.editor.notify('warn', 'node-pty is missing, so there are no terminals: see :checkhealth acp');
  });

  findChat(id: number): Chat | undefined {
    return this.parts.chats.find(id);
  }

  chat(id: number): Chat {
    return this.parts.chats.get(id);
  }

  /** The user has saved a file. */
  async fileSaved(file: string): Promise<void> {
    await Promise.all(this.parts.chats.all.map((chat) => chat.saved(file)));
  }

  /** The user has reloaded a file, which discards the text of its buffer. */
  async fileReloaded(file: string): Promise<void> {
    await Promise.all(this.parts.chats.all.map((chat) => chat.reloaded(file)));
  }

  async closeChat(id: number): Promise<void> {
    await this.parts.chats.close(id);
    this.parts.sessions.panel.listAgain();
  }

  restartAgent(restart: Restart): Promise<void> {
    return restartAgent(restart, this.parts.chats, this.parts.editor);
  }

  login(id: number, method: string): Promise<void> {
    return this.shareLogin(id, this.chat(id).session.login.start(method));
  }

  loginWithKey(id: number, method: string, key: string): Promise<boolean> {
    return this.chat(id).session.login.startWithKey(method, key);
  }

  loginEnded(id: number, code: number): Promise<void> {
    return this.shareLogin(id, this.chat(id).session.login.finishInTerminal(code));
  }

  // Other chats that wait for a login to the same agent are logged in too.
  private async shareLogin(id: number, login: Promise<boolean>): Promise<void> {
    const { name } = this.chat(id).session.state.agent;
    if (!(await login)) return;
    const others = this.parts.chats.all.filter(
      (chat) => chat.id !== id && chat.session.state.agent.name === name,
    );
    await Promise.all(others.map(({ session }) => session.login.continueAfterOtherChat()));
  }

  registryAgents(places: RegistryLocation): RegistryAgents {
    if (this.registry?.location.source === places.source) return this.registry;
    const { log } = this.parts;
    this.registry?.end().catch((error: unknown) => log.error('could not end the registry', error));
    this.registry = new RegistryAgents(places, this.parts);
    return this.registry;
  }

  private pruneFiles(journal: string): void {
    if (this.isPruned) return;
    this.isPruned = true;
    const { clock, log, options } = this.parts;
    const now = clock.now();
    const { keep } = options.get();
    pruneJournals(journal, now, keep).catch((error: unknown) => {
      log.error(`could not remove old journals beside ${journal}`, error);
    });
    const pictures = picturesFolder(journal);
    prunePictures(pictures, now, keep).catch((error: unknown) => {
      log.error(`could not remove old pictures in ${pictures}`, error);
    });
  }

  /** A report about a problem, with the messages of all chats. */
  report(facts: NeovimFacts): Promise<string> {
    return makeReport(facts, this.parts.chats.all);
  }

  status(): unknown {
    const { renderLoop, terminals, chats, permissionWindows } = this.parts;
    return {
      version,
      node: process.versions.node,
      pid: process.pid,
      isDrawn: renderLoop.isIdle,
      terminals: terminals.count,
      unreadableRules: permissionWindows.unreadable(),
      chats: chats.all.map(({ id, session }) => ({
        id,
        agent: session.state.agent.name,
        phase: session.state.phase,
        entries: session.state.entries.length,
      })),
    };
  }

  /** The user has not ended the turns that end with this process. */
  abandonTurns(): void {
    for (const { session } of this.parts.chats.all) session.abandon();
  }

  /** Ends every chat and agent; resolves when the last of their processes has ended. */
  readonly end = once(async () => {
    const { chats, terminals, sessions, workspace, renderLoop, orphanGuard, promptSources } = this.parts;
    this.isEnding = true;
    this.parts.idleAgents.dispose();
    const chatsEnd = chats.end();
    renderLoop.dispose();
    terminals.dispose();
    await Promise.allSettled([
      this.decisionsWritten(),
      sessions.end(),
      this.registry?.end(),
      this.parts.clipboard.end(),
      workspace.end(),
      promptSources.index.end(),
      this.parts.settingDefaults.end(),
      chatsEnd,
    ]);
    orphanGuard.dispose();
  });

  /** Stops watching files; resolves when every decision of the user is on disk. */
  readonly decisionsWritten = once(() => this.parts.workspace.endChanges());
}

function describeAgent({ command, url }: AgentSpec): string {
  return url === undefined ? redactCommand(command) : publicAddress(url);
}

// The message may be the agent's.
function shownMessage(error: unknown): string {
  return sanitise(redactText(messageOf(error)));
}

function unknownOperation(op: string): string {
  return `unknown host operation "${op}"`;
}
