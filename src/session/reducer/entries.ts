import { shorten } from '../../base/text.ts';
import type {
  AttachmentsEntry,
  CompactionEntry,
  Entry,
  MessageEntry,
  NoticeEntry,
  PlanEntry,
  Role,
  SummaryEntry,
  UnknownEntry,
} from '../../model/entries.ts';
import { GrowingText } from '../../model/growing-text.ts';
import type { Attachment, Prompt } from '../../model/prompt.ts';
import { isBusy, type SessionState } from '../../model/session.ts';
import type { CompactionPatch, NoticeEvent, SessionEvent } from '../../model/session-events.ts';

/**
 * Neovim draws a line as a whole: one of a megabyte blocks it for a second each time. What the user wrote stays as it is,
 * because it may be sent again.
 */
const maxLine = 32 * 1024;

type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;

/** Adds an entry to the transcript, at its end unless `at` is given. Entries never change their order, and stay. */
export function insert<T extends Entry>(state: SessionState, entry: T, at = state.entries.length): T {
  if (state.isReplaying) entry.isReplayed = true;
  state.entries.splice(at, 0, entry);
  state.nextId += 1;
  return entry;
}

export function addChunk(state: SessionState, chunk: EventOf<'chunk'>, now: number): readonly Entry[] {
  const { role, text, messageId, isCompleteMessage = false } = chunk;
  // Agents send empty chunks that only carry metadata.
  if (text === '') return isCompleteMessage ? closeMessage(state, now) : [];
  // The prompt of this turn is in the transcript already. Some agents echo it, others still replay earlier prompts.
  if (role === 'user' && isBusy(state)) return [];
  const open = isCompleteMessage ? undefined : state.openMessage;
  if (open && open.role === role && (messageId === undefined || messageId === open.messageId)) {
    open.text.append(text);
    return [open];
  }
  // Whitespace alone does not start a message.
  if (text.trim() === '') return [];
  const closed = closeMessage(state, now);
  const message = insert(state, newMessage(state, { role, text, messageId }, now));
  state.openMessage = message;
  return isCompleteMessage ? [...closed, ...closeMessage(state, now)] : [...closed, message];
}

/** The user's prompt as a message that is complete, and what is attached to it. */
export function addPrompt(
  state: SessionState,
  { id: promptId, text, attachments }: Prompt,
  now: number,
  isInjected = false,
): readonly Entry[] {
  const message: MessageEntry = {
    ...newMessage(state, { role: 'user', text, messageId: undefined }, now),
    endedAt: now,
    ...(promptId !== undefined && { promptId }),
    ...(isInjected && { isInjected }),
  };
  insert(state, message);
  if (attachments.length === 0) return [message];
  return [message, insert(state, newAttachments(state, 'user', attachments.map(withoutBytes), now))];
}

/** A picture, a file or a link within a message. What the agent writes next stands below it. */
export function addAttachment(
  state: SessionState,
  { role, attachment }: EventOf<'attachment'>,
  now: number,
): readonly Entry[] {
  // The prompt of this turn has them already.
  if (role === 'user' && isBusy(state)) return [];
  const closed = role === 'agent' ? closeMessage(state, now) : [];
  const last = state.entries.at(-1);
  if (last?.kind === 'attachments' && last.role === role) {
    last.items = [...last.items, withoutBytes(attachment)];
    return [...closed, last];
  }
  return [...closed, insert(state, newAttachments(state, role, [withoutBytes(attachment)], now))];
}

function newAttachments(
  state: SessionState,
  role: Role,
  items: readonly Attachment[],
  now: number,
): AttachmentsEntry {
  return { id: state.nextId, at: now, kind: 'attachments', role, items };
}

// What was sent is not needed any more.
function withoutBytes(attachment: Attachment): Attachment {
  return attachment.content ? { ...attachment, content: undefined } : attachment;
}

function newMessage(
  state: SessionState,
  {
    role,
    text,
    messageId,
  }: Pick<MessageEntry, 'role'> & { text: string; messageId: MessageEntry['messageId'] },
  now: number,
): MessageEntry {
  return {
    id: state.nextId,
    at: now,
    kind: 'message',
    role,
    messageId,
    text: new GrowingText(text, role === 'user' ? undefined : maxLine),
    endedAt: undefined,
  };
}

export function closeMessage(state: SessionState, now: number): readonly Entry[] {
  const open = state.openMessage;
  if (!open) return [];
  open.endedAt = now;
  state.openMessage = undefined;
  return [open];
}

export function setPlan(
  state: SessionState,
  { items, text = '', planId = '' }: EventOf<'plan'>,
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

// A compaction may run while the agent writes a message, so it does not close the message.
export function upsertCompaction(state: SessionState, patch: CompactionPatch, now: number): readonly Entry[] {
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

export function closeCompactions(state: SessionState): readonly Entry[] {
  const open = [...state.compactions.values()].filter(({ status }) => status === 'running');
  for (const compaction of open) compaction.status = 'cancelled';
  return open;
}

/** The names of further kinds of unknown updates are not shown. */
const maxUnknownKinds = 50;
const maxUnknownName = 100;

// One entry per kind of unknown update: an agent may send thousands of them.
export function addUnknown(
  state: SessionState,
  { name: wholeName, raw }: EventOf<'unknown'>,
  now: number,
): readonly Entry[] {
  const ownName = shorten(wholeName, maxUnknownName);
  const isFull = state.unknown.size >= maxUnknownKinds && !state.unknown.has(ownName);
  const name = isFull ? '…' : ownName;
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

export function addSummary(
  state: SessionState,
  { summary, isLate = false }: EventOf<'turn_summary'>,
  now: number,
): readonly Entry[] {
  const entry: SummaryEntry = { id: state.nextId, at: now, kind: 'summary', summary };
  const next = isLate ? state.entries.findLastIndex(isPromptOfTurn) : -1;
  const prompt = state.entries[next];
  if (!prompt) return [...closeMessage(state, now), insert(state, entry)];
  return [insert(state, { ...entry, above: prompt.id }, next)];
}

function isPromptOfTurn(entry: Entry): boolean {
  return entry.kind === 'message' && entry.role === 'user' && !entry.isInjected;
}

export function addNotice(state: SessionState, notice: NoticeEvent, now: number): readonly Entry[] {
  const closed = notice.isNotJournaled ? [] : closeMessage(state, now);
  const entry: NoticeEntry = {
    id: state.nextId,
    at: now,
    kind: 'notice',
    severity: notice.severity,
    title: notice.title,
    detail: notice.detail ?? [],
    hint: notice.hint,
    ...(notice.isAboutLogin && { isAboutLogin: true }),
  };
  return [...closed, insert(state, entry)];
}
