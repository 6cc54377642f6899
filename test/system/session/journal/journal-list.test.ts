import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { Journal } from '../../../../src/session/journal/journal.ts';
import { listJournaledSessions } from '../../../../src/session/journal/journal-list.ts';
import { aChunk } from '../../../support/builders.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { aFolder } from '../../../support/system/temp.ts';

const opened: SessionEvent = { kind: 'session_opened', sessionId: 's1', agent: 'tester', cwd: '/work' };
const asked: SessionEvent = { kind: 'turn_started', text: 'fix the parser' };

function written(folder: string, name: string, ...events: readonly SessionEvent[]): string {
  const file = path.join(folder, name);
  const journal = new Journal(file, new ManualClock(), new LogDouble());
  for (const event of events) journal.record(event);
  journal.dispose();
  return file;
}

it('listJournaledSessions returns agent, folder and first prompt', async () => {
  const folder = aFolder();
  const file = written(folder, 'one.jsonl', opened, asked, aChunk('done'));
  expect(await listJournaledSessions(folder)).toEqual([
    {
      file,
      sessionId: 's1',
      agent: 'tester',
      cwd: '/work',
      title: undefined,
      firstPrompt: 'fix the parser',
      begunAt: expect.any(Number),
      updatedAt: expect.any(Number),
    },
  ]);
});

it('listJournaledSessions returns a session without a prompt only if that is wanted', async () => {
  const folder = aFolder();
  const file = written(folder, 'one.jsonl', opened, aChunk('Welcome'));
  expect(await listJournaledSessions(folder)).toEqual([]);
  expect(await listJournaledSessions(folder, { includesEmpty: true })).toMatchObject([
    { file, cwd: '/work' },
  ]);
});

it('listJournaledSessions says which sessions another Neovim that runs has open', async () => {
  const folder = aFolder();
  const name = `20261118-164543-${process.pid}-1.jsonl`;
  written(folder, name, opened, asked);
  const isOpenElsewhere = async (pid: number) =>
    (await listJournaledSessions(folder, { pid })).map((session) => session.isOpenElsewhere);
  expect(await isOpenElsewhere(process.pid)).toEqual([false]);
  expect(await isOpenElsewhere(process.ppid)).toEqual([true]);
  fs.renameSync(path.join(folder, name), path.join(folder, '20261118-164543-999999999-1.jsonl'));
  expect(await isOpenElsewhere(process.pid)).toEqual([false]);
});

// Process ids of other systems are taken to be those of Neovim.
it.runIf(process.platform === 'linux')(
  'listJournaledSessions does not take a process that got the id of a Neovim later for that Neovim',
  async () => {
    const folder = aFolder();
    const file = written(folder, `20261118-164543-${process.pid}-1.jsonl`, opened, asked);
    const isOpenElsewhere = async () =>
      (await listJournaledSessions(folder, { pid: process.ppid })).map((session) => session.isOpenElsewhere);
    expect(await isOpenElsewhere()).toEqual([true]);
    const beforeStart = Date.now() / 1000 - process.uptime() - 3600;
    fs.utimesSync(file, beforeStart, beforeStart);
    expect(await isOpenElsewhere()).toEqual([false]);
  },
);

it('listJournaledSessions returns the same beginning for a journal and its continuation only', async () => {
  const folder = aFolder();
  const clock = new ManualClock();
  const journal = (name: string) => new Journal(path.join(folder, name), clock, new LogDouble());
  const [first, second, other] = ['1.jsonl', '2.jsonl', '3.jsonl'].map(journal);
  for (const event of [opened, asked]) first!.record(event);
  first!.dispose();
  clock.advance(1_000);
  second!.copyFrom(first!.file);
  for (const each of [second!, other!]) {
    for (const event of [opened, asked]) each.record(event);
    each.dispose();
  }
  const sessions = await listJournaledSessions(folder);
  const begun = Object.fromEntries(sessions.map(({ file, begunAt }) => [path.basename(file), begunAt]));
  expect(begun['2.jsonl']).toBe(begun['1.jsonl']);
  expect(begun['3.jsonl']).toBe(begun['1.jsonl']! + 1_000);
});

it.each<[string, readonly SessionEvent[], object]>([
  ['the title of the agent', [opened, asked, { kind: 'title', title: 'Parser' }], { title: 'Parser' }],
  [
    'the session that was opened last',
    [opened, asked, { ...opened, sessionId: 's2' } as SessionEvent],
    { sessionId: 's2' },
  ],
  [
    'the first prompt of a replayed session',
    [opened, aChunk('old words', 'user')],
    { firstPrompt: 'old words' },
  ],
])('listJournaledSessions returns %s', async (_, events, expected) => {
  const folder = aFolder();
  written(folder, 'one.jsonl', ...events);
  expect(await listJournaledSessions(folder)).toMatchObject([expected]);
});

it.each<[string, readonly SessionEvent[]]>([
  ['there is no prompt', [opened, aChunk('welcome')]],
  ['no session was opened', [asked]],
])('listJournaledSessions skips a journal in which %s', async (_, events) => {
  const folder = aFolder();
  written(folder, 'one.jsonl', ...events);
  expect(await listJournaledSessions(folder)).toEqual([]);
});

it.each<[string, readonly SessionEvent[], object]>([
  ['a first prompt of any length', [opened, { ...asked, text: 'x'.repeat(900_000) } as SessionEvent], {}],
  ['a session that is opened far into the journal', [asked, aChunk('x'.repeat(900_000)), opened], {}],
  [
    'the last session and title of a long journal',
    [
      opened,
      asked,
      { kind: 'title', title: 'Old' },
      aChunk('x'.repeat(900_000)),
      { ...opened, sessionId: 's2' } as SessionEvent,
      { kind: 'title', title: 'New' },
    ],
    { sessionId: 's2', title: 'New' },
  ],
])('listJournaledSessions finds %s', async (_, events, expected) => {
  const folder = aFolder();
  written(folder, 'one.jsonl', ...events);
  expect(await listJournaledSessions(folder)).toMatchObject([{ agent: 'tester', ...expected }]);
});

it('listJournaledSessions reads journals of older versions that start with a long list of models', async () => {
  const folder = aFolder();
  const file = path.join(folder, 'one.jsonl');
  const choices = Array.from({ length: 4_000 }, (_, index) => ({
    value: `model ${index}`,
    name: 'x'.repeat(100),
  }));
  const records = [{ kind: 'settings', settings: [{ id: 'model', choices }] }, opened, asked];
  fs.writeFileSync(file, records.map((event) => `\n${JSON.stringify({ at: 1, event })}`).join(''));
  expect(await listJournaledSessions(folder)).toMatchObject([
    { sessionId: 's1', firstPrompt: 'fix the parser' },
  ]);
});

it('listJournaledSessions ignores damaged and foreign files', async () => {
  const folder = aFolder();
  const file = written(folder, 'one.jsonl', opened, asked);
  fs.appendFileSync(file, `\n${'x'.repeat(600_000)}`);
  fs.writeFileSync(path.join(folder, 'notes.txt'), 'x');
  fs.mkdirSync(path.join(folder, 'folder.jsonl'));
  expect(await listJournaledSessions(folder)).toMatchObject([{ firstPrompt: 'fix the parser' }]);
});

it('listJournaledSessions returns nothing without a folder', async () => {
  expect(await listJournaledSessions(path.join(aFolder(), 'none'))).toEqual([]);
});
