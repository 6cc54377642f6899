import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../src/session/events.ts';
import type { Entry, SessionState, Setting, ToolEntry } from '../../../src/session/model.ts';
import { reduce } from '../../../src/session/reducer.ts';
import { aChunk, aNotice, aQuestion, aSession, aToolCall, aTurn, isReady } from '../../support/builders.ts';

const turnStarted = (text: string): SessionEvent => ({ kind: 'turn_started', text });
const turnEnded = (stopReason = 'end_turn'): SessionEvent => ({ kind: 'turn_ended', stopReason });
const plan = (...texts: string[]): SessionEvent => ({
  kind: 'plan',
  items: texts.map((text) => ({ text, status: 'pending' })),
});
const asked: SessionEvent = { kind: 'question_asked', question: aQuestion() };
const cancelled: SessionEvent = { kind: 'cancel_requested' };
const wholeChunk = (text: string): SessionEvent => ({ kind: 'chunk', role: 'agent', text, isWhole: true });

/** The transcript as one would tell it. */
function outline({ entries }: SessionState): readonly string[] {
  return entries.map(tell);
}

function tell(entry: Entry): string {
  switch (entry.kind) {
    case 'message':
      return `${entry.role}: ${entry.text}`;
    case 'tool':
      return `tool: ${entry.title} ${entry.status}`;
    case 'plan':
      return `plan: ${entry.items.map(({ text }) => text).join(', ')}`;
    case 'notice':
      return `${entry.severity}: ${entry.title}`;
    case 'question':
      return `question: ${entry.answer ?? 'open'}`;
    case 'compaction':
      return `compaction: ${typeof entry.status === 'object' ? entry.status.word : entry.status} ${entry.summary}${entry.error}`;
    case 'unknown':
      return `unknown: ${entry.count} ${entry.name}`;
  }
}

function toolOf(state: SessionState, id = 'call-1') {
  const tool = state.tools.get(id);
  if (!tool) throw new Error(`no tool ${id}`);
  return tool;
}

describe('chunks', () => {
  it.each<[string, SessionEvent[], string[]]>([
    ['of one kind make one message', [aChunk('a'), aChunk('b')], ['agent: ab']],
    ['of another kind begin a new one', [aChunk('a', 'thought'), aChunk('b')], ['thought: a', 'agent: b']],
    ['of one id make one message', [aChunk('a', 'agent', '1'), aChunk('b', 'agent', '1')], ['agent: ab']],
    [
      'of another id begin a new one',
      [aChunk('a', 'agent', '1'), aChunk('b', 'agent', '2')],
      ['agent: a', 'agent: b'],
    ],
    ['without an id go on with the open one', [aChunk('a', 'agent', '1'), aChunk('b')], ['agent: ab']],
    [
      'with an id do not go on with one that has none',
      [aChunk('a'), aChunk('b', 'agent', '1')],
      ['agent: a', 'agent: b'],
    ],
    [
      'of one id but another kind are apart',
      [aChunk('a', 'thought', '1'), aChunk('b', 'agent', '1')],
      ['thought: a', 'agent: b'],
    ],
    [
      'after a tool call begin a new one',
      [aChunk('a'), aToolCall({ title: 'ls' }), aChunk('b')],
      ['agent: a', 'tool: ls pending', 'agent: b'],
    ],
    [
      'after a plan begin a new one',
      [aChunk('a'), plan('x'), aChunk('b')],
      ['agent: a', 'plan: x', 'agent: b'],
    ],
    [
      'after a notice begin a new one',
      [aChunk('a'), aNotice({ title: 'n' }), aChunk('b')],
      ['agent: a', 'info: n', 'agent: b'],
    ],
    [
      'go on after an update of a known tool call',
      [aToolCall({ title: 'ls' }), aChunk('a'), aToolCall({ status: 'running' }), aChunk('b')],
      ['tool: ls running', 'agent: ab'],
    ],
    [
      'after the end of a tool call begin a new one',
      [aToolCall({ title: 'ls' }), aChunk('a'), aToolCall({ status: 'done' }), aChunk('b')],
      ['tool: ls done', 'agent: a', 'agent: b'],
    ],
    [
      'go on when a call that is over is told again',
      [aToolCall({ title: 'ls', status: 'done' }), aChunk('a'), aToolCall({ status: 'done' }), aChunk('b')],
      ['tool: ls done', 'agent: ab'],
    ],
    [
      'that are a whole message stand alone',
      [aChunk('a'), wholeChunk('Info: b'), wholeChunk('Info: b'), aChunk('c')],
      ['agent: a', 'agent: Info: b', 'agent: Info: b', 'agent: c'],
    ],
    [
      'that are whole and empty only end a message',
      [aChunk('a'), wholeChunk(''), aChunk('b')],
      ['agent: a', 'agent: b'],
    ],
    ['of blanks begin no message', [aChunk('\n'), aChunk(' '), aChunk('\n', 'thought')], []],
    ['of blanks go on with a message', [aChunk('a'), aChunk('\n'), aChunk('b')], ['agent: a\nb']],
    [
      'go on after what says nothing about them',
      [aChunk('a'), { kind: 'mode', mode: 'x' }, { kind: 'unknown', name: 'y', raw: 1 }, aChunk('b')],
      ['agent: ab', 'unknown: 1 y'],
    ],
    [
      'go on after a notice in passing',
      [aChunk('a'), aNotice({ title: 'n', isPassing: true }), aChunk('b')],
      ['agent: ab', 'info: n'],
    ],
    [
      'go on while the conversation is shortened',
      [aChunk('a'), { kind: 'compaction', patch: { compactionId: 'c' } }, aChunk('b')],
      ['agent: ab', 'compaction: running '],
    ],
    ['that are empty begin no message', [aChunk(''), aChunk('', 'thought')], []],
    ['that are empty do not close one', [aChunk('a'), aChunk('', 'thought'), aChunk('b')], ['agent: ab']],
  ])('%s', (_, events, expected) => expect(outline(aSession(isReady, ...events))).toEqual(expected));

  it('return the one message that changed', () => {
    const state = aSession(isReady, aChunk('a'));
    expect(reduce(state, aChunk('b'), 5)).toEqual([state.entries[0]]);
  });

  it('close the message before them, with the time', () => {
    const state = aSession(isReady, aChunk('hm', 'thought'));
    const changed = reduce(state, aChunk('a'), 9_000);
    expect(changed).toEqual(state.entries);
    expect(state.entries[0]).toMatchObject({ endedAt: 9_000 });
  });

  it('outside of a turn are shown', () => {
    const state = aSession(isReady, turnStarted('hi'), aChunk('yes'), turnEnded(), aChunk('late'));
    expect(outline(state)).toEqual(['user: hi', 'agent: yes', 'agent: late']);
  });
});

