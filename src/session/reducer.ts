import { assertNever, lookUp, parseJson } from '../base.ts';
import type { CompactionPatch, NoticeEvent, SessionEvent, StopReason, ToolPatch } from './events.ts';
import type { Elicitation } from './form.ts';
import { begin, type Walk } from './form-walk.ts';
import {
  type CompactionEntry,
  type Diff,
  type Entry,
  isBusy,
  type MessageEntry,
  type NoticeEntry,
  type Phase,
  type PlanEntry,
  type Question,
  type QuestionEntry,
  type SessionState,
  type Setting,
  type ToolEntry,
  type UnknownEntry,
} from './model.ts';
import { mergeTerminal } from './terminal-output.ts';
import { upsertTerminal } from './terminals.ts';
import { GrowingText } from './text.ts';

/**
 * The only place where a session's state changes. It changes in place and returns the entries that did, so the
 * cost of an event does not depend on how long the transcript is.
 */
export function reduce(state: SessionState, event: SessionEvent, now: number): readonly Entry[] {
  state.heardAt = now;
  switch (event.kind) {
    case 'chunk':
      return addChunk(state, event, now);
    case 'tool':
      return upsertTool(state, event.patch, now);
    case 'plan':
      return setPlan(state, event, now);
    case 'compaction':
      return upsertCompaction(state, event.patch, now);
    case 'notice':
      return addNotice(state, event, now);
    case 'commands':
      state.commands = event.commands;
      return [];
    case 'settings':
      state.settings = event.settings;
      return [];
    case 'setting':
      return change(state, ({ id }) => id === event.id, event.value);
    case 'mode':
      return change(state, (setting) => isModeSetting(setting, event.mode), event.mode);
    case 'title':
      state.title = event.title;
      return [];
    case 'usage':
      state.usage = event.usage;
      return [];
    case 'unknown':
      return addUnknown(state, event.name, event.raw, now);
    case 'nothing':
      return [];
    case 'terminal':
      return upsertTerminal(state, event.patch);
    case 'agent_starting':
      return startAgent(state, now);
    case 'session_opened':
      state.sessionId = event.sessionId;
      return state.isReplaying ? closeAll(state, now) : [];
    case 'replay_started':
      state.isReplaying = true;
      return [];
    case 'agent_known':
      state.agent = event.agent;
      return [];
    case 'agent_ready':
      state.agent = event.agent;
      return enter(state, 'idle', now);
    case 'login_needed':
      state.agent = event.agent;
      return stopTurn(state, 'login', event.notice, now);
    case 'agent_gone':
      return [...leavePages(state, 'opened'), ...stopTurn(state, 'down', event.notice, now)];
    case 'prompt_queued':
      state.queue.push({ text: event.text });
      return [];
    case 'queue_cleared':
      state.queue.length = 0;
      return [];
    case 'turn_started':
      return startTurn(state, event.text, now);
    case 'cancel_requested':
      state.phase = 'cancelling';
      return closeTools(state, 'cancelled', now);
    case 'turn_ended':
      return endTurn(state, event.stopReason, now);
    case 'question_asked':
      return ask(state, event.question, now);
    case 'form_filled':
      return fillForm(state, event.questionId, event.walk);
    case 'question_settled':
      return settle(state, event, now);
    case 'page_done':
      return leavePages(state, 'done', ({ pageId }) => pageId === event.pageId);
    default:
      return assertNever(event);
  }
}

type Chunk = Extract<SessionEvent, { kind: 'chunk' }>;

function addChunk(state: SessionState, chunk: Chunk, now: number): readonly Entry[] {
  const { role, text, messageId, isWhole = false } = chunk;
  // Agents send empty chunks that only carry metadata.
  if (text === '') return isWhole ? closeMessage(state, now) : [];
  // What the user says in a turn was said here: some agents send the prompt back while they work on it, others still tell
  // of earlier turns.
  if (role === 'user' && isBusy(state)) return [];
  const open = isWhole ? undefined : state.open;
  if (open && open.role === role && (messageId === undefined || messageId === open.messageId)) {
    open.text.append(text);
    return [open];
  }
  // Nothing to be read begins no message.
  if (text.trim() === '') return [];
  const closed = closeMessage(state, now);
  const message: MessageEntry = {
    id: state.nextId,
    at: now,
    kind: 'message',
    role,
    messageId,
    text: new GrowingText(text),
    endedAt: undefined,
  };
  state.open = message;
  insert(state, message);
  return isWhole ? [...closed, ...closeMessage(state, now)] : [...closed, message];
}

