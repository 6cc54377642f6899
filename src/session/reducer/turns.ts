import { type Entry, isPromptUnanswered } from '../../model/entries.ts';
import { isSamePrompt, isSendable, type Prompt, promptFrom, type QueuedPrompt } from '../../model/prompt.ts';
import type { Phase, SessionState } from '../../model/session.ts';
import type { NoticeEvent, SessionEvent, StopReason } from '../../model/session-events.ts';
import { stopNotice } from '../notices.ts';
import { addNotice, addPrompt, closeCompactions, closeMessage } from './entries.ts';
import { closePages } from './questions.ts';
import { closeTools } from './tool-calls.ts';

// Tool calls, settings and commands belong to one session of the agent, and call ids may repeat in the next one.
export function startAgent(state: SessionState, now: number): readonly Entry[] {
  const closed = [...closeTools(state, 'cancelled', now), ...closePages(state, 'opened')];
  state.agentStarts += 1;
  state.isCutOff = false;
  state.tools.clear();
  state.plans.clear();
  state.compactions.clear();
  state.suggestions = [];
  // An agent that was ended because it was idle continues with the same session.
  if (!state.isEndedIdle) {
    state.commands = [];
    state.usage = undefined;
  }
  state.isEndedIdle = false;
  state.settings = [];
  state.isReplaying = false;
  enterPhase(state, 'starting', now);
  return closed;
}

export function startTurn(
  state: SessionState,
  event: Extract<SessionEvent, { kind: 'turn_started' }>,
  now: number,
): readonly Entry[] {
  const prompt = promptFrom(event);
  const closed = state.isReplaying ? endReplay(state, now) : closeMessage(state, now);
  state.isReplaying = false;
  enterPhase(state, 'running', now);
  state.waited = { ms: 0, since: state.questions.length > 0 ? now : undefined };
  // A plan belongs to the turn that made it: the plan of this turn becomes a new entry.
  state.plans.clear();
  state.suggestions = [];
  state.turnTokens = undefined;
  removeFromQueue(state, (queued) => isSendable(queued) && isSamePrompt(queued, prompt)) ||
    removeFromQueue(state, isSendable);
  state.unsent = event.isUnsent ? prompt : undefined;
  state.isCutOff = false;
  return event.isShown ? closed : [...closed, ...addPrompt(state, prompt, now)];
}

/** The agent has taken a prompt into the running turn: what it writes from now on stands below it. */
export function injectPrompt(state: SessionState, prompt: Prompt, now: number): readonly Entry[] {
  const isSame = (queued: QueuedPrompt) => isSamePrompt(queued, prompt);
  removeFromQueue(state, (queued) => isSame(queued) && queued.isOffered === true) ||
    removeFromQueue(state, isSame);
  return [...closeMessage(state, now), ...addPrompt(state, prompt, now, true)];
}

export function changeQueue(state: SessionState, prompts: readonly QueuedPrompt[]): readonly Entry[] {
  const { queue, unsent } = state;
  queue.splice(0, queue.length, ...prompts);
  if (unsent && prompts.some((prompt) => isSamePrompt(prompt, unsent))) state.unsent = undefined;
  return [];
}

function removeFromQueue({ queue }: SessionState, isMeant: (prompt: QueuedPrompt) => boolean): boolean {
  const index = queue.findIndex(isMeant);
  if (index !== -1) queue.splice(index, 1);
  return index !== -1;
}

// Some agents answer a cancelled prompt with "end_turn".
export function endTurn(state: SessionState, stopReason: StopReason, now: number): readonly Entry[] {
  const isCancelled = stopReason === 'end_turn' && state.phase === 'cancelling';
  const isSilent = isPromptUnanswered(state.entries);
  state.unsent = undefined;
  return stopTurn(state, 'idle', stopNotice(isCancelled ? 'cancelled' : stopReason, isSilent), now);
}

/** Closes every entry that the turn left open. */
export function stopTurn(
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
  enterPhase(state, phase, now);
  return notice && !isLastNotice(state, notice) ? [...changed, ...addNotice(state, notice, now)] : changed;
}

export function endReplay(state: SessionState, now: number): readonly Entry[] {
  return [...closeMessage(state, now), ...closeTools(state, 'unreported', now)];
}

export function enterPhase(state: SessionState, phase: Phase, now: number): void {
  state.phase = phase;
  state.phaseSince = now;
}

// An agent that can't be started fails with each prompt that is sent to it.
function isLastNotice({ entries }: SessionState, { title, detail = [] }: NoticeEvent): boolean {
  const last = entries.at(-1);
  return last?.kind === 'notice' && last.title === title && last.detail.join('\n') === detail.join('\n');
}
