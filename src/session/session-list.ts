import type { ChatSummary, SessionListItem } from '../model/session-list.ts';
import type { StoredSession } from '../ports/agent.ts';
import type { JournaledSession } from './journal/journal-list.ts';

export interface SessionSources {
  readonly open: readonly ChatSummary[];
  readonly archived: readonly JournaledSession[];
  /** The sessions in one agent's list. */
  readonly kept: readonly StoredSession[];
  readonly agent: string;
  /** Other names of the same agent: its profiles, or the agent of a profile. */
  readonly otherNames?: readonly string[];
}

/**
 * Merges the sources to one item per session: open ones first, then the newest. The title that the user chose wins, then
 * that of the agent.
 */
export function mergeSessionLists({
  open,
  archived,
  kept,
  agent,
  otherNames = [],
}: SessionSources): readonly SessionListItem[] {
  const items = new Map<string, SessionListItem>();
  const add = (known: Partial<SessionListItem> & { agent: string }, key: string) => {
    items.set(key, { ...emptyItem, ...items.get(key), ...withoutUndefined(known) });
  };
  const chosen = new Map<string, string | undefined>();
  const names = [agent, ...otherNames];
  const listed = new Set(kept.flatMap(({ sessionId }) => names.map((name) => keyOf(name, sessionId))));
  const keyIn = sessionKeys(archived, listed);
  for (const session of [...archived].sort(byAge).reverse()) {
    const { title, firstPrompt, cwd, updatedAt, sessionId } = session;
    const key = keyIn(session);
    chosen.set(key, session.chosenTitle);
    const files = [session.file, ...(items.get(key)?.files ?? [])];
    const isOpenElsewhere = session.isOpenElsewhere || items.get(key)?.isOpenElsewhere;
    add({ agent: session.agent, sessionId, files, title, firstPrompt, cwd, updatedAt, isOpenElsewhere }, key);
  }
  // The first one counts, so it is set last.
  const owners = new Map<string | undefined, string>();
  for (const known of [...open, ...archived].reverse())
    if (names.includes(known.agent)) owners.set(known.sessionId, known.agent);
  for (const session of kept) {
    const owner = owners.get(session.sessionId) ?? agent;
    add({ ...session, agent: owner, isStoredByAgent: true }, keyOf(owner, session.sessionId));
  }
  for (const [key, title] of chosen) add({ agent: items.get(key)!.agent, title }, key);
  for (const session of open) {
    const { sessionId, cwd, title, firstPrompt, updatedAt } = session;
    const keyFor = (id: string) => keyIn({ ...session, sessionId: id });
    const isFree = (id: string) => !items.get(keyFor(id))?.open;
    const isFirst = sessionId !== undefined && isFree(sessionId);
    const key = isFirst ? keyFor(sessionId) : `chat ${session.chat}`;
    const shown = (session.shownIds ?? []).filter((id) => id !== sessionId && isFree(id));
    const others = shown.map(keyFor);
    const files = [key, ...others].flatMap((known) => items.get(known)?.files ?? []);
    for (const other of others) items.delete(other);
    const known = { sessionId, cwd, title, firstPrompt, updatedAt, files };
    add({ agent: session.agent, ...known, open: session }, key);
  }
  return [...items.values()].sort(byAge);
}

/** Whether an open chat shows the session of a journal. Some agents give the ids of one process again in the next. */
export function showsSession(chat: ChatSummary, journal: JournaledSession): boolean {
  const isOfAgent = chat.agent === journal.agent && chat.begunAt === journal.begunAt;
  return isOfAgent && [chat.sessionId, ...(chat.shownIds ?? [])].includes(journal.sessionId);
}

// The journals and chats of an id that the agent does not list are one session only if they begin alike; the newest
// journal has the key of the id.
function sessionKeys(archived: readonly JournaledSession[], listed: ReadonlySet<string>) {
  const newest = new Map<string, number | undefined>();
  for (const { agent, sessionId, begunAt } of [...archived].sort(byAge).reverse())
    newest.set(keyOf(agent, sessionId), begunAt);
  return ({ agent, sessionId, begunAt }: Pick<JournaledSession, 'agent' | 'sessionId' | 'begunAt'>) => {
    const key = keyOf(agent, sessionId);
    const isOnly = listed.has(key) || !newest.has(key);
    return isOnly || newest.get(key) === begunAt ? key : `${key} ${begunAt}`;
  };
}

const emptyItem = {
  sessionId: undefined,
  cwd: undefined,
  title: undefined,
  firstPrompt: undefined,
  updatedAt: undefined,
  open: undefined,
  files: [],
  isStoredByAgent: false,
};

function byAge(one: Partial<SessionListItem>, other: Partial<SessionListItem>): number {
  const openFirst = Number(other.open !== undefined) - Number(one.open !== undefined);
  return openFirst || (other.updatedAt ?? 0) - (one.updatedAt ?? 0);
}

function keyOf(agent: string, sessionId: string): string {
  return JSON.stringify([agent, sessionId]);
}

function withoutUndefined<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as T;
}