function upsertTool(state: SessionState, patch: ToolPatch, now: number): readonly Entry[] {
  const changed = upsertCall(state, patch, now);
  return patch.todos ? [...changed, ...setPlan(state, { kind: 'plan', items: patch.todos }, now)] : changed;
}

function upsertCall(state: SessionState, patch: ToolPatch, now: number): readonly Entry[] {
  const known = state.tools.get(patch.toolCallId);
  if (!known) return addCall(state, patch, now);
  const wasOpen = isOpen(known);
  const asked = state.questions.filter(({ tool }) => tool === known);
  mergeTool(known, patch, now);
  if (known.isAskedOnly && !patch.isAskedOnly)
    return [...closeMessage(state, now), reveal(state, known), ...asked];
  // What the agent says after a call is about its result.
  const closed = wasOpen && !isOpen(known) ? closeMessage(state, now) : [];
  return [...closed, ...(known.isAskedOnly ? [] : [known]), ...asked];
}

function addCall(state: SessionState, patch: ToolPatch, now: number): readonly Entry[] {
  const closed = closeMessage(state, now);
  const tool: ToolEntry = {
    id: state.nextId,
    at: now,
    kind: 'tool',
    toolCallId: patch.toolCallId,
    title: patch.toolKind ?? patch.toolCallId,
    toolKind: 'other',
    status: 'pending',
    content: [],
    diffs: [],
    terminals: [],
    locations: [],
    rawInput: undefined,
    rawOutput: undefined,
    startedAt: now,
    endedAt: undefined,
  };
  if (state.phase === 'cancelling') tool.isStopped = true;
  mergeTool(tool, patch, now);
  if (!patch.isAskedOnly) {
    state.tools.set(tool.toolCallId, tool);
    return [...closed, insert(state, tool)];
  }
  tool.isAskedOnly = true;
  state.tools.set(tool.toolCallId, tool);
  return closed;
}

// The agent reports it after all; it stands where that was.
function reveal(state: SessionState, tool: ToolEntry): ToolEntry {
  const revealed = { ...tool, id: state.nextId, isAskedOnly: false };
  state.tools.set(tool.toolCallId, revealed);
  return insert(state, revealed);
}

function mergeTool(tool: ToolEntry, patch: ToolPatch, now: number): ToolEntry {
  tool.title = patch.title ?? tool.title;
  tool.toolKind = patch.toolKind ?? tool.toolKind;
  tool.content = patch.content ?? tool.content;
  tool.diffs = diffsIn(patch) ?? tool.diffs;
  for (const terminal of patch.terminals ?? []) mergeTerminal(tool, terminal);
  tool.locations = patch.locations ?? tool.locations;
  tool.rawInput = patch.rawInput ?? tool.rawInput ?? argumentsIn(tool, patch);
  tool.rawOutput = patch.rawOutput ?? tool.rawOutput;
  if (patch.status) setToolStatus(tool, patch.status, now);
  return tool;
}

function diffsIn({ content = [] }: ToolPatch): readonly Diff[] | undefined {
  const diffs = content.filter((item) => item.kind === 'diff');
  return diffs.length > 0 ? diffs : undefined;
}

