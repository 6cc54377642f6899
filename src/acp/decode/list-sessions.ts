import { isRecord } from '../../base/record.ts';
import type { StoredSession } from '../../ports/agent.ts';
import { asString, mapList } from './fields.ts';
import { decodeTitle } from './titles.ts';

const maxPages = 100;
/** Neovim lists all of them at once. */
const maxSessions = 10_000;

type RequestPage = (params: object) => Promise<unknown>;

/** Reads all pages of the agent's list. Stops at a repeated cursor, which would never end. */
export async function listSessions(
  requestPage: RequestPage,
  cwd: string | undefined,
): Promise<readonly StoredSession[]> {
  const sessions = new Map<string, StoredSession>();
  const seen = new Set<string>();
  const filter = cwd === undefined ? {} : { cwd };
  let cursor: string | undefined;
  do {
    const page = await requestPage(cursor === undefined ? filter : { ...filter, cursor });
    for (const session of decodeSessionPage(page)) sessions.set(session.sessionId, session);
    cursor = isRecord(page) ? asString(page.nextCursor) : undefined;
    if (cursor === undefined || seen.has(cursor)) break;
    seen.add(cursor);
  } while (seen.size < maxPages && sessions.size < maxSessions);
  return [...sessions.values()].slice(0, maxSessions);
}

function decodeSessionPage(page: unknown): readonly StoredSession[] {
  return mapList(isRecord(page) ? page.sessions : undefined, (session) => {
    if (!isRecord(session)) return undefined;
    const sessionId = asString(session.sessionId);
    if (sessionId === undefined) return undefined;
    const updatedAt = Date.parse(asString(session.updatedAt) ?? '');
    return {
      sessionId,
      cwd: asString(session.cwd),
      title: decodeTitle(session.title),
      updatedAt: Number.isNaN(updatedAt) ? undefined : updatedAt,
    };
  });
}
