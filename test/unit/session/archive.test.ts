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
      title: 'fix the parser',
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
  ['the words of one that was told again', [opened, aChunk('old words', 'user')], { title: 'old words' }],
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

it('reads the beginning of a long one only, and bears what is torn or no journal', async () => {
  const folder = aFolder();
  const file = written(folder, 'one.jsonl', opened, asked);
  fs.appendFileSync(file, `\n${'x'.repeat(200_000)}\n{"at":1,"event":{"kind":"title","title":"late"}}`);
  fs.writeFileSync(path.join(folder, 'notes.txt'), 'x');
  fs.mkdirSync(path.join(folder, 'folder.jsonl'));
  expect(await readArchive(folder)).toMatchObject([{ title: 'fix the parser' }]);
});

it('finds nothing where there is no folder', async () => {
  expect(await readArchive(path.join(aFolder(), 'none'))).toEqual([]);
});
