import type { Disposable } from '../base.ts';
import type { SessionEvent, TerminalReport } from '../session/events.ts';
import type { SessionState } from '../session/model.ts';
import type { Region } from '../workspace/merge.ts';
import type { FileService } from './files.ts';
import type { CommandRun, TerminalService } from './terminals.ts';

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
  /** How often the questions of the agent were cancelled, by the user or with its turn. */
  cancels?(): number;
  /** The agent works on another machine, so nothing it does here goes without saying. */
  readonly isElsewhere?: boolean;
  /** True when the user allowed this very command in this turn; it counts once. */
  takeAllowed?(run: Pick<CommandRun, 'command' | 'args'> & { readonly cwd: string }): boolean;
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
  /** What the user has to know besides, such as the folder a command runs in. */
  readonly details?: readonly string[];
  /** Why it has to be asked for. */
  readonly reason: string;
  /** What would become of the file. */
  readonly change?: { readonly oldText: string | undefined; readonly newText: string };
  /** What to do besides when the user does not want to be asked again. */
  readonly always?: { readonly name: string; remember(): void };
  /** Fires when the agent takes back what it tried. */
  readonly withdrawn?: AbortSignal | undefined;
  /** How often questions had been cancelled when the agent tried it: what was cancelled since is not asked. */
  readonly since?: number | undefined;
}