describe('an echo of the prompt', () => {
  const echo = (text: string) => aChunk(text, 'user');
  it.each<[string, SessionState, string[]]>([
    ['is not drawn twice', aTurn('fix it', echo('fix it')), ['user: fix it']],
    ['is not drawn twice in pieces', aTurn('fix it', echo('fix '), echo('it')), ['user: fix it']],
    ['is not drawn twice with a newline', aTurn('fix it', echo('fix it\n')), ['user: fix it']],
    [
      'does not split the answer',
      aTurn('fix it', aChunk('a'), echo('fix it'), aChunk('b')),
      ['user: fix it', 'agent: ab'],
    ],
    ['is known while cancelling', aTurn('fix it', cancelled, echo('fix it')), ['user: fix it']],
    ['is not drawn with other words', aTurn('fix it', echo('stop')), ['user: fix it']],
    ['is history when no turn runs', aSession(isReady, echo('fix it')), ['user: fix it']],
  ])('%s', (_, state, expected) => expect(outline(state)).toEqual(expected));
});

describe('a tool call', () => {
  it.each<[string, SessionEvent[], object]>([
    [
      'begins as pending',
      [aToolCall()],
      { status: 'pending', toolKind: 'other', content: [], endedAt: undefined },
    ],
    ['has its id for a title when it has none', [aToolCall()], { title: 'call-1' }],
    [
      'has its kind for a title before its id',
      [aToolCall({ toolKind: 'read' })],
      { title: 'read', toolKind: 'read' },
    ],
    [
      'gets its title late',
      [aToolCall({ toolKind: 'read' }), aToolCall({ title: 'a.ts' })],
      { title: 'a.ts' },
    ],
    [
      'keeps what an update does not say',
      [aToolCall({ title: 'ls', toolKind: 'execute', rawInput: { a: 1 } }), aToolCall({ status: 'running' })],
      { title: 'ls', toolKind: 'execute', rawInput: { a: 1 }, status: 'running' },
    ],
    [
      'replaces its content as a whole',
      [
        aToolCall({ content: [{ kind: 'text', text: 'a' }] }),
        aToolCall({ content: [{ kind: 'text', text: 'b' }] }),
      ],
      { content: [{ kind: 'text', text: 'b' }] },
    ],
    [
      'may lose its content',
      [aToolCall({ content: [{ kind: 'text', text: 'a' }] }), aToolCall({ content: [] })],
      { content: [] },
    ],
    [
      'may be told twice',
      [aToolCall({ title: 'ls', status: 'running' }), aToolCall({ title: 'ls', status: 'running' })],
      { status: 'running' },
    ],
    [
      'may step back',
      [aToolCall({ status: 'running' }), aToolCall({ status: 'pending' })],
      { status: 'pending', endedAt: undefined },
    ],
    [
      'knows when it ended',
      [aToolCall({ status: 'running' }), aToolCall({ status: 'done' })],
      { status: 'done', at: 0, endedAt: 1_000 },
    ],
    [
      'keeps the time of its end',
      [aToolCall({ status: 'done' }), aToolCall({ status: 'failed' })],
      { status: 'failed', endedAt: 0 },
    ],
    [
      'may be opened again',
      [aToolCall({ status: 'done' }), aToolCall({ status: 'running' })],
      { status: 'running', endedAt: undefined },
    ],
    [
      'keeps a raw output that is false',
      [aToolCall({ rawOutput: false }), aToolCall()],
      { rawOutput: false },
    ],
  ])('%s', (_, events, expected) => {
    const state = aSession(...events);
    expect(state.entries).toHaveLength(1);
    expect(toolOf(state)).toMatchObject(expected);
  });

  it('stands where it was first seen', () => {
    const other = aToolCall({ toolCallId: 'call-2', title: 'b' });
    const state = aSession(aToolCall({ title: 'a' }), other, aToolCall({ status: 'done' }));
    expect(outline(state)).toEqual(['tool: a done', 'tool: b pending']);
  });

  it('named like a property of every object is one like others', () => {
    const state = aSession(aToolCall({ toolCallId: '__proto__' }), aToolCall({ toolCallId: 'constructor' }));
    expect(outline(state)).toEqual(['tool: __proto__ pending', 'tool: constructor pending']);
  });
});

