import type { AgentIdentity, Setting, SlashCommand, Usage } from './agent.ts';
import type {
  CompactionEntry,
  Entry,
  MessageEntry,
  PlanEntry,
  QuestionEntry,
  TerminalState,
  ToolEntry,
  UnknownEntry,
} from './entries.ts';
import type { Prompt, QueuedPrompt } from './prompt.ts';

/**
 * `login`: the agent requires a login. `down`: no agent runs; `:AcpRestart` starts it. Turns are phases rather than
 * pending promises because agents also send updates outside of turns.
 */
export type Phase = 'starting' | 'login' | 'idle' | 'running' | 'cancelling' | 'down';

export interface SessionState {
  agent: AgentIdentity;
  phase: Phase;
  /** The agent was ended because it had nothing to do; the phase is `down`. */
  isEndedIdle: boolean;
  /** When the current phase began. */
  phaseSince: number;
  /** When the last event arrived, from the agent, a terminal or the user. */
  lastActivityAt: number;
  title: string | undefined;
  /** The user chose the title, and the agent does not know it. */
  isTitleChosen: boolean;
  /** Nothing of the session is kept on disk. */
  readonly isPrivate: boolean;
  /** It works in a worktree that was made for it. */
  readonly hasWorktree: boolean;
  /** Set once the agent has opened the session. */
  sessionId: string | undefined;
  /** The agent is replaying an earlier session after `session/load`. */
  isReplaying: boolean;
  readonly entries: Entry[];
  /** How often an agent was started. */
  agentStarts: number;
  /** The calls of the agent that was started last. */
  readonly tools: Map<string, ToolEntry>;
  /** The plans of the turn by id; a plan without an id has the key ''. */
  readonly plans: Map<string, PlanEntry>;
  readonly compactions: Map<string, CompactionEntry>;
  readonly unknown: Map<string, UnknownEntry>;
  /** The terminals that the plugin runs for the agent. */
  readonly terminals: Map<string, TerminalState>;
  /** The message that the next chunk is appended to. Any other entry closes it. */
  openMessage: MessageEntry | undefined;
  /** Prompts that wait until the agent is ready or the running turn ends. */
  readonly queue: QueuedPrompt[];
  /** The prompt of the turn while the agent has not got it. */
  unsent: Prompt | undefined;
  /** The agent has ended in the middle of the turn, and no notice said so. */
  isCutOff: boolean;
  readonly questions: QuestionEntry[];
  /** How long the turn has waited for the user: until `since`, if it waits now. */
  waited: { readonly ms: number; readonly since: number | undefined };
  /** Pages that the user opened; the agent has not reported yet that they are done. */
  awaitedPages: readonly QuestionEntry[];
  /** What the agent suggests as the next prompt. */
  suggestions: readonly string[];
  commands: readonly SlashCommand[];
  settings: readonly Setting[];
  usage: Usage | undefined;
  /** What the last turn took, if the agent reports it. */
  turnTokens: number | undefined;
  /** The user allows everything in this session but what is destructive, unclear or outside of its folders. */
  allowsAll: boolean;
  nextId: number;
}

/** What does not change in the life of a session. */
export interface SessionTraits {
  readonly isPrivate?: boolean | undefined;
  readonly hasWorktree?: boolean | undefined;
}

export function emptySession(agentName: string, now: number, traits: SessionTraits = {}): SessionState {
  return {
    agent: { name: agentName, title: agentName },
    phase: 'down',
    isEndedIdle: false,
    phaseSince: now,
    lastActivityAt: now,
    title: undefined,
    isTitleChosen: false,
    isPrivate: traits.isPrivate ?? false,
    hasWorktree: traits.hasWorktree ?? false,
    sessionId: undefined,
    isReplaying: false,
    entries: [],
    agentStarts: 0,
    tools: new Map(),
    plans: new Map(),
    compactions: new Map(),
    unknown: new Map(),
    terminals: new Map(),
    openMessage: undefined,
    queue: [],
    unsent: undefined,
    isCutOff: false,
    questions: [],
    waited: { ms: 0, since: undefined },
    awaitedPages: [],
    suggestions: [],
    commands: [],
    settings: [],
    usage: undefined,
    turnTokens: undefined,
    allowsAll: false,
    nextId: 1,
  };
}

export function isWaitingForUser(state: SessionState): boolean {
  return state.questions.length > 0;
}

/** How long the current phase lasts, without the time that it waited for the user. */
export function activeMs({ phaseSince, waited }: SessionState, now: number): number {
  return (waited.since ?? now) - phaseSince - waited.ms;
}

/** Whether the agent takes prompts into the turn that runs. */
export function canSteer({ phase, agent }: SessionState): boolean {
  return phase === 'running' && agent.capabilities?.steering === true;
}

export function isBusy(state: SessionState): boolean {
  return state.phase === 'running' || state.phase === 'cancelling';
}

/** Whether a call has not ended. */
export function isOpenCall({ status }: Pick<ToolEntry, 'status'>): boolean {
  return status === 'pending' || status === 'running';
}

/** Whether only the journal has a part of what a call shows. A private chat has none. */
export function isCutCall(
  { isCut, content }: ToolEntry,
  { terminals, isPrivate }: Pick<SessionState, 'terminals' | 'isPrivate'>,
): boolean {
  return !isPrivate && (isCut === true || terminalIdsIn(content).some((id) => terminals.get(id)?.isCut));
}

/** The terminals that the content of a call names. */
export function terminalIdsIn(content: ToolEntry['content']): readonly string[] {
  return content.flatMap((item) => (item.kind === 'terminal' ? [item.terminalId] : []));
}

/** The call that waits for the answer. A change on disk is not a call of the agent. */
export function askedCall({ tool, question }: QuestionEntry, state: SessionState): ToolEntry | undefined {
  if (!tool?.isAskedOnly) return tool;
  return question.isOurs ? undefined : onlyOpenCall(state);
}

// A question that names no reported call is about the open one, if there is exactly one.
function onlyOpenCall(state: SessionState): ToolEntry | undefined {
  const [first, ...others] = [...state.tools.values()].filter(
    (tool) => isOpenCall(tool) && !tool.isAskedOnly,
  );
  return others.length === 0 ? first : undefined;
}
