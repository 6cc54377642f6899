import type { AcpError } from '../base/errors.ts';
import type { AgentIdentity, Setting } from '../model/agent.ts';
import type { QuestionOption } from '../model/entries.ts';
import type { Elicitation, ElicitationOutcome } from '../model/form.ts';
import type { Prompt } from '../model/prompt.ts';
import type { AgentEvent, StopReason, ToolPatch } from '../model/session-events.ts';
import type { SettingWish } from '../model/settings/setting-names.ts';
import type { TransportKind } from '../model/transport-kinds.ts';
import type { Traffic } from './traffic.ts';
import type { Services } from './workspace.ts';

/** The configuration of an agent: how to start or reach it. */
export interface AgentSpec {
  /** The key in the configuration. */
  readonly name: string;
  /** What an earlier program of the chat called itself; messages use it until this one has named itself. */
  readonly title?: string;
  /** The program and its arguments; empty for a remote agent. */
  readonly command: readonly string[];
  /** Defaults to the stdin and stdout of the program. */
  readonly transport?: TransportKind;
  /** The address of a remote agent. It may contain a password. */
  readonly url?: string;
  /** HTTP headers of every request to a remote agent. They are secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The framing of the messages; without it, the first message of the agent decides. */
  readonly framing?: 'content-length';
  /** Folders on the agent's machine, each with its local name. */
  readonly paths?: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Also serve methods that were only proposed for the protocol. */
  readonly hasProposals?: boolean;
  /** Accept ACP v1 only, no dialects. */
  readonly isStrict?: boolean;
  /** How to install the program, in one line. */
  readonly install?: string;
  /** The version of Node that its current releases need. */
  readonly node?: string;
  /** How to log in, in one line. */
  readonly login?: string;
  /** MCP servers in any supported form; later ones override earlier ones. */
  readonly mcpServers?: readonly unknown[];
  /** Additional folders to work in. */
  readonly directories?: readonly string[];
  /** The configured mode, model and options of new sessions. */
  readonly settings?: readonly SettingWish[];
}

/** Starts agents. */
export interface AgentLauncher {
  /** `isFresh`: start a new program even if one is running. */
  launch(spec: AgentSpec, isFresh?: boolean): AgentLink;
}

/** Requests to a running agent. Chats that share the agent share this too. */
export interface AgentCalls {
  /** What messages call the agent: the name it reports, before the handshake the one that is known. */
  readonly title: string;
  /** The handshake: rejects with an AcpError when the agent can't be started or has no common protocol version. */
  readonly ready: Promise<AgentIdentity>;
  /** The latest messages of the connection. */
  readonly traffic: Traffic;
  /** Every session the agent has stored, of one folder or of all. */
  listSessions(cwd: string | undefined, signal?: AbortSignal): Promise<readonly StoredSession[]>;
  /** Closes a session; agents that store sessions keep it. */
  closeSession(sessionId: string): Promise<void>;
  /** Removes a stored session from the agent. */
  deleteSession(sessionId: string): Promise<void>;
  /** Gives a session a title; resolves with the title that the agent made of it. */
  setTitle(sessionId: string, title: string): Promise<string>;
  /** Changes a setting; other settings that changed with it are reported before this resolves. */
  change(sessionId: string, setting: Setting, value: string | boolean): Promise<void>;
  /** Resolves when the turn is over and every event before its end was delivered. */
  prompt(sessionId: string, prompt: Prompt): Promise<StopReason>;
  cancel(sessionId: string): void;
  /** Sends a prompt into the running turn. `prompt_required`: no turn runs, and the agent has not taken it. */
  steer(sessionId: string, prompt: Prompt): Promise<SteeringOutcome>;
  /** Logs in by a method that the agent handles itself. */
  authenticate(methodId: string, signal?: AbortSignal): Promise<void>;
  logout(): Promise<void>;
  /** Sends an extension request. */
  request(method: string, params: object): Promise<unknown>;
  /** Sends an extension notification. */
  notify(method: string, params: object): void;
}

/** What an agent has done with a prompt for the running turn. */
export type SteeringOutcome = 'injected' | 'prompt_required';

/** One chat's link to an agent whose program other chats may use too. */
export interface AgentLink {
  /** Read it for every call: `openSession` may move the link to another program. */
  readonly agent: AgentCalls;
  /** Resolves when the agent has ended, with the reason; undefined when this client ended it. */
  readonly gone: Promise<AcpError | undefined>;
  /** Opens a session whose events go to `sink`, including those that come before its id is known. */
  openSession(opening: OpenSessionOptions, sink: SessionSink, signal?: AbortSignal): Promise<string>;
  /** Whether both links lead to the same program. */
  sharesProgramWith(other: AgentLink): boolean;
  /** Closes the link and its sessions, and ends the program if no other chat uses it. */
  end(): Promise<void>;
  /** Ends the program for every chat that uses it, and gives it time to exit. */
  endProgram(): Promise<void>;
  /** Ends the program for every chat that uses it, without giving it time. */
  kill(): Promise<void>;
}

/** Opens a new session, an earlier one by its id, or a copy of it with an id of its own. */
export interface OpenSessionOptions {
  readonly method: 'new' | 'load' | 'resume' | 'fork';
  /** The earlier session. */
  readonly sessionId?: string;
  readonly cwd: string;
}

/** A session that the agent has stored. */
export interface StoredSession {
  readonly sessionId: string;
  readonly cwd: string | undefined;
  readonly title: string | undefined;
  /** Milliseconds since 1970. */
  readonly updatedAt: number | undefined;
}

/** Receives the events and requests of one session. */
export interface SessionSink {
  /** The file and terminal services of the session. */
  readonly services?: Services;
  /** The configuration that an earlier agent of this session was reported not to get, so that it is not repeated. */
  reportedOmissions?: string;
  report(event: AgentEvent): void;
  /** Resolves with the id of the selected option, or undefined if the question was cancelled. */
  ask(request: PermissionRequest): Promise<string | undefined>;
  /** Resolves with the outcome of a form or a page. */
  elicit(request: ElicitationRequest): Promise<ElicitationOutcome>;
}

export interface PermissionRequest {
  readonly tool: ToolPatch;
  readonly options: readonly QuestionOption[];
  /** Aborted when the agent withdraws the request. */
  readonly withdrawn: AbortSignal;
  /** Asked by the plugin, so it survives the end of the turn. */
  readonly isOurs?: boolean;
}

export interface ElicitationRequest {
  readonly elicitation: Elicitation;
  readonly toolCallId: string | undefined;
  /** Aborted when the agent withdraws the request. */
  readonly withdrawn: AbortSignal;
}
