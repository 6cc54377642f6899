import type { Elicitation } from './form.ts';
import type { Walk } from './form-walk.ts';
import type { GrowingText } from './text.ts';

/**
 * What a session is doing. A turn is a state, never a pending promise: agents also speak outside of turns.
 * `login` means that the agent wants to know who the user is, `down` that there is no agent behind the chat; `:AcpRestart` brings one back.
 */
export type Phase = 'starting' | 'login' | 'idle' | 'running' | 'cancelling' | 'down';

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
/** `unreported`: the turn is over, and the agent never said how the call ended. */
export type ToolStatus = 'pending' | 'running' | 'done' | 'failed' | 'cancelled' | 'unreported';
export type Severity = 'info' | 'warning' | 'error';

/** Where in the transcript an entry stands is fixed when it is first seen; what it says may change. */
interface EntryBase {
  readonly id: number;
  readonly at: number;
  /** The agent told it of an earlier time, so `at` is not when it was. */
  isPast?: boolean;
}

export interface MessageEntry extends EntryBase {
  readonly kind: 'message';
  readonly role: Role;
  readonly messageId: string | undefined;
  readonly text: GrowingText;
  endedAt: number | undefined;
}

export interface ToolEntry extends EntryBase {
  readonly kind: 'tool';
  readonly toolCallId: string;
  title: string;
  toolKind: ToolKind;
  status: ToolStatus;
  content: readonly ToolContent[];
  /** The changes it showed last: some agents drop them from the content when the call is done. */
  diffs: readonly Diff[];
  /** What the terminals wrote that the agent runs itself. */
  readonly terminals: TerminalOutput[];
  locations: readonly Location[];
  rawInput: unknown;
  rawOutput: unknown;
  /** When it began to run; the time that the user took to answer questions about it does not count. */
  startedAt: number;
  endedAt: number | undefined;
  /** It is only what a question is about, which tells all of it; it has no line of its own. */
  isAskedOnly?: boolean;
  /** The user said no to it. */
  isRejected?: boolean;
  /** The user said yes to it. */
  isAllowed?: boolean;
  /** It was open when the user stopped the turn, or began after that. */
  isStopped?: boolean;
  /** What it showed when the user was asked about it, which is no output. */
  askedContent?: readonly ToolContent[];
}

export interface PlanEntry extends EntryBase {
  readonly kind: 'plan';
  items: readonly PlanItem[];
  /** A plan in the agent's own words, or where it is written. */
  text: string;
}

/** The agent makes its memory of the conversation shorter. */
export interface CompactionEntry extends EntryBase {
  readonly kind: 'compaction';
  status: CompactionStatus;
  summary: string;
  error: string;
}

/** Reports of one kind that are not understood here. */
export interface UnknownEntry extends EntryBase {
  readonly kind: 'unknown';
  readonly name: string;
  count: number;
  /** The last of them as it came. */
  raw: unknown;
}

export interface NoticeEntry extends EntryBase {
  readonly kind: 'notice';
  readonly severity: Severity;
  readonly title: string;
  readonly detail: readonly string[];
  /** The next step. */
  readonly hint: string | undefined;
}

export interface QuestionEntry extends EntryBase {
  readonly kind: 'question';
  readonly question: Question;
  /** What it is about. */
  readonly tool: ToolEntry | undefined;
  /** The name of the option that was taken, or how it was settled otherwise. */
  answer: string | undefined;
  /** What kind of option was taken. */
  answerKind?: QuestionOption['kind'];
  /** How far the form is filled in. */
  walk?: Walk;
  /** It was answered, but what it is about goes on at a page of the web. */
  isAwaited?: boolean;
}

export type Entry =
  | MessageEntry
  | ToolEntry
  | PlanEntry
  | NoticeEntry
  | QuestionEntry
  | CompactionEntry
  | UnknownEntry;

export type ToolContent =
  | { readonly kind: 'text'; readonly text: string }
  | Diff
  | { readonly kind: 'terminal'; readonly terminalId: string }
  | { readonly kind: 'other'; readonly label: string };

export interface Diff {
  readonly kind: 'diff';
  readonly path: string;
  readonly oldText: string | undefined;
  readonly newText: string;
  /** The new text is all of the file, whatever was in it before. */
  readonly isWhole?: true;
}

/** The end of what a command wrote, and how it ended. */
export interface TerminalOutput {
  readonly terminalId: string;
  text: string;
  exit: TerminalExit | undefined;
}

/** A command in a terminal of ours. */
export interface TerminalState extends TerminalOutput {
  /** As a person would type it. */
  command: string;
  cwd: string | undefined;
}

export interface TerminalExit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
}

/** One of the words we know, or another one as it came. */
export type CompactionStatus = Exclude<ToolStatus, 'pending' | 'unreported'> | { readonly word: string };

export interface Location {
  readonly path: string;
  readonly line: number | undefined;
}

