import type { KeptSession } from '../ports/agent.ts';
import type { ArchivedSession } from './archive.ts';

/** A conversation in a chat of this Neovim. */
export interface OpenSession {
  readonly chat: number;
  readonly agent: string;
  readonly sessionId: string | undefined;
  /** Every session that it shows something of: an agent that could not go on with one has begun another. */
  readonly shownIds?: readonly string[];
  readonly cwd: string;
  readonly title: string | undefined;
  readonly firstPrompt?: string | undefined;
  readonly updatedAt: number;
  readonly isWaiting: boolean;
  readonly isBusy: boolean;
}

/** A conversation, wherever it is known from. */
export interface CatalogueItem {
  readonly agent: string;
  readonly sessionId: string | undefined;
  readonly cwd: string | undefined;
  /** What its agent calls it. */
  readonly title: string | undefined;
  /** What the user said first. */
  readonly firstPrompt?: string | undefined;
  readonly updatedAt: number | undefined;
  readonly open: OpenSession | undefined;
  /** The journals it was written down in, the newest first. */
  readonly files: readonly string[];
  /** Its agent says it keeps it. */
  readonly isKept: boolean;
}

export interface Sources {
  readonly open: readonly OpenSession[];
  readonly archived: readonly ArchivedSession[];
  /** What one agent keeps. */
  readonly kept: readonly KeptSession[];
  readonly agent: string;
}

/** Every conversation once: those that are open first, then the newest. The agent knows best what one is called. */
export function catalogueOf({ open, archived, kept, agent }: Sources): readonly CatalogueItem[] {
  const items = new Map<string, CatalogueItem>();
  const add = (known: Partial<CatalogueItem> & { agent: string }, key: string) => {
    items.set(key, { ...nothing, ...items.get(key), ...withoutGaps(known) });
  };
  for (const session of [...archived].sort(byAge).reverse()) {
    const { title, firstPrompt, cwd, updatedAt, sessionId } = session;
    const key = keyOf(session.agent, sessionId);
    const files = [session.file, ...(items.get(key)?.files ?? [])];
    add({ agent: session.agent, sessionId, files, title, firstPrompt, cwd, updatedAt }, key);
  }
  for (const session of kept) {
    add({ agent, ...session, isKept: true }, keyOf(agent, session.sessionId));
  }
  for (const session of open) {
    const { sessionId, cwd, title, firstPrompt, updatedAt } = session;
    const isFree = (id: string) => !items.get(keyOf(session.agent, id))?.open;
    const isFirst = sessionId !== undefined && isFree(sessionId);
    const key = isFirst ? keyOf(session.agent, sessionId) : `chat ${session.chat}`;
    const shown = (session.shownIds ?? []).filter((id) => id !== sessionId && isFree(id));
    const others = shown.map((id) => keyOf(session.agent, id));
    const files = [key, ...others].flatMap((known) => items.get(known)?.files ?? []);
    for (const other of others) items.delete(other);
    const known = { sessionId, cwd, title, firstPrompt, updatedAt, files };
    add({ agent: session.agent, ...known, open: session }, key);
  }
  return [...items.values()].sort(byAge);
}

const nothing = {
  sessionId: undefined,
  cwd: undefined,
  title: undefined,
  firstPrompt: undefined,
  updatedAt: undefined,
  open: undefined,
  files: [],
  isKept: false,
};

function byAge(one: Partial<CatalogueItem>, other: Partial<CatalogueItem>): number {
  const openFirst = Number(other.open !== undefined) - Number(one.open !== undefined);
  return openFirst || (other.updatedAt ?? 0) - (one.updatedAt ?? 0);
}

function keyOf(agent: string, sessionId: string): string {
  return JSON.stringify([agent, sessionId]);
}

function withoutGaps<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}
