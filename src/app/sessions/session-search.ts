import { AcpError } from '../../base/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import { type JournaledSession, listJournaledSessions } from '../../session/journal/journal-list.ts';
import { type JournalMatch, searchJournal } from '../../session/journal/search.ts';
import { showsSession } from '../../session/session-list.ts';
import { searchPicker } from '../../view/pickers/search.ts';
import type { Chats } from '../chats.ts';
import { parseSearch, type Search } from './search-query.ts';

const maxPerSession = 20;
const maxFound = 200;

interface SessionSearchPorts {
  readonly editor: Editor;
  readonly clock: Clock;
  readonly chats: Pick<Chats, 'all' | 'summaries'>;
}

type Found = JournaledSession & JournalMatch;

/** Finds a text in the journals of all sessions, and opens the session at the line that the user chooses. */
export class SessionSearch {
  private readonly ports: SessionSearchPorts;
  private found: readonly Found[] = [];

  constructor(ports: SessionSearchPorts) {
    this.ports = ports;
  }

  async show(folder: string, words: string): Promise<void> {
    const { editor, clock, chats } = this.ports;
    const search = parseSearch(words);
    if (search.text === '')
      return editor.notify('warn', 'nothing to search for; try :AcpSearch login agent:claude');
    for (const chat of chats.all) chat.flush();
    this.found = await findLines(folder, search);
    if (this.found.length === 0) return editor.notify('warn', `no conversation contains "${search.text}"`);
    editor.send('picker.open', { ...searchPicker(search.text, this.found, clock.now()) });
  }

  /** Shows the conversation, in its chat or in a new one, with the cursor on the line. */
  open(index: number): void {
    const { editor, chats } = this.ports;
    const found = this.found[index];
    if (!found) throw new AcpError('not_found', 'the list is out of date; :AcpSearch makes a new one');
    const { agent, sessionId, cwd, title, file, line } = found;
    const open = chats.summaries().find((chat) => showsSession(chat, found));
    if (open) return editor.send('chat.show', { chat: open.chat, line });
    editor.send('chat.create', {
      ...{ agent, session: sessionId, cwd, earlierJournal: file, line },
      ...(title !== undefined && { title }),
    });
  }
}

async function findLines(folder: string, { text, agent, since }: Search): Promise<readonly Found[]> {
  const sessions = await listJournaledSessions(folder);
  const wanted = sessions
    .filter((session) => agent === undefined || session.agent === agent)
    .filter((session) => since === undefined || session.updatedAt >= since)
    .toSorted((one, other) => other.updatedAt - one.updatedAt);
  const found = new Map<string, Found>();
  for (const session of wanted) {
    if (found.size >= maxFound) break;
    const matches = await searchJournal(session.file, text, maxPerSession);
    for (const match of matches.filter(({ at }) => since === undefined || at >= since)) {
      const key = lineKey(session, match);
      if (!found.has(key)) found.set(key, { ...session, ...match });
    }
  }
  return [...found.values()].slice(0, maxFound);
}

// The journal of a session that was continued begins with a copy of the one before.
function lineKey({ agent, sessionId, file }: JournaledSession, { role, at, line }: JournalMatch): string {
  return JSON.stringify([agent, sessionId ?? file, role, at, line]);
}
