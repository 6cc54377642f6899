import type { Disposable } from './base.ts';
import type { AcpError } from './errors.ts';
import type { AgentEvent, SessionEvent, StopReason, TerminalReport, ToolPatch } from './session/events.ts';
import type { Elicitation, Outcome } from './session/form.ts';
import type { AgentIdentity, QuestionOption, SessionState, Setting } from './session/model.ts';
import type { Region } from './workspace/merge.ts';

/** Time, as the program sees it; tests bring their own. */
export interface Clock {
  now(): number;
  /** Calls back once, unless disposed first. */
  after(ms: number, callback: () => void): Disposable;
  /** Calls back again and again until disposed. */
  every(ms: number, callback: () => void): Disposable;
}

export interface Log {
  error(message: string, error?: unknown): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
}

/** What carries the messages of an agent. */
export type TransportKind = 'stdio' | 'websocket' | 'http' | 'post';

/** How to start or reach an agent, as the configuration says. */
export interface AgentSpec {
  readonly name: string;
  /** Its program and arguments; empty for an agent elsewhere. */
  readonly command: readonly string[];
  /** How it is spoken to; a program by its pipes unless told otherwise. */
  readonly transport?: TransportKind;
  /** Where an agent elsewhere is. It may hold a password. */
  readonly url?: string;
  /** What every request to an agent elsewhere carries. They are secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How a program frames its messages; what it sends first tells it otherwise. */
  readonly framing?: 'content-length';
  /** Folders on the agent's machine, each with its name on ours. */
  readonly paths?: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Methods that are in no version of the protocol but were proposed are served too. */
  readonly hasProposals?: boolean;
  /** It must speak ACP v1 to the letter. */
  readonly isStrict?: boolean;
  /** One line that tells how to get the program. */
  readonly install?: string;
  /** MCP servers in the shapes users write them, later ones over earlier ones. */
  readonly mcpServers?: readonly unknown[];
  /** Folders to work in besides `cwd`. */
  readonly directories?: readonly string[];
}

/** Starts agents. */
export interface AgentLauncher {
  /** `isFresh`: an agent that is started for this, even if one runs already. */
  launch(spec: AgentSpec, isFresh?: boolean): AgentLink;
}

/** A started agent and the connection to it. Disposing it ends the program and its children. */
export interface AgentLink extends Disposable {
  /** The handshake: rejects with an AcpError when the agent can't be started or spoken to. */
  readonly ready: Promise<AgentIdentity>;
  /** Settles when the agent is gone for good, with the reason; undefined when we ended it. */
  readonly gone: Promise<AcpError | undefined>;
  /** Opens a session whose reports go to `sink`, those included that come before its id is known. */
  openSession(opening: Opening, sink: SessionSink, signal?: AbortSignal): Promise<string>;
  /** Every session the agent keeps, of one folder or of all. */
  listSessions(cwd: string | undefined, signal?: AbortSignal): Promise<readonly KeptSession[]>;
  /** Lets go of a session; the agent keeps it if it keeps sessions at all. */
  closeSession(sessionId: string): Promise<void>;
  /** Makes the agent forget a session for good. */
  deleteSession(sessionId: string): Promise<void>;
  /** Changes something about a session; what else changed with it is reported before this resolves. */
  change(sessionId: string, setting: Setting, value: string | boolean): Promise<void>;
  /** Resolves when the turn is over and every report before its end was delivered. */
  prompt(sessionId: string, text: string): Promise<StopReason>;
  cancel(sessionId: string): void;
  /** Logs in by a method that the agent drives itself. */
  authenticate(methodId: string, signal?: AbortSignal): Promise<void>;
  logout(): Promise<void>;
  /** What was said on the connection lately. */
  readonly traffic: Traffic;
  /** Asks the agent something beyond the protocol. */
  request(method: string, params: object): Promise<unknown>;
  /** Tells the agent something beyond the protocol. */
  notify(method: string, params: object): void;
  /** Settles when nothing of this is left; a program that others use too goes on. */
  end(): Promise<void>;
  /** Ends the program, whoever else uses it. */
  kill(): void;
}

/** What a session is to be, and for one that is to be opened again, which and how. */
export interface Opening {
  readonly how: 'new' | 'load' | 'resume';
  /** The one to open again. */
  readonly sessionId?: string;
  readonly cwd: string;
}