describe('a plan', () => {
  it('is replaced in place', () => {
    expect(outline(aTurn('go', plan('a'), aChunk('x'), plan('a', 'b')))).toEqual([
      'user: go',
      'plan: a, b',
      'agent: x',
    ]);
  });

  it('belongs to its turn', () => {
    const state = aTurn('go', plan('a'), turnEnded(), turnStarted('more'), plan('b'));
    expect(outline(state)).toEqual(['user: go', 'plan: a', 'user: more', 'plan: b']);
  });

  it('that never was needs no clearing', () => {
    expect(outline(aTurn('go', plan()))).toEqual(['user: go']);
  });

  it('may be cleared and made again', () => {
    expect(outline(aTurn('go', plan('a'), plan(), plan('b')))).toEqual(['user: go', 'plan: b']);
  });
});

describe('the end of a turn', () => {
  it('closes what the agent left open, and nothing else', () => {
    const state = aTurn(
      'go',
      aToolCall({ toolCallId: '1', status: 'running' }),
      aToolCall({ toolCallId: '2' }),
      aToolCall({ toolCallId: '3', status: 'done' }),
      aToolCall({ toolCallId: '4', status: 'failed' }),
      aChunk('bye'),
    );
    const changed = reduce(state, turnEnded(), 99_000);
    expect([...state.tools.values()].map(({ status }) => status)).toEqual([
      'unreported',
      'cancelled',
      'done',
      'failed',
    ]);
    expect(changed.map(({ kind }) => kind).sort()).toEqual(['message', 'tool', 'tool']);
    expect(state).toMatchObject({ phase: 'idle', since: 99_000, open: undefined });
  });

  it.each<[string, string[]]>([
    ['end_turn', []],
    ['cancelled', ['info: Stopped.']],
    ['max_tokens', ['warning: The answer was cut: the token limit is reached.']],
    ['max_turn_requests', ['warning: The agent stopped: it has made as many requests as one turn may.']],
    ['refusal', ['warning: The agent refused. It has forgotten this prompt and all that followed it.']],
    ['tired', ['info: The turn ended for a reason unknown here: tired.']],
    ['constructor', ['info: The turn ended for a reason unknown here: constructor.']],
  ])('for the reason %s says %j', (stopReason, expected) => {
    expect(outline(aTurn('go', aChunk('a'), turnEnded(stopReason))).slice(2)).toEqual(expected);
  });

  it('is told when the agent said nothing at all', () => {
    const silence = ['warning: The agent ended its turn without a word.'];
    expect(outline(aTurn('go', turnEnded())).slice(1)).toEqual(silence);
    expect(outline(aTurn('go', aToolCall(), turnEnded())).filter((line) => line === silence[0])).toEqual([]);
  });
});

