import { isBusy, isWaitingForUser, type SessionState } from '../../model/session.ts';
import type { ChatSummary } from '../../model/session-list.ts';

/** An item of the list of sessions for a session in an open chat. */
export function summariseSession(
  state: SessionState,
  chat: Pick<ChatSummary, 'chat' | 'cwd' | 'shownIds' | 'begunAt'>,
): ChatSummary {
  const prompt = state.entries.find((entry) => entry.kind === 'message' && entry.role === 'user');
  return {
    ...chat,
    agent: state.agent.name,
    sessionId: state.sessionId,
    title: state.title,
    firstPrompt: prompt?.kind === 'message' ? prompt.text.toString() : undefined,
    updatedAt: state.entries.at(-1)?.at ?? state.phaseSince,
    isWaiting: isWaitingForUser(state),
    isBusy: isBusy(state),
  };
}