/** A session that an agent keeps. */
export interface KeptSession {
  readonly sessionId: string;
  readonly cwd: string | undefined;
  readonly title: string | undefined;
  /** Milliseconds since 1970. */
  readonly updatedAt: number | undefined;
}

/** A message on the wire. */
export interface TrafficEntry {
  /** Counts the messages of the connection, from 0. */
  readonly number: number;
  readonly at: number;
  readonly isOutgoing: boolean;
  readonly message: unknown;
  /** About how many bytes it had. */
  readonly size: number;
  /** It was too big to be kept whole. */
  readonly isShortened: boolean;
}

export interface TrafficWatcher {
  onEntry(entry: TrafficEntry): void;
  onEnd(): void;
}

/** The last messages of a connection, as they stood on the wire. They may hold secrets: `redactMessage` first. */
export interface Traffic {
  /** The number of the first message that is still kept. */
  readonly oldest: number;
  readonly isOver: boolean;
  /** What is kept from a number on. */
  since(number: number, limit?: number): readonly TrafficEntry[];
  watch(watcher: TrafficWatcher): Disposable;
}

/** Something beyond the protocol that an agent asks or tells. */
export interface ExtensionCall {
  /** Whose session it is about. */
  readonly owner: SessionSink | undefined;
  readonly agent: string;
  readonly session: string | undefined;
  readonly method: string;
  readonly params: unknown;
}

/** Names of methods. */
export interface ExtensionOffer {
  readonly requests: readonly string[];
  readonly notifications: readonly string[];
}

/** What the user has for agents beyond the protocol. */
export interface Extensions {
  /** What agents are told of, if there is anything. */
  readonly offer: ExtensionOffer | undefined;
  serves(method: string): boolean;
  /** Settles in a limited time. */
  request(call: ExtensionCall, withdrawn: AbortSignal): Promise<unknown>;
  notify(call: ExtensionCall): void;
}

/** Where the reports and questions of one agent session arrive. */
export interface SessionSink {
  /** What the session lets its agent do in the editor. */
  readonly services?: Services;
  report(event: AgentEvent): void;
  /** Resolves with the id of the option taken, or undefined when the question was cancelled. */
  ask(request: PermissionRequest): Promise<string | undefined>;
  /** Resolves with what the user made of a form or a page; it is cancelled when the agent takes it back. */
  elicit(request: ElicitationRequest): Promise<Outcome>;
}

/** What an agent may do in the editor of its user. What is absent is not offered. */
export interface Services {
  readonly files?: FileService;
  readonly terminals?: TerminalService;
  readonly changes?: ChangeWatch;
}

/** Knows what becomes of the files while an agent works. */
export interface ChangeWatch {
  /** Settles when it is known what there is; the agent is told the prompt then. It never rejects. */
  beginTurn(prompt: string): Promise<void>;
  /** Something happened; `state` is what the session is after it. */
  hear(event: SessionEvent, state: SessionState): void;
}

/** Makes what one session may use; all of it ends with the session. */
export interface Workspace {
  /** What every session is offered, so that an agent can be told before there is one. */
  readonly offers: { readonly files: boolean; readonly terminals: boolean };
  open(place: WorkPlace): OpenWorkspace;
}

/** What one session uses; disposing it ends all of it. */
export interface OpenWorkspace extends Services, Disposable {
  /** The agent is gone, and so is what it started. */
  abandon(): void;
}

/** Where a session works, and how its user is asked. */
export interface WorkPlace {
  readonly chat: number;
  readonly cwd: string;
  /** Folders that are its business besides. */
  readonly directories: readonly string[];
  /** Where what the session changes is written down; absent: nowhere. */
  readonly state?: string | undefined;
  /**
   * True when the user lets the agent do what no rule allows, such as leaving its folders. Rejects when nobody decided,
   * because it was cancelled.
   */
  consent(wish: Wish): Promise<boolean>;
  /** Tells what a command of this place does. */
  report(patch: TerminalReport): void;
  /** Lets the user settle what contradicts their text; undefined when they do not. Absent: nobody can be asked. */
  settle?(conflict: Conflict, withdrawn: AbortSignal): Promise<readonly string[] | undefined>;
  /** Tells the user something by the way. */
  say?(text: string): void;
}

