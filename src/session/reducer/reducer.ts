import { assertNever } from '../../base/errors.ts';
import type { Setting } from '../../model/agent.ts';
import type { Entry } from '../../model/entries.ts';
import { promptFrom, queuedFrom } from '../../model/prompt.ts';
import { isBusy, type SessionState } from '../../model/session.ts';
import type { SessionEvent } from '../../model/session-events.ts';
import { cutBodies, restoreBody } from './bodies.ts';
import {
  addAttachment,
  addChunk,
  addNotice,
  addSummary,
  addUnknown,
  setPlan,
  upsertCompaction,
} from './entries.ts';
import { addQuestion, applyDecision, closePages, setFormProgress, settleQuestion } from './questions.ts';
import { upsertTerminal } from './terminal-state.ts';
import { closeTools, upsertTool } from './tool-calls.ts';
import {
  changeQueue,
  endReplay,
  endTurn,
  enterPhase,
  injectPrompt,
  startAgent,
  startTurn,
  stopTurn,
} from './turns.ts';

/**
 * The only place where a session's state changes. It changes in place and returns the entries that did, so the
 * cost of an event does not depend on how long the transcript is.
 */
export function reduce(state: SessionState, event: SessionEvent, now: number): readonly Entry[] {
  if (event.kind !== 'bodies_cut' && event.kind !== 'body_read') state.lastActivityAt = now;
  switch (event.kind) {
    case 'chunk':
      return addChunk(state, event, now);
    case 'attachment':
      return addAttachment(state, event, now);
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
      return changeSetting(state, ({ id }) => id === event.id, event.value);
    case 'mode':
      return changeSetting(state, (setting) => isModeSetting(setting, event.mode), event.mode);
    case 'title':
      if (state.isTitleChosen && event.isChosen === undefined) return [];
      state.title = event.title;
      state.isTitleChosen = event.isChosen === true;
      return [];
    case 'usage':
      state.usage = event.usage;
      return [];
    case 'unknown':
      return addUnknown(state, event, now);
    case 'nothing':
      return [];
    case 'terminal':
      return upsertTerminal(state, event.patch);
    case 'bodies_cut':
      return cutBodies(state, event);
    case 'body_read':
      return restoreBody(state, event);
    case 'agent_starting':
      return startAgent(state, now);
    case 'session_opened':
      if (state.sessionId !== event.sessionId) state.allowsAll = false;
      state.sessionId = event.sessionId;
      return state.isReplaying ? endReplay(state, now) : [];
    case 'replay_started':
      state.isReplaying = true;
      return [];
    case 'agent_known':
      state.agent = event.agent;
      return [];
    case 'agent_ready':
      state.agent = event.agent;
      enterPhase(state, 'idle', now);
      return [];
    case 'login_needed':
      state.unsent = undefined;
      state.agent = event.agent;
      return stopTurn(state, 'login', { ...event.notice, isAboutLogin: true }, now);
    case 'agent_gone':
      state.isCutOff = isBusy(state) && !event.notice;
      state.isEndedIdle = event.isIdle === true;
      state.allowsAll = false;
      return [...closePages(state, 'opened'), ...stopTurn(state, 'down', event.notice, now)];
    case 'turn_tokens':
      state.turnTokens = event.tokens;
      return [];
    case 'suggestions':
      state.suggestions = event.suggestions;
      return [];
    case 'prompt_queued':
      state.queue.push(queuedFrom(event));
      return [];
    case 'queue_changed':
      return changeQueue(state, event.prompts.map(queuedFrom));
    case 'prompt_injected':
      return injectPrompt(state, promptFrom(event), now);
    case 'queue_cleared':
      state.queue.length = 0;
      return [];
    case 'turn_started':
      return startTurn(state, event, now);
    case 'prompt_sent':
      state.unsent = undefined;
      return [];
    case 'cancel_requested':
      state.phase = 'cancelling';
      return closeTools(state, 'cancelled', now);
    case 'turn_ended':
      return endTurn(state, event.stopReason, now);
    case 'turn_summary':
      return addSummary(state, event, now);
    case 'call_decided':
      return applyDecision(state, event, now);
    case 'allow_all':
      state.allowsAll = event.isOn;
      return [];
    case 'question_asked':
      return addQuestion(state, event.question, now);
    case 'form_filled':
      return setFormProgress(state, event.questionId, event.progress);
    case 'question_settled':
      return settleQuestion(state, event, now);
    case 'page_done':
      return closePages(state, 'done', ({ pageId }) => pageId === event.pageId);
    default:
      return assertNever(event);
  }
}

function changeSetting(
  state: SessionState,
  isMeant: (setting: Setting) => boolean,
  current: Setting['current'],
): readonly Entry[] {
  state.settings = state.settings.map((setting) => (isMeant(setting) ? { ...setting, current } : setting));
  return [];
}

// Agents with options may also report the modes of older clients, which need not be values of an option.
function isModeSetting({ category, source, choices }: Setting, mode: string): boolean {
  return category === 'mode' && (source === 'mode' || choices.some(({ value }) => value === mode));
}
