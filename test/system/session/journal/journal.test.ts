import fs from 'node:fs';
import path from 'node:path';
import v8 from 'node:v8';
import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { Journal } from '../../../../src/session/journal/journal.ts';
import { aChunk, aNotice, aToolCall } from '../../../support/builders.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { settle } from '../../../support/doubles/deferred.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { aFolder } from '../../../support/system/temp.ts';

function aJournal(file = path.join(aFolder(), 'chats', '1.jsonl')) {
  const clock = new ManualClock();
  const log = new LogDouble();
  const journal = new Journal(file, clock, log);
  const events = () => [...new Journal(file, clock, log).reader().records()].map(({ event }) => event);
  return { file, clock, log, journal, events };
}

it('a folder that can not be read is reported, and does not break the chat', async () => {
  const folder = path.join(aFolder(), 'loop');
  fs.symlinkSync(folder, folder);
  const journal = new Journal(path.join(folder, '1.jsonl'), new ManualClock(), new LogDouble());
  const notices: string[] = [];
  journal.onWriteStateChange = ({ title }) => notices.push(title);
  journal.record(aChunk('text'));
  journal.flush();
  await settle();
  expect(notices).toHaveLength(1);
});

describe('a journal record', () => {
  it('is written soon without a flush', () => {
    const { journal, clock, events } = aJournal();
    journal.record(aNotice());
    expect(events()).toEqual([]);
    clock.advance(1_000);
    expect(events()).toEqual([aNotice()]);
    expect(clock.pending).toBe(0);
  });

  it('is written immediately if it is large', () => {
    const { journal, events } = aJournal();
    journal.record(aChunk('x'.repeat(100_000)));
    expect(events()).toHaveLength(1);
  });

  it.each<SessionEvent>([
    { kind: 'prompt_queued', text: 'fix it' },
    { kind: 'turn_started', text: 'fix it' },
    {
      kind: 'turn_started',
      text: 'look',
      attachments: [
        {
          kind: 'file',
          start: 0,
          end: 2,
          uri: 'file:///a.ts#L1-2',
          name: 'a.ts',
          range: { first: 1, last: 2 },
        },
        {
          kind: 'image',
          start: 2,
          end: 4,
          uri: 'file:///a.png',
          name: 'a.png',
          mimeType: 'image/png',
          size: 9,
        },
      ],
    },
    { kind: 'turn_ended', stopReason: 'end_turn' },
    { kind: 'agent_gone' },
  ])('is written immediately if it is a $kind', (event) => {
    const { journal, events } = aJournal();
    journal.record(event);
    expect(events()).toEqual([event]);
  });

  it('does not contain what was attached, only its address', () => {
    const { journal, events } = aJournal();
    const reference = { kind: 'image', start: 0, end: 2, uri: 'file:///a.png', name: 'a.png' } as const;
    const content = { kind: 'bytes', base64: 'c2VjcmV0' } as const;
    journal.record({ kind: 'prompt_queued', text: '@a', attachments: [{ ...reference, content }] });
    expect(events()).toEqual([{ kind: 'prompt_queued', text: '@a', attachments: [reference] }]);
  });

  it('is written within 50 ms', () => {
    const { journal, clock, events } = aJournal();
    journal.record(aChunk('shown'));
    clock.advance(40);
    expect(events()).toEqual([aChunk('shown')]);
  });

  it('is not written if the agent sends it again at each start', () => {
    const { journal, events } = aJournal();
    journal.record({ kind: 'commands', commands: [] });
    journal.record({ kind: 'settings', settings: [] });
    journal.record({ kind: 'mode', mode: 'plan' });
    journal.record({ kind: 'usage', usage: { used: 1, size: 2, cost: undefined } });
    journal.record(aNotice());
    journal.flush();
    expect(events()).toEqual([aNotice()]);
  });

  it('is written when the journal is closed', () => {
    const { journal, clock, events } = aJournal();
    journal.record(aToolCall());
    journal.dispose();
    expect({ events: events(), timers: clock.pending }).toEqual({ events: [aToolCall()], timers: 0 });
  });

  it('is not written after the journal is closed', () => {
    const { journal, clock, file } = aJournal();
    journal.dispose();
    journal.record({ kind: 'turn_ended', stopReason: 'end_turn' });
    journal.record(aNotice());
    clock.advance(1_000);
    expect(fs.existsSync(file)).toBe(false);
    expect(clock.pending).toBe(0);
  });

  it('keeps its time and order', () => {
    const { journal, clock } = aJournal();
    journal.record(aNotice({ title: 'a' }));
    clock.advance(50);
    journal.record(aNotice({ title: 'b' }));
    journal.flush();
    const [first, second] = [...journal.reader().records()];
    expect([first?.event, second?.event]).toEqual([aNotice({ title: 'a' }), aNotice({ title: 'b' })]);
    expect(second!.at - first!.at).toBe(50);
  });

  it('of an earlier version is read, though its fields had other names', () => {
    const { file, events } = aJournal();
    const chunk = { kind: 'chunk', role: 'agent', text: 'all of it' };
    const agent = { name: 'a', title: 'A' };
    const lines = [
      { at: 1, event: { ...chunk, isWhole: true } },
      { at: 2, event: { kind: 'agent_ready', agent: { ...agent, abilities: { load: true } } } },
    ];
    fs.mkdirSync(path.dirname(file));
    fs.writeFileSync(file, lines.map((line) => `\n${JSON.stringify(line)}`).join(''));
    expect(events()).toEqual([
      { ...chunk, isCompleteMessage: true },
      { kind: 'agent_ready', agent: { ...agent, capabilities: { load: true } } },
    ]);
  });

  it('is not written for a notice that no journal has', () => {
    const { journal, events } = aJournal();
    journal.record(aNotice({ isNotJournaled: true }));
    journal.record(aNotice());
    journal.flush();
    expect(events()).toEqual([aNotice()]);
  });

  it('is not written for output that is soon replaced', () => {
    const { journal, events } = aJournal();
    const report = { kind: 'terminal', patch: { terminalId: 't1', text: 'one' } } as const;
    journal.record({ ...report, patch: { ...report.patch, isNotJournaled: true } });
    journal.record(report);
    journal.flush();
    expect(events()).toEqual([report]);
  });

  it('joins the chunks of one message only', () => {
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

  it('may contain any character, lone surrogates too', () => {
    const { journal, events } = aJournal();
    const text = 'ä\n世\u2028\0\ud83d';
    journal.record(aChunk(text));
    journal.record(aChunk('\udc4d'));
    journal.flush();
    expect(events()).toEqual([aChunk(`${text}\udc4d`)]);
  });

  it('is readable only by the user', () => {
    const { journal, file } = aJournal();
    journal.record(aNotice());
    journal.flush();
    expect([file, path.dirname(file)].map((name) => fs.statSync(name).mode & 0o077)).toEqual([0, 0]);
  });

  it('that can not be written does not affect the others', () => {
    const { journal, events, log } = aJournal();
    const endless: Record<string, unknown> = {};
    endless.self = endless;
    journal.record(aNotice({ title: 'before' }));
    journal.record(aToolCall({ rawInput: endless }));
    journal.record(aNotice({ title: 'after' }));
    journal.flush();
    expect(events()).toEqual([aNotice({ title: 'before' }), aNotice({ title: 'after' })]);
    expect(log.lines).toHaveLength(1);
  });
});

describe('a full disk', () => {
  /** A journal that nothing can be written to until the test makes room. */
  async function aFullDisk() {
    const file = path.join(aFolder(), '1.jsonl');
    fs.symlinkSync('/dev/full', file);
    const parts = aJournal(file);
    const told: string[] = [];
    parts.journal.onWriteStateChange = ({ title }) => told.push(title);
    parts.journal.record(aNotice({ title: 'a' }));
    parts.journal.flush();
    parts.journal.record(aNotice({ title: 'b' }));
    parts.journal.flush();
    await settle(1);
    return { ...parts, told, makeRoom: () => fs.unlinkSync(file) };
  }

  it('is reported once in the chat and the log', async () => {
    const { told, log } = await aFullDisk();
    expect(told).toEqual([expect.stringMatching(/can't be written: ENOSPC/)]);
    expect(log.lines).toHaveLength(1);
  });

  it('loses nothing: records are written once there is room', async () => {
    const { clock, events, told, makeRoom } = await aFullDisk();
    makeRoom();
    clock.advance(2_000);
    await settle(1);
    expect(events()).toEqual([aNotice({ title: 'a' }), aNotice({ title: 'b' })]);
    expect(told).toEqual([expect.anything(), expect.stringContaining('Nothing is missing')]);
    expect(clock.pending).toBe(0);
  });

  it('leaves no timer after the journal is closed', async () => {
    const { journal, clock } = await aFullDisk();
    journal.dispose();
    expect(clock.pending).toBe(0);
  });
});

describe('the output of a tool call', () => {
  const output = (text: string): SessionEvent =>
    aToolCall({ status: 'running', content: [{ kind: 'text', text }] });

  it('that grows is stored as differences and read whole', () => {
    const { journal, file, events } = aJournal();
    const recorded: SessionEvent[] = [];
    let text = '';
    for (let line = 0; line < 1_500; line += 1) {
      text += `line ${line} ${'.'.repeat(80)}\n`;
      recorded.push(output(text));
      journal.record(recorded.at(-1)!);
      if (line % 10 === 0) journal.flush();
    }
    recorded.push(aToolCall({ status: 'done', content: [{ kind: 'text', text }] }));
    journal.record(recorded.at(-1)!);
    journal.flush();
    expect(text.length).toBeGreaterThan(130_000);
    expect(fs.statSync(file).size).toBeLessThan(700_000);
    const read = events();
    expect(read).toHaveLength(recorded.length);
    for (const index of [0, 1, 700, 1_499, 1_500]) expect(read[index]).toEqual(recorded[index]);
  });

  it.each<[string, (index: number) => SessionEvent]>([
    ['is in a code block', (index) => output(`\`\`\`\n${'line\n'.repeat(100 * index)}\`\`\``)],
    [
      'is only its end',
      (index) => output(Array.from({ length: 2_000 }, (_, line) => `line ${line + 10 * index}\n`).join('')),
    ],
    [
      'is a growing list',
      (index) =>
        aToolCall({
          content: Array.from({ length: index }, (_, at) => ({ kind: 'text', text: `${at}`.repeat(500) })),
        }),
    ],
  ])('is stored as differences if it %s', (_, at) => {
    const { journal, file, events } = aJournal();
    const recorded = Array.from({ length: 100 }, (_unused, index) => at(index + 1));
    for (const event of recorded) journal.record(event);
    journal.flush();
    const whole = recorded.reduce((sum, event) => sum + JSON.stringify(event).length, 0);
    expect(fs.statSync(file).size).toBeLessThan(whole / 5);
    expect(events()).toEqual(recorded);
  });

  it('of many calls is not kept in memory, and read whole', () => {
    v8.setFlagsFromString('--expose-gc');
    const collectGarbage = vm.runInNewContext('gc') as () => void;
    const { journal, events } = aJournal();
    const record = (toolCallId: string, length: number) => {
      const text = Buffer.alloc(length, toolCallId).toString('latin1');
      journal.record(aToolCall({ toolCallId, content: [{ kind: 'text', text }] }));
    };
    const lengths = Array.from(
      { length: 101 },
      (_, index) => [String(index % 100), 256 * 1024 + index] as const,
    );
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (const [toolCallId, length] of lengths) record(toolCallId, length);
    journal.flush();
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(12 * 1024 * 1024);
    const read = events().map((event) => event.kind === 'tool' && event.patch.content?.[0]);
    expect(read.map((item) => item && item.kind === 'text' && item.text.length)).toEqual(
      lengths.map(([, length]) => length),
    );
  });

  it('is whole again after a damaged record once the call ends', () => {
    const { journal, file, events } = aJournal();
    const text = 'x'.repeat(1_000);
    for (const more of ['', 'a', 'ab']) journal.record(output(text + more));
    const end = aToolCall({ status: 'done', content: [{ kind: 'text', text: `${text}abc` }] });
    journal.record(end);
    journal.flush();
    const [before, first, second, ...others] = fs.readFileSync(file, 'utf8').split('\n');
    fs.writeFileSync(file, [before, first, second!.slice(1), ...others].join('\n'));
    expect(events()).toEqual([output(text), end]);
  });
});

describe('a journal of a killed host', () => {
  /** Two records, of which the second was cut off in the middle. */
  function aTornJournal() {
    const parts = aJournal();
    for (const title of ['whole', 'torn']) parts.journal.record(aNotice({ title }));
    parts.journal.flush();
    fs.truncateSync(parts.file, fs.statSync(parts.file).size - 10);
    return parts;
  }

  it('is read up to its end', () => {
    expect(aTornJournal().events()).toEqual([aNotice({ title: 'whole' })]);
  });

  it('is continued without loss', () => {
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
  ])('may contain %s', (line) => {
    const { file, events } = aJournal();
    fs.mkdirSync(path.dirname(file));
    fs.writeFileSync(file, `${line}\n${JSON.stringify({ at: 1, event: aNotice() })}\n`);
    expect(events()).toEqual([aNotice()]);
  });

  it('counts the records that could not be read', () => {
    const { file, journal, log } = aJournal();
    const lines = [
      '{"at":1,"event":{"kind":"of a newer version"}}',
      'x',
      JSON.stringify({ at: 1, event: aNotice() }),
    ];
    fs.mkdirSync(path.dirname(file));
    fs.writeFileSync(file, `${lines.join('\n')}\n{"cut o`);
    const reader = journal.reader();
    expect([...reader.records()]).toHaveLength(1);
    expect(reader.damaged).toBe(2);
    expect(log.lines).toHaveLength(1);
  });

  it('is read even if a line is longer than one piece', () => {
    const { journal, events } = aJournal();
    const written = [
      aChunk('ä'.repeat(400_000)),
      aNotice(),
      aChunk('b'.repeat(300_000), 'thought'),
      aNotice(),
    ];
    for (const event of written) journal.record(event);
    journal.flush();
    expect(events()).toEqual(written);
  });

  it('is empty if the file does not exist', () => expect(aJournal().events()).toEqual([]));
});
