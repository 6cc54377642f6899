import type { Elicitation } from './form.ts';
import type { FormProgress } from './form-progress.ts';
import type { GrowingText } from './growing-text.ts';
import type { Attachment } from './prompt.ts';

export type Role = 'user' | 'agent' | 'thought';
export type ToolKind =
  | 'read'
  | 'edit'
  | 'delete'
  | 'move'
  | 'search'
  | 'execute'
  | 'think'
  | 'fetch'
  | 'switch_mode'
  | 'other';
/** `unreported`: the turn is over, but the agent never reported how the call ended. */
export type ToolStatus = 'pending' | 'running' | 'done' | 'failed' | 'cancelled' | 'unreported';
export type Severity = 'info' | 'warning' | 'error';

/** An entry keeps its position in the transcript; its content may change. */
interface EntryBase {
  readonly id: number;
  readonly at: number;
  /** The agent replayed it from an earlier session, so `at` is not the time when it happened. */
  isReplayed?: boolean;
}

export interface MessageEntry extends EntryBase {
  readonly kind: 'message';
  readonly role: Role;
  readonly messageId: string | undefined;
  readonly text: GrowingText;
  endedAt: number | undefined;
  /** The id of the prompt. */
  readonly promptId?: string;
  /** The user sent it into the running turn. */
  readonly isInjected?: true;
}

/** What belongs to the message before it: files of a prompt, pictures of an answer. */
export interface AttachmentsEntry extends EntryBase {
  readonly kind: 'attachments';
  readonly role: Role;
  items: readonly Attachment[];
}

export interface ToolEntry extends EntryBase {
  readonly kind: 'tool';
  readonly toolCallId: string;
  /** How often an agent had been started when the call began. The next agent may use the same ids again. */
  readonly agentStarts: number;
  title: string;
  /** The names that the agent gives the tool; usually one. */
  toolNames?: readonly string[];
  toolKind: ToolKind;
  status: ToolStatus;
  content: readonly ToolContent[];
  /** The last diffs of the call: some agents drop them from the content when the call is done. */
  diffs: readonly Diff[];
  /** Output of terminals that the agent runs itself. */
  readonly terminals: CommandOutputState[];
  locations: readonly Location[];
  rawInput: unknown;
  rawOutput: unknown;
  /** When it began to run; time spent waiting for the user's answer is added to it. */
  startedAt: number;
  endedAt: number | undefined;
  /** Only a question mentions the call, so it has no entry of its own. */
  isAskedOnly?: boolean;
  /** The user rejected it. */
  isRejected?: boolean;
  /** The user allowed it. */
  isAllowed?: boolean;
  /** The rule of the user that allowed or denied it. */
  decidedBy?: string;
  /** It was open when the user cancelled the turn, or began after that. */
  isStopped?: boolean;
  /** Its content when the user was asked about it, which is not output. */
  askedContent?: readonly ToolContent[];
  /** The id of the call that started it: a subagent. */
  parent?: string;
  /** The session of the subagent that it stands for. */
  subagent?: Subagent;
  /** Only the beginnings and ends of its texts are in memory; the journal has them whole, unless the chat is private. */
  isCut?: boolean;
}

export interface Subagent {
  readonly sessionId: string;
  /** The agent lets the user stop it alone. */
  readonly canCancel: boolean;
}

export interface PlanEntry extends EntryBase {
  readonly kind: 'plan';
  items: readonly PlanItem[];
  /** The plan as text, or the path of its file. */
  text: string;
}

/** The agent replaces the conversation so far by a summary. */
export interface CompactionEntry extends EntryBase {
  readonly kind: 'compaction';
  status: CompactionStatus;
  summary: string;
  error: string;
}

/** All updates of one kind that the plugin does not support. */
export interface UnknownEntry extends EntryBase {
  readonly kind: 'unknown';
  readonly name: string;
  count: number;
  /** The last update, as the agent sent it. */
  raw: unknown;
}

/** What a turn took and changed. */
export interface TurnSummary {
  /** Without the time that the agent waited for the user. */
  readonly ms: number;
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** What the turn cost, if the agent reports costs. */
  readonly cost: { readonly amount: number; readonly currency: string } | undefined;
  readonly tokens?: number;
  /** The user stopped it, or it ended for another reason before the agent had finished. */
  readonly isUnfinished?: boolean;
}

/** The last line of a turn. */
export interface SummaryEntry extends EntryBase {
  readonly kind: 'summary';
  readonly summary: TurnSummary;
  /** The prompt that it stands above, if that was sent before the files of the turn were compared. */
  readonly above?: number;
}

