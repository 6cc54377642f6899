import type { Disposable } from '../base.ts';
import type { AcpError } from '../errors.ts';
import type { AgentEvent, StopReason, ToolPatch } from '../session/events.ts';
import type { Elicitation, Outcome } from '../session/form.ts';
import type { AgentIdentity, QuestionOption, Setting } from '../session/model.ts';
import type { Traffic } from './wire.ts';
import type { Services } from './workspace.ts';

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
  /** One line that tells how to log in. */
  readonly login?: string;
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
  /** Whether both are served by the same program. */
  sharesProgramWith(other: AgentLink): boolean;
  /** Ends the program in order, whoever else uses it; settles when nothing of it is left. */
  endProgram(): Promise<void>;
  /** Ends the program at once, whoever else uses it. */
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
