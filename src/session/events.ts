import type { Walk } from './form-walk.ts';
import type {
  AgentIdentity,
  CompactionStatus,
  Location,
  PlanItem,
  Question,
  Role,
  Setting,
  Severity,
  SlashCommand,
  TerminalExit,
  ToolContent,
  ToolKind,
  ToolStatus,
  Usage,
} from './model.ts';

/** What a tool call says of itself in one message; absent means unchanged. */
export interface ToolPatch {
  readonly toolCallId: string;
  readonly title?: string;
  readonly toolKind?: ToolKind;
  readonly status?: ToolStatus;
  readonly content?: readonly ToolContent[];
  readonly terminals?: readonly TerminalPatch[];
  readonly locations?: readonly Location[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  /** It is only what a question is about: no call with this id was reported. */
  readonly isAskedOnly?: true;
  /** The todo list that the call sets. */
  readonly todos?: readonly PlanItem[];
}

/** What more is known of a terminal that the agent runs itself. */
export interface TerminalPatch {
  readonly terminalId: string;
  readonly output?: string;
  readonly exit?: TerminalExit;
}

/** Absent means unchanged; an empty text takes back what was there. */
export interface CompactionPatch {
  readonly compactionId: string;
  readonly status?: CompactionStatus;
  readonly summary?: string;
  readonly error?: string;
  /** To be put behind the summary. */
  readonly more?: string;
}

/** What more is known of a command that runs in a terminal of ours; absent means unchanged. */
export interface TerminalReport {
  readonly terminalId: string;
  readonly command?: string;
  readonly cwd?: string;
  /** The end of what it wrote, with colours. */
  readonly text?: string;
  readonly exit?: TerminalExit;
  /** There will be more soon; it need not be written down. */
  readonly isPassing?: boolean;
}

/** What agents report, in our words. */
export type AgentEvent =
  | {
      readonly kind: 'chunk';
      readonly role: Role;
      readonly text: string;
      readonly messageId?: string;
      /** It is a message of its own: what was said before it has ended, and what follows does not continue it. */
      readonly isWhole?: true;
    }
  | { readonly kind: 'tool'; readonly patch: ToolPatch }
  | {
      readonly kind: 'plan';
      readonly items: readonly PlanItem[];
      readonly text?: string;
      /** Absent: the plan of an agent that has only one. */
      readonly planId?: string;
    }
  | { readonly kind: 'compaction'; readonly patch: CompactionPatch }
  | { readonly kind: 'commands'; readonly commands: readonly SlashCommand[] }
  | { readonly kind: 'settings'; readonly settings: readonly Setting[] }
  | { readonly kind: 'setting'; readonly id: string; readonly value: string | boolean }
  | { readonly kind: 'mode'; readonly mode: string }
  | { readonly kind: 'title'; readonly title: string | undefined }
  | { readonly kind: 'usage'; readonly usage: Usage }
  | NoticeEvent
  /** A report that says nothing to us. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'page_done'; readonly pageId: string }
  | { readonly kind: 'unknown'; readonly name: string; readonly raw: unknown };

export interface NoticeEvent {
  readonly kind: 'notice';
  readonly severity: Severity;
  readonly title: string;
  readonly detail?: readonly string[];
  readonly hint?: string;
  /** It is shown and no part of the conversation: it is not written down, and no message ends because of it. */
  readonly isPassing?: boolean;
}

export type StopReason = string;

/** What happens to a session: everything that changes its state is one of these. */
export type SessionEvent =
  | AgentEvent
  | { readonly kind: 'terminal'; readonly patch: TerminalReport }
  | { readonly kind: 'agent_starting' }
  | { readonly kind: 'agent_known'; readonly agent: AgentIdentity }
  | { readonly kind: 'agent_ready'; readonly agent: AgentIdentity }
  | {
      readonly kind: 'session_opened';
      readonly sessionId: string;
      readonly agent: string;
      readonly cwd: string;
    }
  | { readonly kind: 'replay_started' }
  | { readonly kind: 'login_needed'; readonly agent: AgentIdentity; readonly notice: NoticeEvent }
  | { readonly kind: 'agent_gone'; readonly notice?: NoticeEvent }
  | { readonly kind: 'prompt_queued'; readonly text: string }
  | { readonly kind: 'queue_cleared' }
  | { readonly kind: 'turn_started'; readonly text: string }
  | { readonly kind: 'cancel_requested' }
  | { readonly kind: 'turn_ended'; readonly stopReason: StopReason }
  | { readonly kind: 'question_asked'; readonly question: Question }
  | { readonly kind: 'form_filled'; readonly questionId: number; readonly walk: Walk }
  | {
      readonly kind: 'question_settled';
      readonly questionId: number;
      readonly answer: string;
      /** The option that was taken. */
      readonly optionId?: string;
      /** The user went to a page, and the agent tells when they have done there. */
      readonly isAwaited?: true;
    };