describe('arguments that come as text', () => {
  const text = (content: string) => ({ content: [{ kind: 'text', text: content }] as const });
  const call = (...patches: object[]) => toolOf(aTurn('go', ...patches.map((patch) => aToolCall(patch))));

  it.each<[string, ToolEntry, unknown]>([
    ['are the input of the call', call(text('{"command":"rm -rf /"}')), { command: 'rm -rf /' }],
    ['stay so when the text changes', call(text('{"command":"ls"}'), text('Run ls?')), { command: 'ls' }],
    ['do not count while they are cut', call(text('{"command":"rm')), undefined],
    ['do not count beside a real input', call({ rawInput: { a: 1 } }, text('{"b":2}')), { a: 1 }],
    ['do not count when the call is over', call({ status: 'done', ...text('{"name":"x"}') }), undefined],
  ])('%s', (_, tool, expected) => expect(tool.rawInput).toEqual(expected));
});

describe('a cancel', () => {
  it('marks open tool calls at once and goes on with the turn', () => {
    const state = aTurn('go', aToolCall({ status: 'running' }));
    expect(reduce(state, cancelled, 7_000)).toEqual([toolOf(state)]);
    expect(state.phase).toBe('cancelling');
    expect(toolOf(state)).toMatchObject({ status: 'cancelled', endedAt: 7_000 });
  });

  it.each(['done', 'failed', 'running'] as const)(
    'is overridden by what really became of a change: %s',
    (status) => {
      const call = aToolCall({ toolKind: 'edit', status: 'running' });
      expect(toolOf(aTurn('go', call, cancelled, aToolCall({ status }))).status).toBe(status);
    },
  );

  it.each(['done', 'failed'] as const)('keeps a command stopped that is then reported as %s', (status) => {
    const call = aToolCall({ status, content: [{ kind: 'text', text: 'tick 1' }] });
    const running = aToolCall({ toolKind: 'execute', status: 'running' });
    const state = aTurn('go', running, cancelled, call, turnEnded());
    expect(toolOf(state)).toMatchObject({ status: 'cancelled', content: [{ text: 'tick 1' }] });
  });

  it.each<[string, SessionEvent[]]>([
    ['was running', [aToolCall({ toolKind: 'execute', status: 'running' }), cancelled]],
    ['began after that', [cancelled, aToolCall({ toolKind: 'execute' })]],
  ])('keeps a command stopped that %s when it is reported as running and done', (_, events) => {
    const reported = [aToolCall({ status: 'running' }), aToolCall({ status: 'done' })];
    const state = aTurn('go', ...events, ...reported, turnEnded(), aToolCall({ status: 'pending' }));
    expect(toolOf(state).status).toBe('cancelled');
  });

  it('keeps a call cancelled that nobody had allowed when it is reported as failed', () => {
    const call = aToolCall({ toolKind: 'edit' });
    const state = aTurn('go', call, asked, cancelled, aToolCall({ status: 'failed' }), turnEnded());
    expect(toolOf(state).status).toBe('cancelled');
  });

  it('is told as such when the agent answers it with an ordinary end', () => {
    expect(outline(aTurn('go', cancelled, turnEnded()))).toEqual(['user: go', 'info: Stopped.']);
  });

  it('keeps a call cancelled that is only described further', () => {
    const state = aTurn('go', aToolCall({ status: 'running' }), cancelled, aToolCall({ title: 'late' }));
    expect(toolOf(state)).toMatchObject({ status: 'cancelled', title: 'late' });
  });

  it('keeps the time since the turn began', () => {
    expect(aTurn('go', cancelled).since).toBe(aTurn('go').since);
  });
});

