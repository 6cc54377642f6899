import { isRecord } from '../base.ts';
import type { KeptSession } from '../ports/agent.ts';
import { titleFrom } from './titles.ts';
import { listOf, textOf } from './wire.ts';

const maxPages = 100;

type Ask = (params: object) => Promise<unknown>;

/** Reads all pages of an agent's list. A cursor means nothing to us, and one that comes again would go on for ever. */
export async function readKeptSessions(ask: Ask, cwd: string | undefined): Promise<readonly KeptSession[]> {
  const sessions = new Map<string, KeptSession>();
  const seen = new Set<string>();
  const filter = cwd === undefined ? {} : { cwd };
  let cursor: string | undefined;
  do {
    const page = await ask(cursor === undefined ? filter : { ...filter, cursor });
    for (const session of sessionsIn(page)) sessions.set(session.sessionId, session);
    cursor = isRecord(page) ? textOf(page.nextCursor) : undefined;
    if (cursor === undefined || seen.has(cursor)) break;
    seen.add(cursor);
  } while (seen.size < maxPages);
  return [...sessions.values()];
}

function sessionsIn(page: unknown): readonly KeptSession[] {
  return listOf(isRecord(page) ? page.sessions : undefined, (session) => {
    if (!isRecord(session)) return undefined;
    const sessionId = textOf(session.sessionId);
    if (sessionId === undefined) return undefined;
    const updatedAt = Date.parse(textOf(session.updatedAt) ?? '');
    return {
      sessionId,
      cwd: textOf(session.cwd),
      title: titleFrom(session.title),
      updatedAt: Number.isNaN(updatedAt) ? undefined : updatedAt,
    };
  });
}
