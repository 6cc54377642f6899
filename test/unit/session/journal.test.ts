import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Journal, pruneJournals } from '../../../src/session/journal.ts';
import { aChunk, aNotice, aToolCall } from '../../support/builders.ts';
import { LogDouble, ManualClock } from '../../support/doubles.ts';
import { aFolder } from '../../support/temp.ts';

function aJournal(file = path.join(aFolder(), 'chats', '1.jsonl')) {
  const clock = new ManualClock();
  const log = new LogDouble();
  const journal = new Journal(file, clock, log);
  const events = () => new Journal(file, clock, log).read().map(({ event }) => event);
  return { file, clock, log, journal, events };
}

describe('what is recorded', () => {
  it('is on the disk soon after, without being asked', () => {
    const { journal, clock, events } = aJournal();
    journal.record(aNotice());
    expect(events()).toEqual([]);
    clock.advance(1_000);
    expect(events()).toEqual([aNotice()]);
    expect(clock.pending).toBe(0);
  });

  it('is on the disk at once when it is much', () => {
    const { journal, events } = aJournal();
    journal.record(aChunk('x'.repeat(100_000)));
    expect(events()).toHaveLength(1);
  });

  it('is on the disk when the journal is closed', () => {
    const { journal, clock, events } = aJournal();
    journal.record(aToolCall());
    journal.dispose();
    expect({ events: events(), timers: clock.pending }).toEqual({ events: [aToolCall()], timers: 0 });
  });

  it('keeps its time and its order', () => {
    const { journal, clock } = aJournal();
    journal.record(aNotice({ title: 'a' }));
    clock.advance(50);
    journal.record(aNotice({ title: 'b' }));
    journal.flush();
    const [first, second] = journal.read();
    expect([first?.event, second?.event]).toEqual([aNotice({ title: 'a' }), aNotice({ title: 'b' })]);
    expect(second!.at - first!.at).toBe(50);
  });

  it('is no notice that is only passing', () => {
    const { journal, events } = aJournal();
    journal.record(aNotice({ isPassing: true }));
    journal.record(aNotice());
    journal.flush();
    expect(events()).toEqual([aNotice()]);
  });

  it('is no output that will soon be followed by more', () => {
    const { journal, events } = aJournal();
    const report = { kind: 'terminal', patch: { terminalId: 't1', text: 'one' } } as const;
    journal.record({ ...report, patch: { ...report.patch, isPassing: true } });
    journal.record(report);
    journal.flush();
    expect(events()).toEqual([report]);
  });

  it('joins chunks of one message only', () => {
    const { journal, events } = aJournal();
    const chunks = [
      aChunk('a'),
      aChunk('b'),
      aChunk('c', 'thought'),
      aChunk('d', 'agent', '1'),
      aChunk('e', 'agent', '2'),
    ];
    for (const event of [...chunks, aNotice(), aChunk('f')]) journal.record(event);
    journal.flush();
    expect(events()).toEqual([aChunk('ab'), ...chunks.slice(2), aNotice(), aChunk('f')]);
  });

  it('may hold every character, half ones too', () => {
    const { journal, events } = aJournal();
    const text = 'ä\n世\u2028\0\ud83d';
    journal.record(aChunk(text));
    journal.record(aChunk('\udc4d'));
    journal.flush();
    expect(events()).toEqual([aChunk(`${text}\udc4d`)]);
  });

  it('is for the eyes of the user alone', () => {
    const { journal, file } = aJournal();
    journal.record(aNotice());
    journal.flush();
    expect([file, path.dirname(file)].map((name) => fs.statSync(name).mode & 0o077)).toEqual([0, 0]);
  });

  it('that can not be kept is told once and bothers nobody', () => {
    const file = path.join(aFolder(), 'file');
    fs.writeFileSync(file, '');
    const { journal, log } = aJournal(path.join(file, '1.jsonl'));
    for (const title of ['a', 'b']) {
      journal.record(aNotice({ title }));
      journal.flush();
    }
    expect(log.lines).toHaveLength(1);
  });
});

describe('a journal that a killed host left', () => {
  /** Two records, of which the second was cut off in the middle. */
  function aTornJournal() {
    const parts = aJournal();
    for (const title of ['whole', 'torn']) parts.journal.record(aNotice({ title }));
    parts.journal.flush();
    fs.truncateSync(parts.file, fs.statSync(parts.file).size - 10);
    return parts;
  }

  it('is read as far as it goes', () => {
    expect(aTornJournal().events()).toEqual([aNotice({ title: 'whole' })]);
  });

  it('is written on without losing anything', () => {
    const { file, events } = aTornJournal();
    const { journal } = aJournal(file);
    for (const title of ['a', 'b']) {
      journal.record(aNotice({ title }));
      journal.flush();
    }
    expect(events()).toEqual(['whole', 'a', 'b'].map((title) => aNotice({ title })));
  });

  it.each([
    'null',
    '5',
    '[]',
    '{}',
    '{"at":1}',
    '{"at":"x","event":{"kind":"chunk"}}',
    '{"at":1,"event":{"kind":5}}',
    'x',
  ])('may hold %s', (line) => {
    const { file, events } = aJournal();
    fs.mkdirSync(path.dirname(file));
    fs.writeFileSync(file, `${line}\n${JSON.stringify({ at: 1, event: aNotice() })}\n`);
    expect(events()).toEqual([aNotice()]);
  });

  it('is empty when there was none', () => expect(aJournal().events()).toEqual([]));
});

it('throws away what nobody wrote to for a month, and nothing else', async () => {
  const folder = aFolder();
  const now = Date.now();
  const old = new Date(now - 40 * 24 * 3_600_000);
  for (const name of ['old.jsonl', 'old.txt', 'new.jsonl']) {
    fs.writeFileSync(path.join(folder, name), '');
    if (name.startsWith('old')) fs.utimesSync(path.join(folder, name), old, old);
  }
  await pruneJournals(folder, now);
  await pruneJournals(path.join(folder, 'none'), now);
  expect(fs.readdirSync(folder).sort()).toEqual(['new.jsonl', 'old.txt']);
});
