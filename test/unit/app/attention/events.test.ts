import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ChatEvents, type EditorEvent } from '../../../../src/app/attention/events.ts';
import { questionData } from '../../../../src/app/attention/question-data.ts';
import { emptySession } from '../../../../src/model/session.ts';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { aChunk, aNotice, aQuestion, aToolCall, isReady } from '../../../support/builders.ts';
import { aMode, cancelled, plan, turnEnded, turnStarted } from '../../../support/session-events.ts';

/** The events of the editor for events of a session that are one second apart. */
function editorEvents(...given: readonly SessionEvent[]): readonly EditorEvent[] {
  const state = emptySession('tester', 0);
  const events = new ChatEvents(state);
  return given.flatMap((event, index) =>
    events.forEvent(event, reduce(state, event, index * 1_000), (entry) =>
      questionData(entry, 'Tester asks', 1),
    ),
  );
}

const names = (...given: readonly SessionEvent[]) => editorEvents(...given).map(({ name }) => name);
const last = (...given: readonly SessionEvent[]) => editorEvents(...given).at(-1)!;

const starting: SessionEvent = { kind: 'agent_starting' };
const opened: SessionEvent = { kind: 'session_opened', sessionId: 's1', agent: 'tester', cwd: '/work' };
const gone: SessionEvent = { kind: 'agent_gone', notice: aNotice({ title: 'It\u001b[31m exited' }) };
const usage = (used: number): SessionEvent => ({
  kind: 'usage',
  usage: { used, size: 100, cost: { amount: 0.5, currency: 'USD' } },
});

