import { isBusy, type SessionState } from '../../model/session.ts';
import { isPaused } from '../../session/queue/prompt-queue.ts';
import { sessionTitle } from '../../view/pickers/sessions.ts';
import { settingValue } from '../../view/pickers/settings.ts';
import { sanitiseLine } from '../../view/sanitise.ts';
import { usageData } from './events.ts';
import type { QuestionData } from './question-data.ts';

/** How a turn ended that the user has not looked at. */
export type Outcome = 'finished' | 'failed';

/** What Lua knows of a chat for `require('acp').status()`. The names of the fields are public. */
export interface ChatStatus {
  readonly agent: string;
  readonly cwd: string;
  readonly session: string | undefined;
  readonly title: string;
  readonly state: 'starting' | 'login' | 'idle' | 'running' | 'stopping' | 'down';
  /** The time when this state began, in seconds since 1970. */
  readonly since: number;
  /** Questions. */
  readonly waiting: number;
  /** The oldest of them. */
  readonly questions: readonly QuestionData[];
  /** Prompts. */
  readonly queued: number;
  /** Prompts wait until the user resumes the queue. */
  readonly paused: boolean;
  /** Files. */
  readonly unreviewed: number;
  readonly unseen: Outcome | undefined;
  readonly mode: string | undefined;
  readonly model: string | undefined;
  readonly usage: object | undefined;
}

interface StatusContext {
  readonly cwd: string;
  readonly questions: readonly QuestionData[];
  readonly unreviewed: number;
  readonly unseen: Outcome | undefined;
}

export function chatStatus(state: SessionState, context: StatusContext): ChatStatus {
  const { cwd, questions, unreviewed, unseen } = context;
  return {
    agent: state.agent.name,
    cwd,
    session: state.sessionId,
    title: titleOf(state),
    state: stateName(state),
    since: Math.floor(state.phaseSince / 1000),
    waiting: state.questions.length,
    questions,
    queued: state.queue.length,
    paused: isPaused(state.queue),
    unreviewed,
    unseen: isBusy(state) ? undefined : unseen,
    mode: settingOf(state, 'mode'),
    model: settingOf(state, 'model'),
    usage: usageData(state.usage),
  };
}

/** The title of a chat, else its first prompt. */
export function titleOf({ title, entries, sessionId }: SessionState): string {
  const prompt = entries.find((entry) => entry.kind === 'message' && entry.role === 'user');
  const firstPrompt = prompt?.kind === 'message' ? prompt.text.toString() : undefined;
  return title === undefined && firstPrompt === undefined
    ? ''
    : sessionTitle({ title, firstPrompt, sessionId, open: undefined });
}

// An agent that was ended because it was idle is started by the next prompt.
function stateName({ phase, isEndedIdle }: SessionState): ChatStatus['state'] {
  if (isEndedIdle) return 'idle';
  return phase === 'cancelling' ? 'stopping' : phase;
}

function settingOf({ settings }: SessionState, category: string): string | undefined {
  const setting = settings.find((each) => each.category === category);
  return setting && sanitiseLine(settingValue(setting));
}
