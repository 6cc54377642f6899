import { isSendable } from '../../model/prompt.ts';
import { canSteer, isBusy, type SessionState } from '../../model/session.ts';
import type { PromptState } from '../../ports/editor-operations.ts';
import { formatPrompt } from '../../prompt/queue-text.ts';
import { isPaused } from '../../session/queue/prompt-queue.ts';
import { sanitiseLine } from '../../view/sanitise.ts';

const maxSuggestion = 500;

/** What the prompt shows of a session, and what its send key depends on. */
export function promptState(state: SessionState): PromptState {
  const waiting = state.queue.filter(({ isOffered }) => !isOffered);
  const suggestion = suggestionIn(state);
  return {
    isRunning: isBusy(state),
    canSteer: canSteer(state),
    queued: waiting.map(({ id = '', text }) => ({ id, text, item: formatPrompt(text) })),
    isPaused: isPaused(state.queue),
    ...(state.unsent?.id !== undefined && { unsent: { id: state.unsent.id, text: state.unsent.text } }),
    ...(suggestion !== undefined && { suggestion }),
  };
}

// A suggestion is about what comes after the last answer.
function suggestionIn({ phase, queue, suggestions }: SessionState): string | undefined {
  if (phase !== 'idle' || queue.some(isSendable)) return undefined;
  const [first = ''] = suggestions;
  const line = sanitiseLine(first.replace(/\s+/g, ' ').trim());
  return line === '' || line.length > maxSuggestion ? undefined : line;
}