describe('a question', () => {
  it('is open until it is settled, once', () => {
    const state = aTurn('go', asked);
    expect({ outline: outline(state), open: state.questions.length }).toEqual({
      outline: ['user: go', 'question: open'],
      open: 1,
    });
    const settled: SessionEvent = { kind: 'question_settled', questionId: 1, answer: 'Allow once' };
    expect(reduce(state, settled, 1)).toEqual([state.entries[1]]);
    expect(reduce(state, { ...settled, answer: 'Reject' }, 2)).toEqual([]);
    expect({ outline: outline(state), open: state.questions.length }).toEqual({
      outline: ['user: go', 'question: Allow once'],
      open: 0,
    });
  });

  it('changes with the tool call it is about while it is open', () => {
    const state = aTurn('go', aToolCall({ title: 'bash' }), asked);
    expect(reduce(state, aToolCall({ title: 'rm -rf build' }), 1)).toContain(state.questions[0]);
  });

  it('that is not known is settled by nothing', () => {
    expect(reduce(aTurn('go'), { kind: 'question_settled', questionId: 5, answer: 'x' }, 1)).toEqual([]);
  });

  it('is closed to the message before it', () => {
    expect(outline(aTurn('go', aChunk('a'), asked, aChunk('b')))).toEqual([
      'user: go',
      'agent: a',
      'question: open',
      'agent: b',
    ]);
  });
});

describe('losing the agent', () => {
  const gone: SessionEvent = {
    kind: 'agent_gone',
    notice: aNotice({ severity: 'error', title: 'It exited.' }),
  };

  it('closes what was going on and says why', () => {
    const state = aTurn('go', aToolCall({ title: 'ls', status: 'running' }), aChunk('half a'), gone);
    expect(outline(state)).toEqual(['user: go', 'tool: ls cancelled', 'agent: half a', 'error: It exited.']);
    expect(state).toMatchObject({ phase: 'down', open: undefined });
  });

  it('says nothing when there is nothing to say', () => {
    expect(outline(aTurn('go', { kind: 'agent_gone' }))).toEqual(['user: go']);
  });

  it('leaves nothing of its session to the next one', () => {
    const again: SessionEvent[] = [gone, { kind: 'agent_starting' }, isReady, turnStarted('more')];
    const state = aTurn(
      'go',
      aToolCall({ title: 'old', status: 'done' }),
      plan('old'),
      { kind: 'commands', commands: [{ name: 'old', description: '', hint: undefined }] },
      { kind: 'settings', settings: [aMode] },
      { kind: 'usage', usage: { used: 1, size: 2, cost: undefined } },
      ...again,
      aToolCall({ title: 'new' }),
    );
    expect(outline(state).filter((line) => line.startsWith('tool'))).toEqual([
      'tool: old done',
      'tool: new pending',
    ]);
    expect(state).toMatchObject({ commands: [], settings: [], usage: undefined });
  });
});

const aMode: Setting = {
  id: 'm',
  name: 'Mode',
  category: 'mode',
  current: 'ask',
  choices: [],
  source: 'mode',
};
const aSwitch: Setting = { ...aMode, id: 'fast', category: undefined, current: false, source: 'option' };

describe('a compaction', () => {
  const compaction = (status?: 'done'): SessionEvent => ({
    kind: 'compaction',
    patch: { compactionId: 'c', ...(status && { status }) },
  });

  it('goes on when a turn ends, and is over with the agent', () => {
    const state = aTurn('hi', compaction(), turnEnded());
    expect(outline(state)).toContain('compaction: running ');
    reduce(state, { kind: 'agent_gone' }, 5_000);
    expect(outline(state)).toContain('compaction: cancelled ');
  });

  it('of another start of the agent is another one', () => {
    const state = aSession(isReady, compaction('done'), { kind: 'agent_starting' }, compaction());
    expect(outline(state)).toEqual(['compaction: done ', 'compaction: running ']);
  });
});

describe('settings', () => {
  it.each<[string, SessionEvent, Setting[]]>([
    ['a change of one', { kind: 'setting', id: 'fast', value: true }, [aMode, { ...aSwitch, current: true }]],
    ['a change of mode', { kind: 'mode', mode: 'code' }, [{ ...aMode, current: 'code' }, aSwitch]],
    ['all of them anew', { kind: 'settings', settings: [aSwitch] }, [aSwitch]],
  ])('%s', (_, event, expected) => {
    const state = aSession();
    reduce(state, { kind: 'settings', settings: [aMode, aSwitch] }, 1);
    reduce(state, event, 2);
    expect(state.settings).toEqual(expected);
  });
});

