import type { Region } from '../diff/merge.ts';
import type { SessionState } from '../model/session.ts';
import type { SessionEvent, TerminalReport } from '../model/session-events.ts';
import type { OpenFile } from './editor-operations.ts';
import type { FileService } from './files.ts';
import type { AgentAction, Verdict } from './permissions.ts';
import type { CommandRequest, TerminalService } from './terminals.ts';

/** The services of the editor for one agent. An absent service is not offered. */
export interface Services {
  readonly files?: FileService;
  readonly terminals?: TerminalService;
  readonly changes?: ChangeWatch;
}

/** Tracks what a session changes in files. */
export interface ChangeWatch {
  /** The user has begun to write a prompt: does what the snapshot of its turn need not do again. It never rejects. */
  prepareTurn(): Promise<void>;
  /**
   * A turn is about to begin. `open` are the files that are open in Neovim, if it has sent them with the prompt; else it
   * is asked now, before it is busy with showing the prompt.
   */
  expectTurn(open?: readonly OpenFile[]): void;
  /** Takes the snapshot of a turn. The prompt is sent when this resolves. It never rejects. */
  beginTurn(prompt: string): Promise<void>;
  /**
   * The prompt is to be sent before that: what changes from now on may be a change of the agent. False if there is no
   * earlier snapshot to compare it with.
   */
  allowEarlyPrompt(): boolean;
  /** Called after each event with the state of the session after it. */
  onEvent(event: SessionEvent, state: SessionState): void;
}

/** Opens the services of sessions. */
export interface Workspace {
  /** The services that every session gets; an agent is told them before its first session. */
  readonly offers: { readonly files: boolean; readonly terminals: boolean };
  open(options: WorkspaceOptions): OpenWorkspace;
}

/** The services of one session. */
export interface OpenWorkspace extends Services {
  /** Ends the commands of an agent that is gone. */
  abandon(): void;
  /** Resolves when every command has ended and every change is on disk. It never rejects. */
  end(): Promise<void>;
}

/** The folders of a session, and how its user is asked and told. */
export interface WorkspaceOptions {
  readonly chat: number;
  readonly cwd: string;
  /** Further folders of the session. */
  readonly directories: readonly string[];
  /** The folder that keeps the changes of the session; absent: changes are not tracked. */
  readonly changesFolder?: string | undefined;
  /** Asks the user to allow something that needs consent. Rejects when the question was cancelled. */
  consent(request: ConsentRequest): Promise<boolean>;
  /** What a rule of the user says; undefined if none is about it. A denial is recorded. */
  ruleAbout?(action: ServiceAction & Pick<ConsentRequest, 'kind'>): Verdict | undefined;
  /** How often the questions of the agent were cancelled, by the user or with its turn. */
  cancelCount?(): number;
  /** The agent runs on another machine, so every change here needs consent. */
  readonly isRemote?: boolean;
  /** True if the user has allowed exactly this command in this turn. Each permission counts once. */
  usePermission?(run: Pick<CommandRequest, 'command' | 'args'> & { readonly cwd: string }): boolean;
  /** Whether the user has allowed commands in this turn that were not run yet. */
  hasPermissions?(): boolean;
  /** A command of the agent was started, not one of the user. */
  onCommand?(terminalId: string): void;
  /** Reports the state of a command. */
  report(patch: TerminalReport): void;
  /** Whether a change of the file at this real path needs consent wherever it is. */
  isProtected?(file: string): boolean;
  /** The user does not want to be asked about conflicts. */
  refusesConflicts?(): boolean;
  /** Asks the user to resolve a conflict; undefined when they do not. Absent: nobody can be asked. */
  resolveConflict?(conflict: Conflict, withdrawn: AbortSignal): Promise<readonly string[] | undefined>;
  /** Shows a notice in the chat. */
  notice?(text: string): void;
}

/** Lines of the user's text that an agent or another program has changed too. */
export interface Conflict {
  readonly path: string;
  /** The other side: a write of the agent, or the file on disk. */
  readonly cause: 'agent' | 'disk';
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
  readonly regions: readonly Region[];
}

/** What a service of the editor is about to do for an agent. */
export type ServiceAction = Partial<
  Pick<AgentAction, 'commands' | 'paths' | 'cwd' | 'isProtected' | 'unclear'>
>;

/** Something that an agent may do only if its user allows it. */
export interface ConsentRequest {
  readonly kind: 'read' | 'edit' | 'execute';
  /** The whole command or path. */
  readonly subject: string;
  /** Further facts for the user, such as the folder a command runs in. */
  readonly details?: readonly string[];
  /** The same for the rules of the user. */
  readonly action: ServiceAction;
  /** Why it needs consent; absent: everything of this kind does. */
  readonly reason?: string | undefined;
  /** The change of the file. */
  readonly change?: { readonly oldText: string | undefined; readonly newText: string };
  /** The choice "always"; `remember` is called when the user makes it. */
  readonly always?: { readonly name: string; remember(): void };
  /** Fires when the agent cancels its request. */
  readonly withdrawn?: AbortSignal | undefined;
  /** `cancelCount` when the agent made its request. The user is not asked if questions were cancelled since. */
  readonly since?: number | undefined;
}
