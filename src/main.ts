import { randomInt } from 'node:crypto';
import type { NeovimClient } from 'neovim';
import { NvimPlugin } from 'neovim/lib/host/NvimPlugin';
import { Agent } from './acp/agent.ts';
import { AgentPool } from './acp/agent-pool.ts';
import { openTransport } from './acp/transports/open.ts';
import { CookieJars } from './acp/transports/remote/http-client.ts';
import { Inbox } from './app/attention/inbox.ts';
import { Chats } from './app/chats.ts';
import { LuaExtensions } from './app/extensions.ts';
import { Host, type HostParts } from './app/host.ts';
import { IdleAgents } from './app/idle-agents.ts';
import { LatestOptions } from './app/latest-options.ts';
import { RuleMaking } from './app/permissions/rule-making.ts';
import { PermissionWindows, reportRulesTo } from './app/permissions/windows.ts';
import { EditorContext } from './app/prompt/editor-context.ts';
import { HostContext } from './app/prompt/host-context.ts';
import { PastedPictures } from './app/prompt/pasted-pictures.ts';
import { QuestionLists } from './app/question-lists.ts';
import { Sessions } from './app/sessions/sessions.ts';
import { RememberedSettings } from './app/settings/remembered-settings.ts';
import { TerminalWindows } from './app/terminals.ts';
import { sleep } from './base/timeout.ts';
import { NvimEditor } from './nvim/editor.ts';
import { connectToParent } from './nvim/parent-client.ts';
import { RenderLoop } from './nvim/render-loop.ts';
import { AuditLog } from './permissions/audit-log.ts';
import { RulePolicy } from './permissions/policy.ts';
import { isProtectedFile } from './permissions/protected-files.ts';
import { RuleBook } from './permissions/rule-book.ts';
import { FileIndex } from './prompt/file-index.ts';
import { limits } from './prompt/limits.ts';
import { logTimerErrors, realClock } from './system/clock.ts';
import { FileLog } from './system/file-log.ts';
import { hasOrphanGuard, OrphanGuard } from './system/orphan-guard.ts';
import { NodePtyLauncher } from './system/pty.ts';
import { listFiles } from './workspace/list-files.ts';
import { UserFiles } from './workspace/user-files.ts';
import { EditorWorkspace } from './workspace/workspace.ts';

/** Lua writes numbers with 14 digits. */
const maxFirstQuestionId = 2 ** 40;
const agentGraceMs = 100;
/** With more unhandled errors than this, the process exits and Neovim starts a new one. */
const maxUnhandledErrors = { count: 20, withinMs: 10_000 };
// Neovim kills the host after two seconds.
const maxWriteMs = 1_500;

/** A program that owns the clipboard may hang, and then whoever reads it waits. */
const clipboardDeadlineMs = 5_000;

/** Set when this process is ours alone and may exit. */
let ownProcess: { readonly hosts: Host[]; readonly neovim: number | undefined; exit(): void } | undefined;

/** Creates the host of a Neovim. */
export function createHost(nvim: NeovimClient): Host {
  const log = new FileLog();
  const editor = new NvimEditor(nvim, log);
  const host = assembleHost({ editor, clock: logTimerErrors(realClock, log), log });
  ownProcess?.hosts.push(host);
  nvim.on('disconnect', () => {
    host.abandonTurns();
    const ended = ownProcess ? endProcess([host], ownProcess.exit) : host.end();
    ended.catch((error: unknown) => log.error('could not end the host', error));
  });
  return host;
}

