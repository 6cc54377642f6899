/** A chat in this Neovim. */
export interface ChatSummary {
  readonly chat: number;
  readonly agent: string;
  readonly sessionId: string | undefined;
  /** Every session that the chat shows: an agent that can't continue a session starts a new one in the same chat. */
  readonly shownIds?: readonly string[];
  readonly cwd: string;
  readonly title: string | undefined;
  readonly firstPrompt?: string | undefined;
  /** The time of the first record of its journal. */
  readonly begunAt?: number | undefined;
  readonly updatedAt: number;
  readonly isWaiting: boolean;
  readonly isBusy: boolean;
}

/** A session from any source: an open chat, a journal, or the agent's list. */
export interface SessionListItem {
  readonly agent: string;
  readonly sessionId: string | undefined;
  readonly cwd: string | undefined;
  /** The title that the agent gave it. */
  readonly title: string | undefined;
  /** The first prompt. */
  readonly firstPrompt?: string | undefined;
  readonly updatedAt: number | undefined;
  readonly open: ChatSummary | undefined;
  /** Its journals, newest first. */
  readonly files: readonly string[];
  /** The agent's list contains it. */
  readonly isStoredByAgent: boolean;
  /** Another Neovim that runs has a journal of it. */
  readonly isOpenElsewhere?: boolean | undefined;
}