export interface PlanItem {
  readonly text: string;
  readonly status: 'pending' | 'running' | 'done';
}

/** Something the agent wants to know from the user before it goes on. */
export interface Question {
  readonly id: number;
  /** The tool call it is about, if it is about one. */
  readonly toolCallId: string | undefined;
  readonly options: readonly QuestionOption[];
  /** What is asked beside permissions, which have options instead. */
  readonly elicitation?: Elicitation;
  /** It is none of the agent's, and outlives its turn. */
  readonly isOurs?: boolean;
}

export interface QuestionOption {
  readonly id: string;
  readonly name: string;
  readonly kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always' | 'other';
}

/** Something about a session that the user can set: its mode, its model, or whatever else the agent offers. */
export interface Setting {
  readonly id: string;
  readonly name: string;
  readonly category: string | undefined;
  readonly current: string | boolean;
  /** What it can be set to; none for one that is on or off. */
  readonly choices: readonly SettingChoice[];
  /** How the agent wants to be told: by its options, or by the older ways. */
  readonly source: 'option' | 'mode' | 'model';
}

export interface SettingChoice {
  readonly value: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly group: string | undefined;
}

export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  readonly hint: string | undefined;
}

export interface Usage {
  readonly used: number;
  readonly size: number;
  readonly cost: { readonly amount: number; readonly currency: string } | undefined;
}

/** A way to log in: the agent does it all, or its program is run once in a terminal. */
export type AuthMethod = {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
} & (
  | {
      readonly kind: 'agent';
      /** The environment variable with the key that it wants. */
      readonly variable?: string;
    }
  | {
      readonly kind: 'terminal';
      /** All that is run. */
      readonly command: readonly string[];
      /** It is not the program of the configuration. */
      readonly isOther?: true;
      /** Variables that the agent adds. */
      readonly env: Readonly<Record<string, string>>;
    }
);

/** What an agent says it can do; what it does not say it can't. */
export interface Abilities {
  readonly load?: boolean;
  readonly resume?: boolean;
  readonly list?: boolean;
  readonly delete?: boolean;
  readonly close?: boolean;
  readonly logout?: boolean;
  readonly mcpHttp?: boolean;
  readonly mcpSse?: boolean;
  /** It works in more folders than one. */
  readonly directories?: boolean;
}

export interface AgentIdentity {
  /** The key in the configuration. */
  readonly name: string;
  /** How it calls itself. */
  readonly title: string;
  /** How its program calls itself, whoever configured it under whatever name. */
  readonly program?: string | undefined;
  readonly authMethods?: readonly AuthMethod[];
  readonly abilities?: Abilities;
}

export interface SessionState {
  agent: AgentIdentity;
  phase: Phase;
  /** When the present phase began. */
  since: number;
  /** When the agent, a terminal or an answer of the user last brought something new. */
  heardAt: number;
  title: string | undefined;
  /** What the agent calls this conversation, once it has opened it. */
  sessionId: string | undefined;
  /** The agent tells an earlier conversation again; nothing of it happens now. */
  isReplaying: boolean;
  readonly entries: Entry[];
  readonly tools: Map<string, ToolEntry>;
  /** The plans of the turn by their id; the one without is under the empty name. */
  readonly plans: Map<string, PlanEntry>;
  readonly compactions: Map<string, CompactionEntry>;
  readonly unknown: Map<string, UnknownEntry>;
  /** The commands that ran in terminals of ours. */
  readonly terminals: Map<string, TerminalState>;
  /** The message that chunks are appended to; closed by whatever else comes between. */
  open: MessageEntry | undefined;
  /** Prompts that wait for the agent to be ready or the running turn to end. */
  readonly queue: QueuedPrompt[];
  readonly questions: QuestionEntry[];
  /** Pages the user went to and has not come back from. */
  awaited: readonly QuestionEntry[];
  commands: readonly SlashCommand[];
  settings: readonly Setting[];
  usage: Usage | undefined;
  nextId: number;
}

export interface QueuedPrompt {
  readonly text: string;
}

export function emptySession(agentName: string, now: number): SessionState {
  return {
    agent: { name: agentName, title: agentName },
    phase: 'down',
    since: now,
    heardAt: now,
    title: undefined,
    sessionId: undefined,
    isReplaying: false,
    entries: [],
    tools: new Map(),
    plans: new Map(),
    compactions: new Map(),
    unknown: new Map(),
    terminals: new Map(),
    open: undefined,
    queue: [],
    questions: [],
    awaited: [],
    commands: [],
    settings: [],
    usage: undefined,
    nextId: 1,
  };
}

/** A question stops everything else the user might be shown of the state. */
export function isWaitingForUser(state: SessionState): boolean {
  return state.questions.length > 0;
}

export function isBusy(state: SessionState): boolean {
  return state.phase === 'running' || state.phase === 'cancelling';
}