// Some agents stream the arguments of a call as JSON text and name them nowhere else before they ask for consent.
function argumentsIn(tool: ToolEntry, { content, status = tool.status }: ToolPatch): unknown {
  const [first, ...others] = content ?? [];
  if (!isOpen({ status }) || others.length > 0 || first?.kind !== 'text') return undefined;
  const text = first.text.trim();
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function setToolStatus(tool: ToolEntry, status: ToolEntry['status'], now: number): void {
  if (isContradicted(tool, status)) return;
  if (status === 'running' || status === 'done') tool.isRejected = false;
  if (tool.status === 'unreported') tool.endedAt = undefined;
  tool.status = status;
  tool.endedAt = isOpen(tool) ? undefined : (tool.endedAt ?? now);
}

/** Whether what the user decided about a call tells more than what its agent reports. */
function isContradicted(tool: ToolEntry, status: ToolEntry['status']): boolean {
  // Some agents report a command that was stopped as running and completed; a change that was made after all was made.
  if (tool.isStopped && tool.toolKind === 'execute') return status !== 'cancelled';
  // Some agents announce a call once more after the user has allowed it.
  if (status === 'pending') return tool.isAllowed === true && tool.status === 'running';
  const hasWaited = tool.askedContent !== undefined && !tool.isAllowed;
  return tool.isStopped === true && status === 'failed' && hasWaited;
}

function isOpen({ status }: Pick<ToolEntry, 'status'>): boolean {
  return status === 'pending' || status === 'running';
}

function setPlan(
  state: SessionState,
  { items, text = '', planId = '' }: Extract<SessionEvent, { kind: 'plan' }>,
  now: number,
): readonly Entry[] {
  const known = state.plans.get(planId);
  if (known) return [Object.assign(known, { items, text })];
  if (items.length === 0 && text === '') return [];
  const closed = closeMessage(state, now);
  const plan: PlanEntry = { id: state.nextId, at: now, kind: 'plan', items, text };
  state.plans.set(planId, plan);
  return [...closed, insert(state, plan)];
}

// It may go on while the agent speaks of other things, so no message ends because of it.
function upsertCompaction(state: SessionState, patch: CompactionPatch, now: number): readonly Entry[] {
  const known = state.compactions.get(patch.compactionId);
  const entry: CompactionEntry = known ?? {
    id: state.nextId,
    at: now,
    kind: 'compaction',
    status: 'running',
    summary: '',
    error: '',
  };
  entry.status = patch.status ?? entry.status;
  entry.error = patch.error ?? entry.error;
  entry.summary = (patch.summary ?? entry.summary) + (patch.more ?? '');
  state.compactions.set(patch.compactionId, entry);
  return [known ?? insert(state, entry)];
}

// Once for each kind: an agent may send thousands of them.
function addUnknown(state: SessionState, name: string, raw: unknown, now: number): readonly Entry[] {
  const known = state.unknown.get(name);
  if (known) {
    known.count += 1;
    known.raw = raw;
    return [known];
  }
  const entry: UnknownEntry = { id: state.nextId, at: now, kind: 'unknown', name, count: 1, raw };
  state.unknown.set(name, entry);
  return [insert(state, entry)];
}

function addNotice(state: SessionState, notice: NoticeEvent, now: number): readonly Entry[] {
  const closed = notice.isPassing ? [] : closeMessage(state, now);
  const entry: NoticeEntry = {
    id: state.nextId,
    at: now,
    kind: 'notice',
    severity: notice.severity,
    title: notice.title,
    detail: notice.detail ?? [],
    hint: notice.hint,
  };
  return [...closed, insert(state, entry)];
}

// Tool calls, modes and commands are those of one session of an agent, and it counts its calls from one again.
function startAgent(state: SessionState, now: number): readonly Entry[] {
  const closed = [...closeTools(state, 'cancelled', now), ...leavePages(state, 'opened')];
  state.tools.clear();
  state.plans.clear();
  state.compactions.clear();
  state.commands = [];
  state.settings = [];
  state.usage = undefined;
  state.isReplaying = false;
  enter(state, 'starting', now);
  return closed;
}

function startTurn(state: SessionState, text: string, now: number): readonly Entry[] {
  const closed = state.isReplaying ? closeAll(state, now) : closeMessage(state, now);
  state.isReplaying = false;
  enter(state, 'running', now);
  // A plan belongs to the turn that made it; the next one stands where it is made.
  state.plans.clear();
  state.queue.shift();
  const prompt: MessageEntry = {
    id: state.nextId,
    at: now,
    kind: 'message',
    role: 'user',
    messageId: undefined,
    text: new GrowingText(text),
    endedAt: now,
  };
  return [...closed, insert(state, prompt)];
}

// Some agents end a turn so when their model fails.
const silence: NoticeEvent = {
  kind: 'notice',
  severity: 'warning',
  title: 'The agent ended its turn without a word.',
  hint: ':AcpLog may tell more; :AcpRestart starts it again.',
};

/** What the user should know about how a turn ended; an ordinary end says nothing. */
const stopNotices: Readonly<Record<string, NoticeEvent>> = {
  cancelled: { kind: 'notice', severity: 'info', title: 'Stopped.' },
  max_tokens: {
    kind: 'notice',
    severity: 'warning',
    title: 'The answer was cut: the token limit is reached.',
  },
  max_turn_requests: {
    kind: 'notice',
    severity: 'warning',
    title: 'The agent stopped: it has made as many requests as one turn may.',
    hint: 'Send "continue" to let it go on.',
  },
  refusal: {
    kind: 'notice',
    severity: 'warning',
    title: 'The agent refused. It has forgotten this prompt and all that followed it.',
  },
};

// Some agents answer a cancel as if the turn had ended by itself.
function endTurn(state: SessionState, stopReason: StopReason, now: number): readonly Entry[] {
  const isCancel = stopReason === 'end_turn' && state.phase === 'cancelling';
  return stopTurn(state, 'idle', stopNotice(state, isCancel ? 'cancelled' : stopReason), now);
}

function stopNotice(state: SessionState, stopReason: StopReason): NoticeEvent | undefined {
  const known = lookUp(stopNotices, stopReason);
  if (known) return known;
  const last = state.entries.at(-1);
  const isSilent = last?.kind === 'message' && last.role === 'user';
  if (stopReason === 'end_turn') return isSilent ? silence : undefined;
  const title = `The turn ended for a reason unknown here: ${stopReason}.`;
  return { kind: 'notice', severity: 'info', title };
}

type SettledEvent = Extract<SessionEvent, { kind: 'question_settled' }>;
type Page = Extract<Elicitation, { kind: 'page' }>;

/** Leaves nothing of a turn open. */
function stopTurn(
  state: SessionState,
  phase: Phase,
  notice: NoticeEvent | undefined,
  now: number,
): readonly Entry[] {
  const isOrdinaryEnd = phase === 'idle' && state.phase !== 'cancelling';
  const changed = [
    ...closeMessage(state, now),
    ...closeTools(state, isOrdinaryEnd ? 'unreported' : 'cancelled', now),
    ...(phase === 'down' ? closeCompactions(state) : []),
  ];
  enter(state, phase, now);
  return notice ? [...changed, ...addNotice(state, notice, now)] : changed;
}

function change(
  state: SessionState,
  isMeant: (setting: Setting) => boolean,
  current: Setting['current'],
): readonly Entry[] {
  state.settings = state.settings.map((setting) => (isMeant(setting) ? { ...setting, current } : setting));
  return [];
}

// An agent with options may name the modes of older clients as well, which are none of its options.
function isModeSetting({ category, source, choices }: Setting, mode: string): boolean {
  return category === 'mode' && (source === 'mode' || choices.some(({ value }) => value === mode));
}

function ask(state: SessionState, question: Question, now: number): readonly Entry[] {
  const closed = closeMessage(state, now);
  const entry: QuestionEntry = {
    id: state.nextId,
    at: now,
    kind: 'question',
    question,
    tool: question.toolCallId === undefined ? undefined : state.tools.get(question.toolCallId),
    answer: undefined,
  };
  if (question.elicitation?.kind === 'form') entry.walk = begin(question.elicitation.form);
  state.questions.push(entry);
  return [...closed, ...noteAsked(entry.tool), insert(state, entry)];
}

function noteAsked(tool: ToolEntry | undefined): readonly Entry[] {
  if (!tool) return [];
  tool.askedContent = tool.content;
  return tool.isAskedOnly ? [] : [tool];
}

function fillForm(state: SessionState, questionId: number, walk: Walk): readonly Entry[] {
  const entry = state.questions.find(({ question }) => question.id === questionId);
  if (!entry) return [];
  entry.walk = walk;
  return [entry];
}

function settle(state: SessionState, event: SettledEvent, now: number): readonly Entry[] {
  const { questionId, answer, isAwaited, optionId } = event;
  const index = state.questions.findIndex(({ question }) => question.id === questionId);
  const [entry] = index === -1 ? [] : state.questions.splice(index, 1);
  if (!entry) return [];
  entry.answer = answer;
  entry.isAwaited = isAwaited === true;
  if (isAwaited) state.awaited = [...state.awaited, entry];
  const kind = entry.question.options.find(({ id }) => id === optionId)?.kind;
  if (kind) entry.answerKind = kind;
  const tool = entry.tool?.isAskedOnly ? soleOpenCall(state) : entry.tool;
  return tool ? [entry, goOn(tool, entry, now)] : [entry];
}

// A question that names no call is about the one that is open, if there is only one.
function soleOpenCall(state: SessionState): ToolEntry | undefined {
  const [first, ...others] = [...state.tools.values()].filter((tool) => isOpen(tool) && !tool.isAskedOnly);
  return others.length === 0 ? first : undefined;
}

// Many agents report nothing of a call between the answer of the user and its end.
function goOn(tool: ToolEntry, { at, answerKind }: QuestionEntry, now: number): ToolEntry {
  const isAllowed = answerKind === 'allow_once' || answerKind === 'allow_always';
  tool.isRejected = answerKind === 'reject_once' || answerKind === 'reject_always';
  if (tool.status === 'pending') tool.startedAt = now;
  else if (tool.endedAt === undefined) tool.startedAt += now - at;
  if (isAllowed) tool.isAllowed = true;
  if (isAllowed && tool.status === 'pending') tool.status = 'running';
  return tool;
}

/** Waits no longer for the user to come back from the pages that are meant. */
function leavePages(
  state: SessionState,
  answer: string,
  isMeant: (page: Page) => boolean = () => true,
): readonly Entry[] {
  const left = state.awaited.filter(
    ({ question: { elicitation } }) => elicitation?.kind === 'page' && isMeant(elicitation),
  );
  state.awaited = state.awaited.filter((entry) => !left.includes(entry));
  for (const entry of left) Object.assign(entry, { answer, isAwaited: false });
  return left;
}

function hasBegun({ status, isRejected, content, terminals, rawOutput }: ToolEntry): boolean {
  if (isRejected) return false;
  const hasWritten = content.some(({ kind }) => kind === 'text' || kind === 'terminal');
  return status === 'running' || hasWritten || terminals.length > 0 || rawOutput !== undefined;
}

// Agents leave calls open when a turn is cancelled or ends.
function closeTools(state: SessionState, status: 'cancelled' | 'unreported', now: number): readonly Entry[] {
  const ours = new Set(state.questions.filter(({ question }) => question.isOurs).map(({ tool }) => tool));
  const open = [...state.tools.values()].filter((tool) => isOpen(tool) && !ours.has(tool));
  for (const tool of open) {
    if (state.phase === 'cancelling') tool.isStopped = true;
    setToolStatus(tool, hasBegun(tool) ? status : 'cancelled', now);
  }
  return open.filter(({ isAskedOnly }) => !isAskedOnly);
}

function closeAll(state: SessionState, now: number): readonly Entry[] {
  return [...closeMessage(state, now), ...closeTools(state, 'unreported', now)];
}

function closeCompactions(state: SessionState): readonly Entry[] {
  const open = [...state.compactions.values()].filter(({ status }) => status === 'running');
  for (const compaction of open) compaction.status = 'cancelled';
  return open;
}

function closeMessage(state: SessionState, now: number): readonly Entry[] {
  const open = state.open;
  if (!open) return [];
  open.endedAt = now;
  state.open = undefined;
  return [open];
}

function enter(state: SessionState, phase: Phase, now: number): readonly Entry[] {
  state.phase = phase;
  state.since = now;
  return [];
}

function insert<T extends Entry>(state: SessionState, entry: T): T {
  if (state.isReplaying) entry.isPast = true;
  state.entries.push(entry);
  state.nextId += 1;
  return entry;
}
