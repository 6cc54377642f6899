import path from 'node:path';
import { characterBoundary } from '../../base/text.ts';
import type { Entry } from '../../model/entries.ts';
import { emptySession } from '../../model/session.ts';
import type { ChatSummary } from '../../model/session-list.ts';
import type { Log } from '../../ports/log.ts';
import { limits } from '../../prompt/limits.ts';
import { attachmentsFolder } from '../../session/journal/attachment-files.ts';
import { listJournaledSessions } from '../../session/journal/journal-list.ts';
import { JournalReader } from '../../session/journal/reader.ts';
import { reduce } from '../../session/reducer/reducer.ts';

/** A conversation as markdown. */
export interface Conversation {
  readonly title: string;
  readonly text: string;
}

/** A chat that can be mentioned. */
export interface OpenConversation {
  readonly id: number;
  readonly session: { readonly state: { readonly entries: readonly Entry[] } };
  summary(): ChatSummary;
}

const maxOffered = 200;
const maxLabel = 80;
const maxName = 4_096;

interface Message {
  readonly author: string;
  readonly text: string;
}

/** A conversation that a mention may name, and what it is called. */
export interface Mentionable {
  /** Its title, its agent and its first prompt, as far as they are known. */
  readonly names: readonly string[];
  /** The one of them that is offered. */
  readonly label: string;
  read(): Conversation;
}

/** The open chats without the one that asks. */
export function openConversations(
  chats: readonly OpenConversation[],
  asking: number,
): readonly Mentionable[] {
  const others = chats.filter(({ id }) => id !== asking);
  return others.map((chat) => {
    const summary = chat.summary();
    return mentionable(summary, () => messagesIn(chat.session.state.entries, summary.agent));
  });
}

/** The conversations in journals without the one that asks, the last one first. */
export async function keptConversations(ownAttachments: string, log: Log): Promise<readonly Mentionable[]> {
  const all = await listJournaledSessions(path.dirname(ownAttachments));
  const kept = all
    .filter(({ file }) => attachmentsFolder(file) !== ownAttachments)
    .sort((one, other) => other.updatedAt - one.updatedAt);
  return kept.map((each) =>
    mentionable(each, () => messagesIn(entriesIn(new JournalReader(each.file, log), log), each.agent)),
  );
}

/** The conversation with a name like the words given; an exact match wins. */
export function findConversation(words: string, all: readonly Mentionable[]): Mentionable | undefined {
  const wanted = plainName(words).toLowerCase();
  const has = (test: (name: string) => boolean) =>
    all.find(({ names }) => names.some((name) => test(name.toLowerCase())));
  return has((name) => name === wanted) ?? has((name) => name.includes(wanted));
}

/** The labels that find their own conversation. Open chats are searched first. */
export function mentionableLabels(
  open: readonly Mentionable[],
  kept: readonly Mentionable[],
): readonly string[] {
  const offered = [...open, ...kept].slice(0, maxOffered);
  const isFound = (each: Mentionable) =>
    (findConversation(each.label, open) ?? findConversation(each.label, kept)) === each;
  return offered.filter((each) => each.label !== '' && isFound(each)).map(({ label }) => label);
}

function mentionable(
  { title, agent, firstPrompt }: Pick<ChatSummary, 'title' | 'agent' | 'firstPrompt'>,
  messages: () => readonly Message[],
): Mentionable {
  const names = [title, agent, firstPrompt].filter((name) => name !== undefined).map(plainName);
  const [shown] = (title ?? firstPrompt ?? agent).trim().split('\n');
  const label = plainName(shown ?? '');
  return {
    names,
    label: label.slice(0, characterBoundary(label, maxLabel)).trim(),
    read: () => asMarkdown(title ?? firstPrompt ?? agent, messages()),
  };
}

/** A name as it can be written in the quotes of a mention. */
function plainName(name: string): string {
  return name
    .slice(0, maxName)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll('"', "'")
    .trim();
}

function messagesIn(entries: readonly Entry[], agent: string): readonly Message[] {
  return entries.flatMap((entry) => {
    if (entry.kind === 'tool') return [{ author: agent, text: `(${entry.toolKind}: ${entry.title})` }];
    if (entry.kind !== 'message' || entry.role === 'thought') return [];
    return [{ author: entry.role === 'user' ? 'User' : agent, text: entry.text.toString() }];
  });
}

/** What the chat of a journal has shown. */
function entriesIn(journal: JournalReader, log: Log): readonly Entry[] {
  const state = emptySession('', 0);
  for (const { at, event } of journal.records()) {
    try {
      reduce(state, event, at);
    } catch (error) {
      log.error(`could not read an event of a journal (${event.kind})`, error);
    }
  }
  return state.entries;
}

/** The end of a long conversation tells more than its beginning. */
function asMarkdown(title: string, messages: readonly Message[]): Conversation {
  const parts: string[] = [];
  let room = limits.text - 1_024;
  for (const { author, text } of messages.toReversed()) {
    const part = `## ${author}\n\n${text.trim()}\n`;
    room -= Buffer.byteLength(part);
    if (room < 0) break;
    parts.push(part);
  }
  const left = messages.length - parts.length;
  if (left > 0) parts.push(`… ${left} earlier messages\n`);
  const firstLine = title.trim().split('\n')[0] ?? '';
  return { title: firstLine, text: [`# ${firstLine}\n`, ...parts.toReversed()].join('\n') };
}