describe('events of the editor', () => {
  it('report a session that was opened', () => {
    expect(last(starting, opened)).toEqual({ name: 'AcpSessionOpened', data: { cwd: '/work' } });
  });

  it('report a turn with its stop reason, duration, error and usage', () => {
    const [start, , end] = editorEvents(isReady, turnStarted('hi'), usage(20), aChunk('x'), turnEnded());
    expect(start).toEqual({ name: 'AcpTurnStarted', data: { prompt: 'hi' } });
    expect(end).toEqual({
      name: 'AcpTurnEnded',
      data: {
        stop_reason: 'end_turn',
        duration: 3_000,
        error: undefined,
        files: [],
        usage: { used: 20, size: 100, cost: 0.5, currency: 'USD' },
      },
    });
  });

  it.each([
    ['the agent stops it', [turnEnded('max_tokens')], 'max_tokens'],
    ['the user stops it and the agent does not say so', [cancelled, turnEnded()], 'cancelled'],
    ['the agent exits', [gone], 'agent_gone'],
    [
      'the agent wants a login',
      [{ kind: 'login_needed', agent: { name: 't', title: 'T' }, notice: aNotice() } as const],
      'login_needed',
    ],
  ])('report the end of a turn once when %s', (_, ends, reason) => {
    const all = editorEvents(starting, isReady, turnStarted('hi'), ...ends, ...ends);
    const turns = all.filter(({ name }) => name === 'AcpTurnEnded');
    expect(turns.map(({ data }) => data.stop_reason)).toEqual([reason]);
  });

  it('report the error of a turn without control characters', () => {
    const failed = aNotice({ severity: 'error', title: 'no\u001b[31m credit' });
    expect(last(isReady, turnStarted('hi'), failed, turnEnded()).data.error).toBe('no␛[31m credit');
  });

  it('report each tool call once when it starts and once when it ends', () => {
    const call = aToolCall({ title: 'Read', toolKind: 'read', status: 'running' });
    const done = aToolCall({ status: 'done' });
    const all = editorEvents(isReady, turnStarted('hi'), call, call, done, done, turnEnded());
    expect(all.map(({ name }) => name)).toEqual([
      'AcpTurnStarted',
      'AcpToolStarted',
      'AcpToolEnded',
      'AcpTurnEnded',
    ]);
    expect(all[2]!.data).toMatchObject({ tool: 'call-1', kind: 'read', title: 'Read', status: 'done' });
  });

  it('report the end of a tool call that the turn left open, before the end of the turn', () => {
    const call = aToolCall({ title: 'Read', status: 'running' });
    expect(names(isReady, turnStarted('hi'), call, turnEnded()).slice(-2)).toEqual([
      'AcpToolEnded',
      'AcpTurnEnded',
    ]);
  });

  it('report a question and its answer', () => {
    const asked: SessionEvent = { kind: 'question_asked', question: aQuestion() };
    const settled: SessionEvent = { kind: 'question_settled', questionId: 1, answer: 'Allow once' };
    const [waiting, answered] = editorEvents(isReady, asked, settled);
    expect(waiting).toEqual({
      name: 'AcpWaiting',
      data: {
        question: 1,
        kind: 'permission',
        waiting: 1,
        text: 'Tester asks',
        choices: [
          { name: 'Allow once', kind: 'allow_once' },
          { name: 'Always allow', kind: 'allow_always' },
          { name: 'Reject', kind: 'reject_once' },
        ],
        revision: 1,
      },
    });
    expect(answered).toEqual({
      name: 'AcpAnswered',
      data: { question: 1, answer: 'Allow once', waiting: 0 },
    });
  });

  it('report a mode that changes, but not the one that a session begins with', () => {
    const settings: SessionEvent = { kind: 'settings', settings: [aMode] };
    const mode = (value: string): SessionEvent => ({ kind: 'mode', mode: value });
    expect(names(starting, settings)).toEqual([]);
    expect(names(starting, settings, mode('code'), isReady)).toEqual([]);
    expect(names(starting, settings, isReady, mode('ask'))).toEqual([]);
    expect(last(starting, settings, isReady, mode('code'))).toEqual({
      name: 'AcpModeChanged',
      data: { value: 'code', name: 'code' },
    });
  });

  it('report what waits in the queue, but not a prompt that is sent at once', () => {
    const queue = (text: string): SessionEvent => ({ kind: 'prompt_queued', text });
    const sent = [isReady, queue('one'), turnStarted('one')];
    expect(names(...sent)).toEqual(['AcpTurnStarted']);
    const held: SessionEvent = { kind: 'queue_changed', prompts: [{ text: 'two', isHeld: true }] };
    const given = [...sent, queue('two'), held, held, { kind: 'queue_cleared' } as const];
    expect(editorEvents(...given).slice(1)).toEqual(
      [
        { queued: ['two'], paused: false },
        { queued: ['two'], paused: true },
        { queued: [], paused: false },
      ].map((data) => ({ name: 'AcpQueueChanged', data })),
    );
    expect(names(...sent, queue('two'), turnEnded(), turnStarted('two')).slice(1)).toEqual([
      'AcpQueueChanged',
      'AcpTurnEnded',
      'AcpTurnStarted',
      'AcpQueueChanged',
    ]);
  });

  it('report nothing of the queue for a prompt that is sent into the turn', () => {
    const offered: SessionEvent = { kind: 'prompt_queued', text: 'two', isOffered: true };
    expect(names(isReady, turnStarted('one'), offered, { kind: 'prompt_injected', text: 'two' })).toEqual([
      'AcpTurnStarted',
    ]);
  });

  it('have the fields that the help names, and no others', () => {
    const help = fs.readFileSync('doc/acp.txt', 'utf8');
    const sections = help.split(/^(?=Acp[A-Z]\w+ +\*Acp)/m);
    const told = (name: string) => {
      const section = sections.find((each) => each.startsWith(`${name} `)) ?? '';
      return [...section.split('\n\n')[0]!.matchAll(/`(\w+)`/g)].map(([, word]) => word);
    };
    const call = aToolCall({ title: 'Read', toolKind: 'read', status: 'running' });
    const login = { kind: 'login_needed', agent: { name: 't', title: 'T' }, notice: aNotice() } as const;
    const settings: SessionEvent = {
      kind: 'settings',
      settings: [aMode, { ...aMode, id: 'n', category: 'model' }],
    };
    const changed = ['m', 'n'].map((id): SessionEvent => ({ kind: 'setting', id, value: 'code' }));
    const all = editorEvents(
      ...[starting, settings, opened, isReady, ...changed, turnStarted('hi'), call, plan('a'), usage(1)],
      ...([
        { kind: 'title', title: 'Parser' },
        { kind: 'question_asked', question: aQuestion() },
      ] as const),
      ...([{ kind: 'question_settled', questionId: 1, answer: 'Yes' }] as const),
      { kind: 'prompt_queued', text: 'next' },
      ...([aToolCall({ status: 'done' }), turnEnded(), login, { kind: 'agent_gone', isIdle: true }] as const),
    );
    // A file that has changed is not an event of the session, and Lua fires the end of a chat.
    const elsewhere = ['AcpFileChanged', 'AcpChatClosed'];
    const known = sections.flatMap((each) => each.match(/^Acp[A-Z]\w+(?= +\*)/) ?? []);
    expect(new Set([...all.map(({ name }) => name), ...elsewhere])).toEqual(new Set(known));
    for (const { name, data } of all) {
      const own = name === 'AcpToolEnded' ? [...told('AcpToolStarted'), ...told(name)] : told(name);
      expect([name, Object.keys(data).filter((field) => !own.includes(field))]).toEqual([name, []]);
    }
  });

  it('report usage, title and plan when they change', () => {
    const title: SessionEvent = { kind: 'title', title: 'Parser' };
    expect(names(usage(1), usage(1), usage(2), title, plan('a'))).toEqual([
      'AcpUsage',
      'AcpUsage',
      'AcpTitleChanged',
      'AcpPlanChanged',
    ]);
  });

  it('report an agent that was ended because it was idle', () => {
    const data = { reason: undefined, idle: true };
    expect(last(starting, { kind: 'agent_gone', isIdle: true })).toEqual({ name: 'AcpAgentGone', data });
  });

  it('report an agent that is gone only if it was started', () => {
    expect(names(gone)).toEqual([]);
    expect(last(starting, gone)).toEqual({ name: 'AcpAgentGone', data: { reason: 'It␛[31m exited' } });
  });

  it('report nothing for chunks of text and for what the agent replays', () => {
    expect(names(isReady, aChunk('a'), aChunk('b', 'thought'))).toEqual([]);
    const call = aToolCall({ title: 'Read', status: 'done' });
    const replayed = names({ kind: 'replay_started' }, call, aChunk('a'), plan('x'), opened);
    expect(replayed).toEqual(['AcpSessionOpened']);
  });
});
