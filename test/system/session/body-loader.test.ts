import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolEntry } from '../../../src/model/entries.ts';
import { isCutCall } from '../../../src/model/session.ts';
import type { AgentEvent, SessionEvent } from '../../../src/model/session-events.ts';
import { BodyLoader } from '../../../src/session/body-loader.ts';
import { Journal } from '../../../src/session/journal/journal.ts';
import { Session } from '../../../src/session/session.ts';
import { aChunk, anAgentSpec, aToolCall } from '../../support/builders.ts';
import { ManualClock } from '../../support/doubles/clock.ts';
import { LauncherDouble } from '../../support/doubles/link.ts';
import { LogDouble } from '../../support/doubles/log.ts';
import { canMount, SmallDisk } from '../../support/faults/small-disk.ts';
import { toolOf } from '../../support/session-events.ts';
import { aFolder } from '../../support/system/temp.ts';

const long = Array.from({ length: 2_000 }, (_, index) => `line ${index}\n`).join('');
const text = (value: string) => [{ kind: 'text', text: value } as const];

function aSession(file = path.join(aFolder(), '1.jsonl')) {
  const [clock, log] = [new ManualClock(), new LogDouble()];
  const journal = new Journal(file, clock, log);
  const changed: string[] = [];
  const session = new Session(
    anAgentSpec(),
    { launcher: new LauncherDouble(), clock, log, maxBodies: 30_000 },
    {
      onChange: (event, entries, isFromJournal) => {
        if (!isFromJournal) journal.record(event);
        for (const entry of entries)
          if (event.kind === 'body_read') changed.push(`${entry.kind} ${entry.id}`);
      },
      onPromptReturned: () => undefined,
      onTerminalLogin: () => undefined,
    },
  );
  const bodies = new BodyLoader(session, journal, log);
  const happen = (...events: readonly SessionEvent[]) => {
    for (const event of events) session.report(event as AgentEvent);
  };
  const isCut = (id: string) => isCutCall(toolOf(session.state, id), session.state);
  return { file, journal, session, bodies, happen, isCut, changed, log };
}

/** Replays the journal of another session, as a new host does. */
function reopened(file: string) {
  const parts = aSession(file);
  const reader = parts.journal.reader();
  parts.journal.usePlaces(reader.places);
  parts.session.replayJournal(reader.records());
  return parts;
}

const others: readonly SessionEvent[] = ['x', 'y', 'z'].map((toolCallId) =>
  aToolCall({ toolCallId, status: 'done', content: text(long) }),
);

