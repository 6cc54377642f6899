import type { Walk } from './form-walk.ts';
import type {
  AgentIdentity,
  Location,
  PlanItem,
  Question,
  Role,
  Setting,
  Severity,
  SlashCommand,
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
  readonly locations?: readonly Location[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
}

/** What agents report, in our words. */
export type AgentEvent =
  | { readonly kind: 'chunk'; readonly role: Role; readonly text: string; readonly messageId?: string }
  | { readonly kind: 'tool'; readonly patch: ToolPatch }
  | { readonly kind: 'plan'; readonly items: readonly PlanItem[] }
  | { readonly kind: 'commands'; readonly commands: readonly SlashCommand[] }
  | { readonly kind: 'settings'; readonly settings: readonly Setting[] }
  | { readonly kind: 'setting'; readonly id: string; readonly value: string | boolean }
  | { readonly kind: 'mode'; readonly mode: string }
  | { readonly kind: 'title'; readonly title: string | undefined }
  | { readonly kind: 'usage'; readonly usage: Usage }
  | NoticeEvent
  | { readonly kind: 'page_done'; readonly pageId: string }
  | { readonly kind: 'unknown'; readonly name: string; readonly raw: unknown };

export interface NoticeEvent {
  readonly kind: 'notice';
  readonly severity: Severity;
  readonly title: string;
  readonly detail?: readonly string[];
  readonly hint?: string;
}

export type StopReason = string;

/** What happens to a session: everything that changes its state is one of these. */
export type SessionEvent =
  | AgentEvent
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
      /** The user went to a page, and the agent tells when they have done there. */
      readonly isAwaited?: true;
    };
