import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { Journal } from '../../../../src/session/journal/journal.ts';
import { listJournaledSessions } from '../../../../src/session/journal/journal-list.ts';
import { renameJournal } from '../../../../src/session/journal/journal-title.ts';
import { aChunk } from '../../../support/builders.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { aFolder } from '../../../support/system/temp.ts';

const opened = (sessionId: string): SessionEvent => ({
  kind: 'session_opened',
  sessionId,
  agent: 'tester',
  cwd: '/work',
});
const asked: SessionEvent = { kind: 'turn_started', text: 'fix the "session_opened" parser' };
const long = aChunk('x'.repeat(400_000));

function aJournal(folder: string, name: string): Journal {
  return new Journal(path.join(folder, name), new ManualClock(), new LogDouble());
}

function record(journal: Journal, ...events: readonly SessionEvent[]): void {
  for (const event of events) journal.record(event);
  journal.dispose();
}

it('the journal of a fork has the conversation, and belongs to the fork only', async () => {
  const folder = aFolder();
  const first = aJournal(folder, 'first.jsonl');
  record(first, opened('s1'), asked, aChunk('done'));
  const fork = aJournal(folder, 'fork.jsonl');
  fork.copyFrom(first.file, true);
  expect([...fork.reader().records()].map(({ event }) => event)).toEqual([asked, aChunk('done')]);
  // More than the end of a journal that is searched for the id.
  record(fork, opened('s2'), long, aChunk('y'.repeat(10), 'user'));
  const sessions = await listJournaledSessions(folder);
  expect(new Set(sessions.map(({ sessionId }) => sessionId))).toEqual(new Set(['s1', 's2']));
  expect(fs.statSync(fork.file).mode & 0o777).toBe(0o600);
});

it.each([
  ['continued', false],
  ['forked', true],
])('a journal that another Neovim has deleted is %s without leaving a part behind', (_, isFork) => {
  const folder = aFolder();
  aJournal(folder, 'second.jsonl').copyFrom(path.join(folder, 'first.jsonl'), isFork);
  expect(fs.readdirSync(folder)).toEqual([]);
});

it('renameJournal gives a title that titles of the agent do not replace, and keeps the age', async () => {
  const folder = aFolder();
  const journal = aJournal(folder, 'one.jsonl');
  record(journal, opened('s1'), asked, { kind: 'title', title: 'Of the agent' });
  fs.utimesSync(journal.file, 1_000, 1_000);
  await renameJournal(journal.file, 'Mine', 5);
  expect(await listJournaledSessions(folder)).toMatchObject([
    { title: 'Of the agent', chosenTitle: 'Mine', updatedAt: 1_000_000 },
  ]);
});