describe('the texts of a call that left memory', () => {
  const calls: readonly (readonly [string, readonly SessionEvent[]])[] = [
    [
      'of one update',
      [aToolCall({ status: 'done', content: text(long), rawInput: { a: 1 }, rawOutput: { long } })],
    ],
    [
      'of several updates, with others between them',
      [
        aToolCall({ status: 'running', rawInput: { path: 'ä "quoted"' } }),
        aChunk('meanwhile'),
        aToolCall({ toolCallId: 'other', status: 'done', content: text('short') }),
        aToolCall({ content: text(long) }),
        aToolCall({ content: text(`${long}more\n`) }),
        aToolCall({ status: 'done' }),
      ],
    ],
    [
      'with long records of other calls between its own and those of its terminal',
      [
        { kind: 'terminal', patch: { terminalId: 't1', command: 'make', text: 'begin' } },
        aToolCall({ toolCallId: 'other', content: text(long) }),
        aToolCall({ toolKind: 'execute', content: [{ kind: 'terminal', terminalId: 't1' }], rawOutput: 'a' }),
        aToolCall({ toolCallId: 'other', content: text(`more\n${long}`) }),
        { kind: 'terminal', patch: { terminalId: 't1', text: long } },
        aToolCall({ toolCallId: 'other', status: 'done', content: text(`most\n${long}`) }),
        aToolCall({ status: 'done', rawOutput: 'ab' }),
      ],
    ],
    [
      'that are diffs',
      [
        aToolCall({
          toolKind: 'edit',
          status: 'done',
          content: [{ kind: 'diff', path: '/a.ts', oldText: long, newText: `${long}end\n` }],
        }),
      ],
    ],
    [
      'that an agent ran in its own terminal',
      [
        aToolCall({ toolKind: 'execute', terminals: [{ terminalId: 'a', output: long }] }),
        aToolCall({ status: 'done', terminals: [{ terminalId: 'a', output: 'end\n' }] }),
      ],
    ],
    [
      'in a terminal of the plugin',
      [
        { kind: 'terminal', patch: { terminalId: 't1', command: 'make', text: 'begin' } },
        aToolCall({ toolKind: 'execute', content: [{ kind: 'terminal', terminalId: 't1' }] }),
        {
          kind: 'terminal',
          patch: { terminalId: 't1', text: `${long}`, exit: { code: 0, signal: undefined } },
        },
        aToolCall({ status: 'done' }),
      ],
    ],
  ];

  const shownBy = ({ session }: ReturnType<typeof aSession>) =>
    structuredClone({ call: toolOf(session.state), terminals: [...session.state.terminals] });

  it.each(calls)('are read again, %s', async (_, events) => {
    const parts = aSession();
    parts.happen(...events);
    const before = shownBy(parts);
    parts.happen(...others);
    expect(parts.isCut('call-1')).toBe(true);
    const whole = await parts.bodies.readWhole(toolOf(parts.session.state));
    expect(whole?.call).toMatchObject({ content: before.call.content, rawOutput: before.call.rawOutput });
    await parts.bodies.restore(toolOf(parts.session.state));
    expect(shownBy(parts)).toEqual(before);
    expect(parts.changed).toEqual([`tool ${before.call.id}`]);
  });

  it.each(calls)('are read again by the next host, %s', async (_, events) => {
    const first = aSession();
    first.happen(...events);
    const before = shownBy(first);
    first.happen(...others);
    first.journal.dispose();
    const parts = reopened(first.file);
    expect(parts.isCut('call-1')).toBe(true);
    await parts.bodies.restore(toolOf(parts.session.state));
    expect(shownBy(parts)).toEqual(before);
    // Its own records follow those that it has read.
    parts.happen(aToolCall({ toolCallId: 'new', status: 'done', content: text(`new\n${long}`) }), ...others);
    expect(parts.isCut('new')).toBe(true);
    await parts.bodies.restore(toolOf(parts.session.state, 'new'));
    expect(toolOf(parts.session.state, 'new').content).toEqual(text(`new\n${long}`));
  });

  it('are those of the call, also if another agent has used its id', async () => {
    const { session, bodies, happen, file } = aSession();
    const texts = ['first\n', 'second\n'].map((word) => text(`${word}${long}`));
    happen({ kind: 'agent_starting' }, aToolCall({ status: 'done', content: texts[0]! }));
    happen({ kind: 'agent_starting' }, aToolCall({ status: 'done', content: texts[1]! }), ...others);
    const restored = async (all: Pick<BodyLoader, 'restore'>, { state }: Session) => {
      const contents: ToolEntry['content'][] = [];
      for (const entry of state.entries) {
        if (entry.kind !== 'tool' || entry.toolCallId !== 'call-1') continue;
        await all.restore(entry);
        contents.push(entry.content);
      }
      return contents;
    };
    expect(await restored(bodies, session)).toEqual(texts);
    const next = reopened(file);
    expect(await restored(next.bodies, next.session)).toEqual(texts);
  });

  it('are those of the latest update, also if it arrives while they are read', async () => {
    const { session, bodies, happen } = aSession();
    happen(aToolCall({ status: 'done', content: text(long) }), ...others);
    const restored = bodies.restore(toolOf(session.state));
    happen(aToolCall({ rawOutput: 'late' }));
    await restored;
    expect(toolOf(session.state)).toMatchObject({ content: text(long), rawOutput: 'late' });
  });

  it('make others leave memory when they are back', async () => {
    const { session, bodies, happen, isCut } = aSession();
    happen(aToolCall({ status: 'done', content: text(long) }), ...others);
    await bodies.restore(toolOf(session.state));
    expect([isCut('call-1'), isCut('x'), isCut('y')]).toEqual([false, true, true]);
  });

  it('stay away with one notice if the journal is gone', async () => {
    const { session, bodies, happen, isCut, file, journal, log } = aSession();
    happen(aToolCall({ title: 'make', status: 'done', content: text(long) }), ...others);
    journal.flush();
    fs.rmSync(file);
    await bodies.restore(toolOf(session.state));
    await bodies.restore(toolOf(session.state, 'x'));
    expect(isCut('call-1')).toBe(true);
    const notices = session.state.entries.filter(({ kind }) => kind === 'notice');
    expect(notices).toMatchObject([
      { title: expect.stringContaining('The output of "make" could not be read') },
    ]);
    expect(log.lines.filter((line) => line.includes('could not read the call'))).toHaveLength(2);
  });

  it('are read from a new journal, if another Neovim has deleted the first one', async () => {
    const { session, bodies, happen, isCut, file, journal } = aSession();
    happen(aToolCall({ title: 'make', status: 'done', content: text(long) }), ...others);
    journal.flush();
    fs.rmSync(file);
    happen(aToolCall({ status: 'failed' }), aToolCall({ toolCallId: 'y', rawOutput: 'late' }));
    happen(aToolCall({ toolCallId: 'new', status: 'done', content: text(`new\n${long}`) }), ...others);
    expect([isCut('call-1'), isCut('new')]).toEqual([true, true]);
    const left = toolOf(session.state).content;
    await bodies.restore(toolOf(session.state, 'new'));
    expect(toolOf(session.state, 'new').content).toEqual(text(`new\n${long}`));
    await bodies.restore(toolOf(session.state));
    expect(toolOf(session.state).content).toEqual(left);
  });

  it.skipIf(!canMount())('are read while the disk is full, if they were written before', async () => {
    const folder = aFolder();
    const disk = new SmallDisk(folder, 2_000);
    try {
      const { session, bodies, happen, isCut, journal } = aSession(path.join(folder, '1.jsonl'));
      happen(aToolCall({ status: 'done', content: text(long) }), ...others);
      journal.flush();
      disk.fill();
      happen(aToolCall({ toolCallId: 'late', status: 'done', content: text(long) }), ...others);
      expect([isCut('call-1'), isCut('late')]).toEqual([true, true]);
      await bodies.restore(toolOf(session.state, 'late'));
      expect(isCut('late')).toBe(true);
      await bodies.restore(toolOf(session.state));
      expect(toolOf(session.state).content).toEqual(text(long));
      disk.free();
      await bodies.restore(toolOf(session.state, 'late'));
      expect(toolOf(session.state, 'late').content).toEqual(text(long));
    } finally {
      disk.dispose();
    }
  });

  it('are not applied after the end', async () => {
    const { session, bodies, happen, isCut } = aSession();
    happen(aToolCall({ status: 'done', content: text(long) }), ...others);
    const restored = bodies.restore(toolOf(session.state));
    await bodies.end();
    await restored;
    expect(isCut('call-1')).toBe(true);
  });
});
