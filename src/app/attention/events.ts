import type { Setting, Usage } from '../../model/agent.ts';
import type { Entry, QuestionEntry, ToolEntry, ToolStatus } from '../../model/entries.ts';
import type { SessionState } from '../../model/session.ts';
import type { SessionEvent, StopReason } from '../../model/session-events.ts';
import { isPaused } from '../../session/queue/prompt-queue.ts';
import { settingValue } from '../../view/pickers/settings.ts';
import { sanitiseLine } from '../../view/sanitise.ts';
import type { QuestionData } from './question-data.ts';

/** The `User` events of Neovim that the host emits. `lua/acp/attention/events.lua` has the whole list. */
export type EventName =
  | 'AcpAgentGone'
  | 'AcpAnswered'
  | 'AcpFileChanged'
  | 'AcpLoginNeeded'
  | 'AcpModeChanged'
  | 'AcpModelChanged'
  | 'AcpPlanChanged'
  | 'AcpQueueChanged'
  | 'AcpSessionOpened'
  | 'AcpTitleChanged'
  | 'AcpToolEnded'
  | 'AcpToolStarted'
  | 'AcpTurnEnded'
  | 'AcpTurnStarted'
  | 'AcpUsage'
  | 'AcpWaiting';

export interface EditorEvent {
  readonly name: EventName;
  /** The names of the fields are public. */
  readonly data: Readonly<Record<string, unknown>>;
}

type DescribeQuestion = (entry: QuestionEntry) => QuestionData;

interface Turn {
  readonly startedAt: number;
  isCancelled: boolean;
  error: string | undefined;
}

const endedStatuses: readonly ToolStatus[] = ['done', 'failed', 'cancelled', 'unreported'];
const queueEvents: readonly SessionEvent['kind'][] = [
  'prompt_queued',
  'queue_changed',
  'queue_cleared',
  'prompt_injected',
  'turn_started',
];
const settingEvents = { mode: 'AcpModeChanged', model: 'AcpModelChanged' } as const;

/**
 * Turns the events of a session into events of the editor. Chunks of text and what an agent or a journal replays have
 * none. Each started turn and tool call ends exactly once.
 */
export class ChatEvents {
  private readonly state: SessionState;
  private turn: Turn | undefined;
  /** An agent was started since the host knows the chat. */
  private hasAgent = false;
  private readonly startedTools = new Set<ToolEntry>();
  private readonly endedTools = new WeakSet<ToolEntry>();
  private readonly settings = new Map<string, Setting['current']>();
  private lastUsage: Usage | undefined;
  /** As JSON. */
  private lastQueue = JSON.stringify({ queued: [], paused: false });

  constructor(state: SessionState) {
    this.state = state;
  }

  /** `describe` tells what a question is about. */
  forEvent(
    event: SessionEvent,
    changed: readonly Entry[],
    describe: DescribeQuestion,
  ): readonly EditorEvent[] {
    this.noteError(changed);
    const tools = this.toolEvents(event, changed);
    return [...tools, ...this.stateEvents(event, describe), ...this.queueEvents(event)];
  }

  private stateEvents(event: SessionEvent, describe: DescribeQuestion): readonly EditorEvent[] {
    const { state } = this;
    switch (event.kind) {
      case 'agent_starting':
        this.hasAgent = true;
        this.settings.clear();
        return [];
      case 'session_opened':
        return [{ name: 'AcpSessionOpened', data: { cwd: event.cwd } }];
      case 'turn_started':
        this.turn = { startedAt: state.phaseSince, isCancelled: false, error: undefined };
        return [{ name: 'AcpTurnStarted', data: { prompt: event.text } }];
      case 'cancel_requested':
        if (this.turn) this.turn.isCancelled = true;
        return [];
      case 'turn_ended':
        return this.endTurn(event.stopReason);
      case 'login_needed':
        return [...this.endTurn('login_needed'), { name: 'AcpLoginNeeded', data: {} }];
      case 'agent_gone':
        return this.agentGone({
          reason: event.notice && sanitiseLine(event.notice.title),
          ...(event.isIdle && { idle: true }),
        });
      case 'question_asked':
        return this.waitingEvents(event.question.id, describe);
      case 'question_settled': {
        const answer = sanitiseLine(event.answer);
        const data = { question: event.questionId, answer, waiting: state.questions.length };
        return [{ name: 'AcpAnswered', data }];
      }
      case 'settings':
      case 'setting':
      case 'mode':
        return this.settingEvents();
      case 'title':
        return [{ name: 'AcpTitleChanged', data: { title: sanitiseLine(state.title ?? '') } }];
      case 'usage':
        return this.usageEvents(event.usage);
      case 'plan': {
        if (state.isReplaying) return [];
        const items = event.items.map(({ text, status }) => ({ text: sanitiseLine(text), status }));
        return [{ name: 'AcpPlanChanged', data: { items } }];
      }
      default:
        return [];
    }
  }

