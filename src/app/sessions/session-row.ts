import { isBusy, isWaitingForUser, type SessionState } from '../../model/session.ts';
import type { SessionRow } from '../../view/sessions/panel.ts';
import { questionPrompt } from '../../view/transcript/question.ts';
import type { Chat } from '../chat/chat.ts';

type ChatFacts = NonNullable<SessionRow['chat']>;

/** How much of the end of a message is searched for its last line. */
const lastLineCharacters = 1_000;
const entriesToSearch = 20;

/** What the panel shows of an open chat. */
export function factsOf(chat: Chat): ChatFacts {
  const { state } = chat.session;
  const { unseen, unreviewed } = chat.attention;
  const { usage } = state;
  return {
    state: stateOf(state, unseen),
    files: unreviewed,
    context: usage && usage.size > 0 ? Math.round((100 * usage.used) / usage.size) : undefined,
    queued: state.queue.length,
    waitsFor: waitsFor(chat),
    lastLine: lastLineOf(state),
    marks: [...(state.isPrivate ? ['private'] : []), ...(state.hasWorktree ? ['worktree'] : [])],
  };
}

function stateOf(state: SessionState, unseen: 'finished' | 'failed' | undefined): ChatFacts['state'] {
  if (isWaitingForUser(state) || state.phase === 'login') return 'waiting';
  if (state.phase === 'cancelling') return 'stopping';
  if (isBusy(state)) return 'working';
  if (state.phase === 'starting') return 'starting';
  if (unseen) return unseen;
  return state.phase === 'down' && !state.isEndedIdle ? 'down' : 'idle';
}

function waitsFor({ session: { state }, viewContext }: Chat): string | undefined {
  const [first, ...more] = state.questions;
  if (first) {
    const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
    return `? ${questionPrompt(first, viewContext)}${rest}`;
  }
  return state.phase === 'login' ? '? log in with :AcpLogin' : undefined;
}

// The end of a code block and the line below a table have no words.
const hasWords = /[\p{L}\p{N}]/u;

/** The last line with words of what the agent said. */
export function lastLineOf({ entries }: SessionState): string | undefined {
  const last = entries
    .slice(-entriesToSearch)
    .findLast((entry) => entry.kind === 'message' && entry.role === 'agent' && entry.text.length > 0);
  if (last?.kind !== 'message') return undefined;
  const end = last.text.since(Math.max(0, last.text.cursor - lastLineCharacters));
  return end
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => hasWords.test(line));
}
