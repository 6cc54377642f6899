import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { SessionInfo, SessionUpdate } from '@agentclientprotocol/sdk';
import type { TourClient } from './client-connection.ts';

/** A session that can be replayed. */
interface RecordedSession {
  readonly info: SessionInfo;
  readonly updates: SessionUpdate[];
}

const maxStoredSessions = 50;

/** Stores sessions in the folder that ACP_TOUR_MEMORY names, otherwise in memory. */
export class SessionStore {
  private readonly folder: string | undefined;
  private readonly sessions = new Map<string, RecordedSession>();

  constructor(folder: string | undefined) {
    this.folder = folder;
    for (const session of folder === undefined ? [] : loadSessions(folder)) {
      this.sessions.set(session.info.sessionId, session);
    }
  }

  /** An unused session id. Another process may store sessions in the same folder. */
  nextId(): string {
    if (this.folder !== undefined) return `tour-${randomUUID()}`;
    let number = this.sessions.size + 1;
    while (this.sessions.has(`tour-${number}`)) number += 1;
    return `tour-${number}`;
  }

  create(sessionId: string, cwd: string): void {
    this.sessions.set(sessionId, { info: { sessionId, cwd }, updates: [] });
  }

  /** Copies a session; returns the id of the copy. */
  copy(sessionId: string): string {
    const copy = structuredClone(this.sessions.get(sessionId)!);
    const id = this.nextId();
    this.sessions.set(id, { ...copy, info: { ...copy.info, sessionId: id } });
    this.save(id);
    return id;
  }

  get(sessionId: string): RecordedSession | undefined {
    return this.sessions.get(sessionId);
  }

  list(cwd: string | undefined): SessionInfo[] {
    const all = [...this.sessions.values()].map(({ info }) => info);
    return all.filter((info) => cwd === undefined || info.cwd === cwd).reverse();
  }

  /** Keeps an update if a replay needs it. */
  record(sessionId: string, update: SessionUpdate): void {
    const session = this.sessions.get(sessionId);
    if (!session) return;
    if (update.sessionUpdate === 'session_info_update') {
      if (update.title !== undefined) Object.assign(session.info, { title: update.title });
    } else if (isReplayed(update) && !continueChunk(session.updates, update)) {
      session.updates.push(structuredClone(update));
    }
  }

  save(sessionId: string): void {
    const session = this.sessions.get(sessionId);
    if (!session) return;
    session.info.updatedAt = new Date().toISOString();
    if (this.folder !== undefined)
      fs.writeFileSync(path.join(this.folder, `${sessionId}.json`), JSON.stringify(session), { mode: 0o600 });
  }

  delete(sessionId: string): void {
    this.sessions.delete(sessionId);
    if (this.folder !== undefined) fs.rmSync(path.join(this.folder, `${sessionId}.json`), { force: true });
  }
}

/** The stored sessions, from old to new. Those that are too many or damaged are removed. */
function loadSessions(folder: string): readonly RecordedSession[] {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = fs.readdirSync(folder).filter((name) => /^tour-.*\.json$/.test(name));
  const files = names.map((name) => path.join(folder, name));
  const byAge = files.map((file) => ({ file, at: fs.statSync(file).mtimeMs })).sort((a, b) => a.at - b.at);
  return byAge.flatMap(({ file }, index) => {
    const session = index < byAge.length - maxStoredSessions ? undefined : readSession(file);
    if (!session) fs.rmSync(file, { force: true });
    return session ?? [];
  });
}

function readSession(file: string): RecordedSession | undefined {
  try {
    const session = JSON.parse(fs.readFileSync(file, 'utf8')) as RecordedSession;
    return typeof session.info.sessionId === 'string' && Array.isArray(session.updates) ? session : undefined;
  } catch {
    return undefined;
  }
}

/** Wraps a client so that every update sent to it is stored. */
export function recordingClient(client: TourClient, store: SessionStore): TourClient {
  return {
    request: (method, params, signal) => client.request(method, params, signal),
    notify: (method, params) => {
      if (method === 'session/update') {
        const { sessionId, update } = params as { sessionId: string; update: SessionUpdate };
        store.record(sessionId, update);
      }
      return client.notify(method, params);
    },
  };
}

const notReplayed = new Set(['available_commands_update', 'current_mode_update', 'notice']);

function isReplayed({ sessionUpdate }: SessionUpdate): boolean {
  return !notReplayed.has(sessionUpdate);
}

function continueChunk(updates: readonly SessionUpdate[], update: SessionUpdate): boolean {
  const last = updates.at(-1);
  if (!last || !('messageId' in last) || !('messageId' in update)) return false;
  const isSame = last.sessionUpdate === update.sessionUpdate && last.messageId === update.messageId;
  if (!isSame || last.content.type !== 'text' || update.content.type !== 'text') return false;
  last.content.text += update.content.text;
  return true;
}