/** Makes every adapter and connects them to a host. */
export function assembleHost({ editor, clock, log }: Pick<HostParts, 'editor' | 'clock' | 'log'>): Host {
  const options = new LatestOptions();
  const chats = new Chats(editor);
  const orphanGuard = new OrphanGuard(ownProcess?.neovim);
  const cookieJars = new CookieJars();
  const isProtected = (file: string) => isProtectedFile(file, options.get().editorFolders);
  const workspace: EditorWorkspace = new EditorWorkspace({
    ptys: new NodePtyLauncher(orphanGuard),
    editor,
    clock,
    log,
    options: () => options.get(),
    isProtected,
    onTerminal: (terminal) => terminals.add(terminal),
  });
  const terminals = new TerminalWindows({
    editor,
    clock,
    log,
    runLine: (chat, line) => (workspace.offers.terminals ? workspace.runLine(chat, line) : undefined),
  });
  const extensions = new LuaExtensions({ editor, clock, chatOf: (sink) => chats.idOf(sink) });
  const launcher = new AgentPool({
    launch: (spec) =>
      new Agent(spec, {
        transport: openTransport(spec, orphanGuard, log, cookieJars),
        log,
        offers: workspace.offers,
        extensions,
      }),
  });
  const promptSources = {
    files: new UserFiles(editor, limits),
    context: new EditorContext(editor, clock),
    hostContext: new HostContext({ terminals, chats, log }),
    index: new FileIndex(listFiles, clock, log),
  };
  const ruleSources = () => {
    const { permissions: configured, permissionFiles: files } = options.get();
    return { configured, userFile: files.user, trustFile: files.trust };
  };
  const book = new RuleBook(ruleSources, reportRulesTo(editor, chats));
  const audit = new AuditLog(() => options.get().permissionFiles.audit, clock, log);
  const permissions = new RulePolicy({ book, audit, isProtected });
  const questionLists = new QuestionLists(editor);
  const ruleMaking = new RuleMaking({
    ...{ editor, book, policy: permissions, lists: questionLists },
    userFile: () => options.get().permissionFiles.user,
  });
  const permissionWindows = new PermissionWindows({
    ...{ editor, chats, book, policy: permissions, ruleMaking },
  });
  const clipboard = new PastedPictures({
    ...{ editor, clock, orphanGuard, platform: process.platform, env: process.env },
    deadlineMs: clipboardDeadlineMs,
    maxBytes: limits.media,
  });
  const inbox = new Inbox({ editor, clock, chats });
  const settingDefaults = new RememberedSettings(() => options.get(), log);
  const idleAgents = new IdleAgents(chats, { clock, log, options });
  const renderLoop = new RenderLoop(editor, clock, log);
  const sessions = new Sessions({
    ...{ launcher, editor, clock, log, chats, renderLoop, terminals, options },
  });
  const firstQuestionId = randomInt(1, maxFirstQuestionId);
  return new Host({
    ...{ editor, clock, log, options, chats, workspace, renderLoop },
    ...{ launcher, terminals, sessions, extensions, promptSources, permissions, permissionWindows },
    ...{ clipboard, inbox, orphanGuard, firstQuestionId, settingDefaults, idleAgents },
    ...{ questionLists, ruleMaking },
  });
}

// Neovim waits for the host before it exits. Slow agents are left to the orphan guard, which outlives this process.
async function endProcess(hosts: readonly Host[], exit: () => void): Promise<void> {
  const ended = Promise.allSettled(hosts.map((host) => host.end()));
  const decisionsWritten = Promise.allSettled(hosts.map((host) => host.decisionsWritten()));
  const isEnough = Promise.all([sleep(agentGraceMs), Promise.race([decisionsWritten, sleep(maxWriteMs)])]);
  await (hasOrphanGuard ? Promise.race([ended, isEnough]) : ended);
  // Neovim gets what was sent meanwhile.
  setImmediate(exit);
}

/**
 * Serves the Neovim that has started this process, which is ours alone. The entry registers its function as it does in
 * `neovim-node-host`. `neovimPid` is what Neovim calls itself.
 */
export function serve(entry: string, register: (plugin: NvimPlugin) => void, neovimPid: number): void {
  const hosts: Host[] = [];
  const exit = () => process.exit(0);
  // The parent is another process if a version manager starts Node as its child, or if pids are counted anew there.
  const neovim = process.ppid === neovimPid ? neovimPid : undefined;
  ownProcess = { hosts, neovim, exit };
  const shutDown = () => {
    for (const host of hosts) host.abandonTurns();
    // It ends this process and does not reject.
    void endProcess(hosts, exit);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, shutDown);
  // Neovim may close the pipe while a frame is being sent; `disconnect` handles that.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  surviveUnhandledErrors(hosts);
  const nvim = connectToParent();
  const plugin = new NvimPlugin(entry, register, nvim);
  nvim.on('notification', (method: string, args: unknown[]) => {
    const name = method.slice(method.lastIndexOf(':') + 1);
    // Its function reports its own failures.
    void plugin.handleRequest(name, 'function', args);
  });
}

/** An unhandled error usually belongs to one message, timer or chat: it is reported, and everything else continues. */
function surviveUnhandledErrors(hosts: readonly Host[]): void {
  let recent: readonly number[] = [];
  const isTooMuch = () => {
    const now = performance.now();
    recent = [...recent, now].filter((at) => now - at < maxUnhandledErrors.withinMs);
    return recent.length > maxUnhandledErrors.count;
  };
  const report = (error: unknown) => {
    process.stderr.write(`unhandled: ${String(error)}\n`);
    for (const host of hosts) host.reportBug(error);
    if (isTooMuch()) process.exit(1);
  };
  process.on('unhandledRejection', report);
  process.on('uncaughtException', report);
}