describe('the rest of the state', () => {
  it.each<[string, SessionEvent, object]>([
    ['a title', { kind: 'title', title: 'Fix' }, { title: 'Fix' }],
    ['settings', { kind: 'settings', settings: [aMode] }, { settings: [aMode] }],
    ['a mode nobody offers', { kind: 'mode', mode: 'plan' }, { settings: [] }],
    [
      'usage',
      { kind: 'usage', usage: { used: 1, size: 2, cost: undefined } },
      { usage: { used: 1, size: 2 } },
    ],
    ['commands', { kind: 'commands', commands: [] }, { commands: [] }],
    ['a start', { kind: 'agent_starting' }, { phase: 'starting' }],
    ['an agent', isReady, { phase: 'idle', agent: { name: 'tester', title: 'Tester' } }],
  ])('%s changes it and no entry', (_, event, expected) => {
    const state = aSession();
    expect(reduce(state, event, 1)).toEqual([]);
    expect(state).toMatchObject(expected);
  });

  it('queues prompts, and a turn takes the first', () => {
    const queued = (text: string): SessionEvent => ({ kind: 'prompt_queued', text });
    const state = aSession(isReady, queued('a'), queued('b'), turnStarted('a'));
    expect(state.queue).toEqual([{ text: 'b' }]);
    reduce(state, { kind: 'queue_cleared' }, 1);
    expect(state.queue).toEqual([]);
  });

  it('gives every entry its own id, rising with its place', () => {
    const state = aTurn(
      'go',
      aChunk('a'),
      aToolCall(),
      plan('x'),
      asked,
      aNotice(),
      aChunk('b'),
      turnEnded('cancelled'),
    );
    const ids = state.entries.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
  });
});

describe('a call that the user is asked about', () => {
  const settled = (optionId?: string): SessionEvent => ({
    kind: 'question_settled',
    questionId: 1,
    answer: 'x',
    ...(optionId !== undefined && { optionId }),
  });
  /** Events at 0, 1, 2 … seconds; the answer comes 20 s after the question. */
  const call = (first: SessionEvent, answer: SessionEvent, ...later: SessionEvent[]) => {
    const state = aSession(first, asked);
    for (const [index, event] of [answer, ...later].entries()) reduce(state, event, 21_000 + index * 1_000);
    return toolOf(state);
  };

  it.each(['yes', 'always'])('runs from the answer on when it was allowed: %s', (optionId) => {
    expect(call(aToolCall(), settled(optionId))).toMatchObject({ status: 'running', startedAt: 21_000 });
  });

  it.each([['no'], [undefined]])('does not begin without consent: %s', (optionId) => {
    expect(call(aToolCall(), settled(optionId)).status).toBe('pending');
  });

  it('does not count the time that the user took', () => {
    const tool = call(aToolCall({ status: 'running' }), settled('yes'), aToolCall({ status: 'done' }));
    expect(tool.endedAt! - tool.startedAt).toBe(2_000);
  });

  it('runs on when the agent announces it once more after it was allowed', () => {
    const tool = call(
      aToolCall(),
      settled('yes'),
      aToolCall({ status: 'running' }),
      aToolCall({ status: 'pending' }),
    );
    expect(tool.status).toBe('running');
  });

  it('is rejected, also when the agent then reports that it failed', () => {
    const tool = call(aToolCall(), settled('no'), aToolCall({ status: 'failed' }));
    expect(tool).toMatchObject({ isRejected: true, status: 'failed' });
  });

  it('is no longer rejected when it runs all the same', () => {
    const tool = call(aToolCall(), settled('no'), aToolCall({ status: 'running' }));
    expect(tool).toMatchObject({ isRejected: false, status: 'running' });
  });

  describe('and that only the question names', () => {
    const onlyAsked = aToolCall({ title: 'rm', isAskedOnly: true });

    it('has no row, and leaves none when the turn ends', () => {
      const state = aSession(onlyAsked, asked, settled('yes'), turnEnded());
      expect(outline(state)).toEqual(['question: x']);
    });

    it('has one from when the agent reports it', () => {
      const state = aSession(onlyAsked, asked, settled('yes'), aToolCall({ status: 'done' }));
      expect(outline(state)).toEqual(['question: x', 'tool: rm done']);
    });

    it('lets the only open call run', () => {
      const other = aToolCall({ toolCallId: 'c2', title: 'rm old.log' });
      const state = aSession(other, onlyAsked, asked, settled('yes'));
      expect(toolOf(state, 'c2').status).toBe('running');
    });
  });
});
