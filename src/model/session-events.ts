import type { AgentIdentity, Setting, SlashCommand, Usage } from './agent.ts';
import type {
  CompactionStatus,
  Location,
  PlanItem,
  Question,
  Role,
  Severity,
  Subagent,
  TerminalExit,
  ToolContent,
  ToolEntry,
  ToolKind,
  ToolStatus,
  TurnSummary,
} from './entries.ts';
import type { FormProgress } from './form-progress.ts';
import type { Attachment, PromptRecord, QueuedPromptRecord } from './prompt.ts';

/** An update of a tool call. Absent means unchanged. */
export interface ToolPatch {
  readonly toolCallId: string;
  readonly title?: string;
  /** The names that the agent gives the tool; usually one. */
  readonly toolNames?: readonly string[];
  readonly toolKind?: ToolKind;
  readonly status?: ToolStatus;
  readonly content?: readonly ToolContent[];
  readonly terminals?: readonly TerminalPatch[];
  readonly locations?: readonly Location[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
  /** Only a question mentions the call; the agent has not reported it. */
  readonly isAskedOnly?: true;
  /** The todo list that the call sets. */
  readonly todos?: readonly PlanItem[];
  /** The id of the call that started it. */
  readonly parent?: string;
  readonly subagent?: Subagent;
}

/** An update of a terminal that the agent runs itself. */
export interface TerminalPatch {
  readonly terminalId: string;
  readonly output?: string;
  readonly exit?: TerminalExit;
}

/** An update of a compaction. Absent means unchanged; an empty text removes the old one. */
export interface CompactionPatch {
  readonly compactionId: string;
  readonly status?: CompactionStatus;
  readonly summary?: string;
  readonly error?: string;
  /** Appended to the summary. */
  readonly more?: string;
}

/** An update of a terminal of the plugin. Absent means unchanged. */
export interface TerminalReport {
  readonly terminalId: string;
  readonly command?: string;
  readonly cwd?: string;
  /** The end of its output, with colours. */
  readonly text?: string;
  readonly exit?: TerminalExit;
  /** More output follows soon, so the journal skips this update. */
  readonly isNotJournaled?: boolean;
}

/** What a tool call shows when it is open. */
export interface CallBody extends Pick<ToolEntry, 'content' | 'diffs' | 'rawInput' | 'rawOutput'> {
  /** The output of its terminals. */
  readonly outputs: readonly { readonly terminalId: string; readonly text: string }[];
}

/** The agent's updates, decoded. */
export type AgentEvent =
  | {
      readonly kind: 'chunk';
      readonly role: Role;
      readonly text: string;
      readonly messageId?: string;
      /** A complete message: it does not continue the one before it, and the next chunk does not continue it. */
      readonly isCompleteMessage?: true;
    }
  /** A part of a message that is not text. */
  | { readonly kind: 'attachment'; readonly role: Role; readonly attachment: Attachment }
  | { readonly kind: 'tool'; readonly patch: ToolPatch }
  | {
      readonly kind: 'plan';
      readonly items: readonly PlanItem[];
      readonly text?: string;
      /** Absent if the agent has only one plan. */
      readonly planId?: string;
    }
  | { readonly kind: 'compaction'; readonly patch: CompactionPatch }
  | { readonly kind: 'commands'; readonly commands: readonly SlashCommand[] }
  | { readonly kind: 'settings'; readonly settings: readonly Setting[] }
  | { readonly kind: 'setting'; readonly id: string; readonly value: string | boolean }
  | { readonly kind: 'mode'; readonly mode: string }
  | {
      readonly kind: 'title';
      readonly title: string | undefined;
      /** True: the user chose it, and titles of the agent do not replace it. False: the agent has it from the user. */
      readonly isChosen?: boolean;
    }
  | { readonly kind: 'usage'; readonly usage: Usage }
  /** What the turn took that ends now. */
  | { readonly kind: 'turn_tokens'; readonly tokens: number }
  /** Texts for the next prompt; none withdraws the earlier ones. */
  | { readonly kind: 'suggestions'; readonly suggestions: readonly string[] }
  | NoticeEvent
  /** An update without content. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'page_done'; readonly pageId: string }
  | { readonly kind: 'unknown'; readonly name: string; readonly raw: unknown };

export interface NoticeEvent {
  readonly kind: 'notice';
  readonly severity: Severity;
  readonly title: string;
  readonly detail?: readonly string[];
  readonly hint?: string;
  /** Shown in the chat only: it is not written to the journal and does not close the open message. */
  readonly isNotJournaled?: boolean;
  /** A prompt that it follows is sent again after the login. */
  readonly isAboutLogin?: boolean;
}

export type StopReason = string;

/** Everything that changes the state of a session. */
export type SessionEvent =
  | AgentEvent
  | { readonly kind: 'terminal'; readonly patch: TerminalReport }
  /** The texts of these calls (their keys) and terminals leave memory, except for their beginnings and ends. */
  | { readonly kind: 'bodies_cut'; readonly calls: readonly string[]; readonly terminals: readonly string[] }
  /** The texts of a call that was cut were read again. */
  | { readonly kind: 'body_read'; readonly call: string; readonly body: CallBody }
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
  | {
      readonly kind: 'agent_gone';
      readonly notice?: NoticeEvent | undefined;
      /** The plugin has ended it because it had nothing to do; the next prompt starts it again. */
      readonly isIdle?: true;
    }
  | ({ readonly kind: 'prompt_queued' } & QueuedPromptRecord)
  /** Replaces the queue. */
  | { readonly kind: 'queue_changed'; readonly prompts: readonly QueuedPromptRecord[] }
  | { readonly kind: 'queue_cleared' }
  /** The agent has taken a prompt into the running turn. */
  | ({ readonly kind: 'prompt_injected' } & PromptRecord)
  /**
   * `isShown`: the transcript has the prompt already, because it is sent again. `isUnsent`: the agent gets it with
   * `prompt_sent`. Journals of earlier versions have neither.
   */
  | ({ readonly kind: 'turn_started'; readonly isShown?: true; readonly isUnsent?: true } & PromptRecord)
  /** The agent is about to get the prompt of the turn. */
  | { readonly kind: 'prompt_sent' }
  | { readonly kind: 'cancel_requested' }
  | { readonly kind: 'turn_ended'; readonly stopReason: StopReason }
  /** The files that a turn changed are known, some time after its end. `isLate`: the next turn has begun. */
  | { readonly kind: 'turn_summary'; readonly summary: TurnSummary; readonly isLate?: boolean }
  /** A rule of the user has decided about a tool call, so the user was not asked. */
  | {
      readonly kind: 'call_decided';
      readonly toolCallId: string;
      readonly verdict: 'allow' | 'deny';
      /** The rule, and where it stands. */
      readonly reason: string;
    }
  /** The user allows everything but what is destructive, unclear or outside, or has ended that. */
  | { readonly kind: 'allow_all'; readonly isOn: boolean }
  | { readonly kind: 'question_asked'; readonly question: Question }
  | { readonly kind: 'form_filled'; readonly questionId: number; readonly progress: FormProgress }
  | {
      readonly kind: 'question_settled';
      readonly questionId: number;
      readonly answer: string;
      /** The chosen option. */
      readonly optionId?: string;
      /** Its position, because option ids may repeat. */
      readonly optionIndex?: number;
      /** The user opened a page, and the agent will report when the user is done there. */
      readonly isAwaited?: true;
    };