/** A text of the user that somebody else has changed too, in the same lines. */
export interface Conflict {
  readonly path: string;
  /** Who wants it otherwise. */
  readonly cause: 'agent' | 'disk';
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
  readonly regions: readonly Region[];
}

export interface Wish {
  readonly kind: 'read' | 'edit' | 'execute';
  /** The whole command or path. */
  readonly subject: string;
  /** Why it has to be asked for. */
  readonly reason: string;
  /** What to do besides when the user does not want to be asked again. */
  readonly always?: { readonly name: string; remember(): void };
  /** Fires when the agent takes back what it tried. */
  readonly withdrawn?: AbortSignal | undefined;
}

/** Files as the user sees them, unsaved text included. Rejects with an AcpError that names the path. */
export interface FileService {
  read(request: FileRead, withdrawn: AbortSignal): Promise<string>;
  write(request: FileWrite, withdrawn: AbortSignal): Promise<void>;
  list(path: string): Promise<readonly FolderEntry[]>;
  /** The file has changed on disk while its buffer has unsaved changes. */
  changedOnDisk?(path: string): Promise<void>;
}

export interface FileRead {
  /** Absolute. */
  readonly path: string;
  /** The first line wanted, from 1. */
  readonly line: number;
  /** At most so many lines; absent: all. */
  readonly limit: number | undefined;
  /** What a file that is not there is: nothing, or an error. */
  readonly isMissingEmpty: boolean;
}

export interface FileWrite {
  readonly path: string;
  readonly content: string;
}

export interface FolderEntry {
  readonly name: string;
  readonly type: 'file' | 'directory';
}

/** Commands that run for an agent and are shown to the user. An id that is not known, or not any more, is an AcpError. */
export interface TerminalService {
  /** Resolves as soon as the command is started. */
  create(request: CommandRun): Promise<string>;
  output(terminalId: string): TerminalOutput;
  /** Resolves when the command has ended, in whatever way. */
  waitForExit(terminalId: string, withdrawn: AbortSignal): Promise<ExitStatus>;
  /** Ends the command; what it wrote can still be asked for. */
  kill(terminalId: string): Promise<void>;
  /** Ends the command and forgets its id. */
  release(terminalId: string): Promise<void>;
}

export interface CommandRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Of the output, so many bytes are kept at its end. */
  readonly byteLimit: number | undefined;
}

export interface TerminalOutput {
  readonly text: string;
  readonly isTruncated: boolean;
  /** Absent while the command runs. */
  readonly exit: ExitStatus | undefined;
}

export interface ExitStatus {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

/** Runs programs in pseudo-terminals. */
export interface PtyLauncher {
  /** Whether this machine can. */
  readonly isAvailable: boolean;
  /** Throws when the program can't be started. */
  open(program: PtyProgram): Pty;
}

export interface PtyProgram extends TerminalSize {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Takes what it writes, as it comes. */
  onOutput(bytes: Buffer): void;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A program in a pseudo-terminal. */
export interface Pty {
  /** Resolves when the program itself has ended and what it wrote was read, whoever else still holds the terminal. */
  readonly exited: Promise<ExitStatus>;
  write(text: string): void;
  resize(size: TerminalSize): void;
  /** Ends the program and everything it started; settles when nothing of it is left. */
  end(): Promise<void>;
}

export interface PermissionRequest {
  readonly tool: ToolPatch;
  readonly options: readonly QuestionOption[];
  /** Fires when the agent takes the question back. */
  readonly withdrawn: AbortSignal;
  /** It is none of the agent's, and outlives its turn. */
  readonly isOurs?: boolean;
}

export interface ElicitationRequest {
  readonly elicitation: Elicitation;
  readonly toolCallId: string | undefined;
  /** Fires when the agent takes it back. */
  readonly withdrawn: AbortSignal;
}

/** What the host asks of the editor. Every call is answered from the editor's memory, none waits for the user. */
export interface Editor {
  /** Tells Lua one operation and resolves with its answer. */
  call(op: string, payload: object): Promise<unknown>;
  /** Tells Lua one operation; failures come back as a report of Lua's own. */
  tell(op: string, payload: object): void;
}
