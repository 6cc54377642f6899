import fs from 'node:fs';
import path from 'node:path';
import type { SessionInfo, SessionUpdate } from '@agentclientprotocol/sdk';
import type { Client } from './wire.ts';

/** A conversation as the tour can tell it again. */
interface Conversation {
  readonly info: SessionInfo;
  readonly updates: SessionUpdate[];
}

/** What the tour keeps of its conversations: in the folder that ACP_TOUR_MEMORY names, else as long as it runs. */
export class Memory {
  private readonly folder: string | undefined;
  private readonly conversations = new Map<string, Conversation>();

  constructor(folder: string | undefined) {
    this.folder = folder;
    for (const file of folder === undefined ? [] : fs.readdirSync(folder)) {
      const conversation = JSON.parse(fs.readFileSync(path.join(folder!, file), 'utf8')) as Conversation;
      this.conversations.set(conversation.info.sessionId, conversation);
    }
  }

  /** An id that no conversation has. */
  nextId(): string {
    let number = this.conversations.size + 1;
    while (this.conversations.has(`tour-${number}`)) number += 1;
    return `tour-${number}`;
  }

  begin(sessionId: string, cwd: string): void {
    this.conversations.set(sessionId, { info: { sessionId, cwd }, updates: [] });
  }

  get(sessionId: string): Conversation | undefined {
    return this.conversations.get(sessionId);
  }

  list(cwd: string | undefined): SessionInfo[] {
    const all = [...this.conversations.values()].map(({ info }) => info);
    return all.filter((info) => cwd === undefined || info.cwd === cwd).reverse();
  }

  /** Keeps what is worth telling again. */
  note(sessionId: string, update: SessionUpdate): void {
    const conversation = this.conversations.get(sessionId);
    if (!conversation) return;
    if (update.sessionUpdate === 'session_info_update') {
      Object.assign(conversation.info, { title: update.title });
    } else if (isTold(update) && !continueChunk(conversation.updates, update)) {
      conversation.updates.push(structuredClone(update));
    }
  }

  save(sessionId: string): void {
    const conversation = this.conversations.get(sessionId);
    if (!conversation) return;
    conversation.info.updatedAt = new Date().toISOString();
    if (this.folder !== undefined)
      fs.writeFileSync(path.join(this.folder, `${sessionId}.json`), JSON.stringify(conversation));
  }

  delete(sessionId: string): void {
    this.conversations.delete(sessionId);
    if (this.folder !== undefined) fs.rmSync(path.join(this.folder, `${sessionId}.json`), { force: true });
  }
}

/** The same client, with everything that is reported to it kept. */
export function remembering(client: Client, memory: Memory): Client {
  return {
    request: (method, params, signal) => client.request(method, params, signal),
    notify: (method, params) => {
      if (method === 'session/update') {
        const { sessionId, update } = params as { sessionId: string; update: SessionUpdate };
        memory.note(sessionId, update);
      }
      return client.notify(method, params);
    },
  };
}

const untold = new Set(['available_commands_update', 'current_mode_update', 'notice']);

function isTold({ sessionUpdate }: SessionUpdate): boolean {
  return !untold.has(sessionUpdate);
}

function continueChunk(updates: readonly SessionUpdate[], update: SessionUpdate): boolean {
  const last = updates.at(-1);
  if (!last || !('messageId' in last) || !('messageId' in update)) return false;
  const isSame = last.sessionUpdate === update.sessionUpdate && last.messageId === update.messageId;
  if (!isSame || last.content.type !== 'text' || update.content.type !== 'text') return false;
  last.content.text += update.content.text;
  return true;
}
