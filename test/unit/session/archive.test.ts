import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readArchive } from '../../../src/session/archive.ts';
import type { SessionEvent } from '../../../src/session/events.ts';
import { Journal } from '../../../src/session/journal.ts';
import { aChunk } from '../../support/builders.ts';
import { LogDouble, ManualClock } from '../../support/doubles.ts';
import { aFolder } from '../../support/temp.ts';

const opened: SessionEvent = { kind: 'session_opened', sessionId: 's1', agent: 'tester', cwd: '/work' };
const asked: SessionEvent = { kind: 'turn_started', text: 'fix the parser' };

function written(folder: string, name: string, ...events: readonly SessionEvent[]): string {
  const file = path.join(folder, name);
  const journal = new Journal(file, new ManualClock(), new LogDouble());
  for (const event of events) journal.record(event);
  journal.dispose();
  return file;
}

it('knows a conversation by what it began with', async () => {
  const folder = aFolder();
  const file = written(folder, 'one.jsonl', opened, asked, aChunk('done'));
  expect(await readArchive(folder)).toEqual([
    {
      file,
      sessionId: 's1',
      agent: 'tester',
      cwd: '/work',
      title: undefined,
      firstPrompt: 'fix the parser',
      updatedAt: expect.any(Number),
    },
  ]);
});

it.each<[string, readonly SessionEvent[], object]>([
  ['the title the agent gave it', [opened, asked, { kind: 'title', title: 'Parser' }], { title: 'Parser' }],
  [
    'the session that was opened last',
    [opened, asked, { ...opened, sessionId: 's2' } as SessionEvent],
    { sessionId: 's2' },
  ],
  [
    'the words of one that was told again',
    [opened, aChunk('old words', 'user')],
    { firstPrompt: 'old words' },
  ],
])('takes %s', async (_, events, expected) => {
  const folder = aFolder();
  written(folder, 'one.jsonl', ...events);
  expect(await readArchive(folder)).toMatchObject([expected]);
});

it.each<[string, readonly SessionEvent[]]>([
  ['nobody asked anything', [opened, aChunk('welcome')]],
  ['no session was opened', [asked]],
])('leaves out a conversation in which %s', async (_, events) => {
  const folder = aFolder();
  written(folder, 'one.jsonl', ...events);
  expect(await readArchive(folder)).toEqual([]);
});

it.each<[string, readonly SessionEvent[], object]>([
  ['a first prompt of any length', [opened, { ...asked, text: 'x'.repeat(900_000) } as SessionEvent], {}],
  ['a session that is opened after much was said', [asked, aChunk('x'.repeat(900_000)), opened], {}],
  [
    'the last session and title of a long one',
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
])('finds %s', async (_, events, expected) => {
  const folder = aFolder();
  written(folder, 'one.jsonl', ...events);
  expect(await readArchive(folder)).toMatchObject([{ agent: 'tester', ...expected }]);
});

it('finds a conversation behind a long list of models that an older version wrote first', async () => {
  const folder = aFolder();
  const file = path.join(folder, 'one.jsonl');
  const choices = Array.from({ length: 4_000 }, (_, index) => ({
    value: `model ${index}`,
    name: 'x'.repeat(100),
  }));
  const records = [{ kind: 'settings', settings: [{ id: 'model', choices }] }, opened, asked];
  fs.writeFileSync(file, records.map((event) => `\n${JSON.stringify({ at: 1, event })}`).join(''));
  expect(await readArchive(folder)).toMatchObject([{ sessionId: 's1', firstPrompt: 'fix the parser' }]);
});

it('bears what is torn or no journal', async () => {
  const folder = aFolder();
  const file = written(folder, 'one.jsonl', opened, asked);
  fs.appendFileSync(file, `\n${'x'.repeat(600_000)}`);
  fs.writeFileSync(path.join(folder, 'notes.txt'), 'x');
  fs.mkdirSync(path.join(folder, 'folder.jsonl'));
  expect(await readArchive(folder)).toMatchObject([{ firstPrompt: 'fix the parser' }]);
});

it('finds nothing where there is no folder', async () => {
  expect(await readArchive(path.join(aFolder(), 'none'))).toEqual([]);
});
