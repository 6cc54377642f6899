import type { Entry, Question, QuestionEntry, ToolEntry } from '../../model/entries.ts';
import type { Elicitation } from '../../model/form.ts';
import { type FormProgress, startForm } from '../../model/form-progress.ts';
import { askedCall, type SessionState } from '../../model/session.ts';
import type { SessionEvent } from '../../model/session-events.ts';
import { closeMessage, insert } from './entries.ts';

type SettledEvent = Extract<SessionEvent, { kind: 'question_settled' }>;
type Page = Extract<Elicitation, { kind: 'page' }>;

export function addQuestion(state: SessionState, question: Question, now: number): readonly Entry[] {
  const closed = closeMessage(state, now);
  const entry: QuestionEntry = {
    id: state.nextId,
    at: now,
    kind: 'question',
    question,
    tool: question.toolCallId === undefined ? undefined : state.tools.get(question.toolCallId),
    answer: undefined,
  };
  if (question.elicitation?.kind === 'form') entry.formProgress = startForm(question.elicitation.form);
  state.questions.push(entry);
  if (state.waited.since === undefined) state.waited = { ...state.waited, since: now };
  return [...closed, ...rememberAskedContent(entry.tool), insert(state, entry)];
}

function rememberAskedContent(tool: ToolEntry | undefined): readonly Entry[] {
  if (!tool) return [];
  tool.askedContent = tool.content;
  return tool.isAskedOnly ? [] : [tool];
}

export function setFormProgress(
  state: SessionState,
  questionId: number,
  progress: FormProgress,
): readonly Entry[] {
  const entry = state.questions.find(({ question }) => question.id === questionId);
  if (!entry) return [];
  entry.formProgress = progress;
  return [entry];
}

export function settleQuestion(state: SessionState, event: SettledEvent, now: number): readonly Entry[] {
  const { questionId, answer, isAwaited } = event;
  const index = state.questions.findIndex(({ question }) => question.id === questionId);
  const [entry] = index === -1 ? [] : state.questions.splice(index, 1);
  if (!entry) return [];
  if (state.questions.length === 0) endWaiting(state, now);
  entry.answer = answer;
  if (entry.tool) entry.toolAtAnswer = { ...entry.tool };
  entry.isAwaited = isAwaited === true;
  if (isAwaited) state.awaitedPages = [...state.awaitedPages, entry];
  const kind = chosenKind(entry, event);
  if (kind) entry.answerKind = kind;
  const tool = askedCall(entry, state);
  return tool ? [entry, applyAnswer(tool, entry, now)] : [entry];
}

// Journals of earlier versions have the id only.
function chosenKind({ question: { options } }: QuestionEntry, { optionIndex, optionId }: SettledEvent) {
  if (optionIndex !== undefined) return options[optionIndex]?.kind;
  const kinds = new Set(options.filter(({ id }) => id === optionId).map(({ kind }) => kind));
  return kinds.size === 1 ? [...kinds][0] : undefined;
}

export function endWaiting(state: SessionState, now: number): void {
  const { ms, since } = state.waited;
  if (since !== undefined) state.waited = { ms: ms + Math.max(0, now - since), since: undefined };
}

/** A rule has answered in the place of the user. */
export function applyDecision(
  state: SessionState,
  { toolCallId, verdict, reason }: Extract<SessionEvent, { kind: 'call_decided' }>,
  now: number,
): readonly Entry[] {
  const tool = state.tools.get(toolCallId);
  if (!tool) return [];
  tool.decidedBy = reason;
  return [applyVerdict(tool, verdict === 'allow' ? 'allow_once' : 'reject_once', now, now)];
}

// Many agents send no update between the user's answer and the end of the call.
function applyAnswer(tool: ToolEntry, { at, answerKind }: QuestionEntry, now: number): ToolEntry {
  return applyVerdict(tool, answerKind, at, now);
}

function applyVerdict(
  tool: ToolEntry,
  answerKind: QuestionEntry['answerKind'],
  at: number,
  now: number,
): ToolEntry {
  const isAllowed = answerKind === 'allow_once' || answerKind === 'allow_always';
  tool.isRejected = answerKind === 'reject_once' || answerKind === 'reject_always';
  if (tool.status === 'pending') tool.startedAt = now;
  else if (tool.endedAt === undefined) tool.startedAt += now - at;
  if (isAllowed) tool.isAllowed = true;
  if (isAllowed && tool.status === 'pending') tool.status = 'running';
  return tool;
}

/** Stops waiting for the user to finish at the pages that `isMeant` selects. */
export function closePages(
  state: SessionState,
  answer: string,
  isMeant: (page: Page) => boolean = () => true,
): readonly Entry[] {
  const left = state.awaitedPages.filter(
    ({ question: { elicitation } }) => elicitation?.kind === 'page' && isMeant(elicitation),
  );
  state.awaitedPages = state.awaitedPages.filter((entry) => !left.includes(entry));
  for (const entry of left) Object.assign(entry, { answer, isAwaited: false });
  return left;
}