export interface NoticeEntry extends EntryBase {
  readonly kind: 'notice';
  readonly severity: Severity;
  readonly title: string;
  readonly detail: readonly string[];
  /** What the user can do next. */
  readonly hint: string | undefined;
  /** The prompt above it is sent again after the login. */
  readonly isAboutLogin?: boolean;
}

export interface QuestionEntry extends EntryBase {
  readonly kind: 'question';
  readonly question: Question;
  /** The tool call that it is about. */
  tool: ToolEntry | undefined;
  /** That tool call as it was when the user answered. Agents change titles later. */
  toolAtAnswer?: ToolEntry;
  /** The name of the chosen option, or how the question ended otherwise. */
  answer: string | undefined;
  /** The kind of the chosen option. */
  answerKind?: QuestionOption['kind'];
  formProgress?: FormProgress;
  /** The user opened the page, and the agent will report when the user is done there. */
  isAwaited?: boolean;
}

export type Entry =
  | MessageEntry
  | AttachmentsEntry
  | ToolEntry
  | PlanEntry
  | NoticeEntry
  | QuestionEntry
  | CompactionEntry
  | SummaryEntry
  | UnknownEntry;

export type ToolContent =
  | { readonly kind: 'text'; readonly text: string }
  | Diff
  | { readonly kind: 'terminal'; readonly terminalId: string }
  | { readonly kind: 'attachment'; readonly attachment: Attachment }
  | { readonly kind: 'other'; readonly label: string };

export interface Diff {
  readonly kind: 'diff';
  readonly path: string;
  readonly oldText: string | undefined;
  readonly newText: string;
  /** The new text replaces the whole file; its old content is not known. */
  readonly replacesFile?: true;
  /** What it no longer has because it was cut. */
  readonly omitted?: OmittedLines;
}

/** How many lines of a diff are left out. */
export interface OmittedLines {
  readonly added: number;
  readonly removed: number;
  /** Those that a reader would see, with context. */
  readonly shown: number;
  /** Equal lines that are left out above a row of the old text; rows count from 0. */
  readonly equal: readonly { readonly above: number; readonly count: number }[];
}

/** The end of a command's output, and its exit status. */
export interface CommandOutputState {
  readonly terminalId: string;
  text: string;
  exit: TerminalExit | undefined;
}

/** A command in a terminal of the plugin. */
export interface TerminalState extends CommandOutputState {
  /** As the user would type it. */
  command: string;
  cwd: string | undefined;
  /** Only the beginning and the end of its text are in memory, as for a call. */
  isCut?: boolean;
}

export interface TerminalExit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

/** `word`: a status that is not in the protocol, as the agent sent it. */
export type CompactionStatus = Exclude<ToolStatus, 'pending' | 'unreported'> | { readonly word: string };

export interface Location {
  readonly path: string;
  readonly line: number | undefined;
}

export interface PlanItem {
  readonly text: string;
  readonly status: 'pending' | 'running' | 'done';
}

/** Something that the user must answer. */
export interface Question {
  readonly id: number;
  /** The tool call that it is about. */
  readonly toolCallId: string | undefined;
  /** The answers to a permission or conflict question. */
  readonly options: readonly QuestionOption[];
  /** The form or page of an elicitation, which has no options. */
  readonly elicitation?: Elicitation;
  /** Asked by the plugin, so it survives the end of the turn. */
  readonly isOurs?: boolean;
}

export interface QuestionOption {
  readonly id: string;
  readonly name: string;
  readonly kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always' | 'other';
}

/** What identifies a tool call in its chat. */
export function callKey({ agentStarts, toolCallId }: Pick<ToolEntry, 'agentStarts' | 'toolCallId'>): string {
  return `${agentStarts} ${toolCallId}`;
}

/**
 * Whether nothing of the agent follows the prompt of the last turn. What was attached, remarks about it and prompts that
 * were sent into the turn belong to it.
 */
export function isPromptUnanswered(entries: readonly Entry[]): boolean {
  return unansweredPrompt(entries) !== undefined;
}

/** The prompt of the last turn, if nothing of the agent follows it. */
export function unansweredPrompt(entries: readonly Entry[]): MessageEntry | undefined {
  const last = entries.findLast((entry) => {
    if (entry.kind === 'notice') return entry.severity !== 'info' && !entry.isAboutLogin;
    if (entry.kind === 'message' && entry.isInjected) return false;
    return entry.kind !== 'attachments' || entry.role !== 'user';
  });
  return last?.kind === 'message' && last.role === 'user' ? last : undefined;
}