  private endTurn(stopReason: StopReason): readonly EditorEvent[] {
    const { turn, state } = this;
    if (!turn) return [];
    this.turn = undefined;
    const isCancelled = turn.isCancelled && stopReason === 'end_turn';
    const data = {
      stop_reason: isCancelled ? 'cancelled' : sanitiseLine(stopReason),
      duration: Math.max(0, state.phaseSince - turn.startedAt),
      error: turn.error,
      usage: usageData(state.usage),
      files: [],
    };
    return [{ name: 'AcpTurnEnded', data }];
  }

  private agentGone(data: EditorEvent['data']): readonly EditorEvent[] {
    if (!this.hasAgent) return [];
    this.hasAgent = false;
    return [...this.endTurn('agent_gone'), { name: 'AcpAgentGone', data }];
  }

  private noteError(changed: readonly Entry[]): void {
    const error = changed.find((entry) => entry.kind === 'notice' && entry.severity === 'error');
    if (this.turn && error?.kind === 'notice') this.turn.error = sanitiseLine(error.title);
  }

  // An agent may report a call again after its end, and calls that it replays have no events.
  private toolEvents(event: SessionEvent, changed: readonly Entry[]): readonly EditorEvent[] {
    return changed.flatMap((entry) => {
      if (entry.kind !== 'tool') return [];
      const isNew = event.kind === 'tool' && this.isNew(entry);
      const started: EditorEvent[] = isNew ? [{ name: 'AcpToolStarted', data: toolData(entry) }] : [];
      if (isNew) this.startedTools.add(entry);
      if (!endedStatuses.includes(entry.status) || !this.startedTools.delete(entry)) return started;
      this.endedTools.add(entry);
      const duration = entry.endedAt === undefined ? undefined : entry.endedAt - entry.startedAt;
      return [
        ...started,
        { name: 'AcpToolEnded', data: { ...toolData(entry), status: entry.status, duration } },
      ];
    });
  }

  private isNew(entry: ToolEntry): boolean {
    const isHidden = entry.isReplayed === true || entry.isAskedOnly === true;
    return !isHidden && !this.startedTools.has(entry) && !this.endedTools.has(entry);
  }

  private settingEvents(): readonly EditorEvent[] {
    return Object.entries(settingEvents).flatMap(([category, name]) => {
      const setting = this.state.settings.find((each) => each.category === category);
      if (!setting) return [];
      const before = this.settings.get(category);
      this.settings.set(category, setting.current);
      // A session begins with the values that it has when it is open.
      const isOpening = this.state.phase === 'starting';
      if (isOpening || before === undefined || before === setting.current) return [];
      return [{ name, data: { value: setting.current, name: sanitiseLine(settingValue(setting)) } }];
    });
  }

  private waitingEvents(id: number, describe: DescribeQuestion): readonly EditorEvent[] {
    const { questions } = this.state;
    const entry = questions.findLast(({ question }) => question.id === id);
    return entry ? [{ name: 'AcpWaiting', data: { ...describe(entry), waiting: questions.length } }] : [];
  }

  private queueEvents({ kind }: SessionEvent): readonly EditorEvent[] {
    const { queue, phase } = this.state;
    // The next event sends such a prompt.
    const isSentNow = kind === 'prompt_queued' && phase === 'idle';
    if (!queueEvents.includes(kind) || isSentNow) return [];
    const queued = queue.filter(({ isOffered }) => !isOffered).map(({ text }) => text);
    const data = { queued, paused: isPaused(queue) };
    const written = JSON.stringify(data);
    if (written === this.lastQueue) return [];
    this.lastQueue = written;
    return [{ name: 'AcpQueueChanged', data }];
  }

  private usageEvents(usage: Usage): readonly EditorEvent[] {
    const before = this.lastUsage;
    this.lastUsage = usage;
    const isSame =
      before?.used === usage.used && before.size === usage.size && before.cost?.amount === usage.cost?.amount;
    return isSame ? [] : [{ name: 'AcpUsage', data: { ...usageData(usage) } }];
  }
}

function toolData({ toolCallId, toolKind, title, locations }: ToolEntry): EditorEvent['data'] {
  const paths = locations.map(({ path }) => path);
  return { tool: sanitiseLine(toolCallId), kind: toolKind, title: sanitiseLine(title), paths };
}

/** Usage as Lua gets it. */
export function usageData(usage: Usage | undefined): Readonly<Record<string, unknown>> | undefined {
  if (!usage) return undefined;
  const { used, size, cost } = usage;
  return { used, size, cost: cost?.amount, currency: cost && sanitiseLine(cost.currency) };
}
