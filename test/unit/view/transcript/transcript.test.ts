import { describe, expect, it } from 'vitest';
import { emptySession } from '../../../../src/model/session.ts';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { frameBudget, TranscriptView } from '../../../../src/view/transcript/transcript.ts';
import { aChunk, aNotice, aQuestion, aToolCall, isReady } from '../../../support/builders.ts';
import { Canvas } from '../../../support/doubles/canvas.ts';
import { shortOrLong } from '../../../support/long.ts';
import { fc } from '../../../support/property.ts';
import { TranscriptHarness } from '../../../support/transcript-harness.ts';

const turnStarted = (text: string): SessionEvent => ({ kind: 'turn_started', text });
const turnEnded: SessionEvent = { kind: 'turn_ended', stopReason: 'end_turn' };
const asked = (id: number): SessionEvent => ({ kind: 'question_asked', question: aQuestion({ id }) });
const lateSummary: SessionEvent = {
  kind: 'turn_summary',
  isLate: true,
  summary: { ms: 42_000, files: 0, added: 0, removed: 0, cost: undefined },
};

describe('the layout of the transcript', () => {
  it.each<[string, SessionEvent[], string[]]>([
    ['nothing', [], []],
    ['a prompt', [turnStarted('hi')], ['You', 'hi']],
    ['an answer', [turnStarted('hi'), aChunk('hello')], ['You', 'hi', '', 'Tester', 'hello']],
    [
      'tool calls without blank lines, messages with',
      [
        turnStarted('hi'),
        aChunk('hm', 'thought'),
        aToolCall({ title: 'ls' }),
        aToolCall({ toolCallId: '2', title: 'cd' }),
        aChunk('so'),
      ],
      ['You', 'hi', '', 'Tester', '▸ thought for 0.0 s', '○ tool    ls', '○ tool    cd', '', 'so'],
    ],
    [
      'one blank line below a message that ends with line ends',
      [turnStarted('hi'), aChunk('so\n\n'), aToolCall({ title: 'ls' })],
      ['You', 'hi', '', 'Tester', 'so', '', '○ tool    ls'],
    ],
    [
      'two turns',
      [turnStarted('a'), aChunk('b'), turnEnded, turnStarted('c')],
      ['You', 'a', '', 'Tester', 'b', '', 'You', 'c'],
    ],
    [
      'the summary of a turn above the prompt that began before it was known',
      [
        ...[turnStarted('a'), aChunk('b'), aToolCall({ title: 'ls' }), turnEnded],
        ...[turnStarted('c'), aChunk('d'), lateSummary, aChunk('e'), turnEnded],
      ],
      ['You', 'a', '', 'Tester', 'b', '', '⊘ tool    ls', '', '✓ 42 s', '', 'You', 'c', '', 'Tester', 'de'],
    ],
    ['a notice below a prompt', [turnStarted('a'), aNotice({ title: 'n' })], ['You', 'a', '· n']],
    [
      'an answer below a notice',
      [turnStarted('a'), aNotice({ title: 'n' }), aChunk('b'), aNotice({ title: 'm' }), aChunk('c')],
      ['You', 'a', '· n', '', 'Tester', 'b', '', '· m', '', 'c'],
    ],
    ['an agent that sends the first message', [aChunk('welcome')], ['Tester', 'welcome']],
  ])('%s', (_, events, expected) => expect(new TranscriptHarness(...events).lines).toEqual(expected));

  it('inserts a late summary above a prompt that is drawn already, and draws nothing else again', () => {
    const harness = new TranscriptHarness(
      turnStarted('a'),
      aChunk('b'),
      turnEnded,
      turnStarted('c'),
      aChunk('d'),
    );
    harness.drawAll();
    harness.happen(lateSummary);
    expect(harness.draw()?.patches).toHaveLength(1);
    harness.happen(aChunk('e'), turnEnded, turnStarted('f'));
    const below = ['', 'You', 'c', '', 'Tester', 'de', '', 'You', 'f'];
    expect(harness.lines).toEqual(['You', 'a', '', 'Tester', 'b', '', '✓ 42 s', ...below]);
    const { picture } = harness.canvas;
    expect(harness.redrawn()).toEqual(picture);
  });

  it('sets an open question apart from the call above it, and its answer not', () => {
    const harness = new TranscriptHarness(turnStarted('a'), aToolCall({ title: 'ls' }), asked(1));
    expect(harness.lines.slice(4, 7)).toEqual(['○ tool    ls', '', expect.stringMatching(/^\? /)]);
    harness.happen({ kind: 'question_settled', questionId: 1, answer: 'Yes' });
    expect(harness.lines.slice(4, 6)).toEqual(['○ tool    ls', expect.stringMatching(/^· .* {2}Yes$/)]);
  });

  describe('of calls one below the other', () => {
    const text = (toolCallId: string) => aToolCall({ toolCallId, title: toolCallId, content: [output] });
    const output = { kind: 'text', text: 'out' } as const;
    const open = '○ tool    one';

    it('has a blank line below an open call while something follows it', () => {
      const harness = new TranscriptHarness(turnStarted('a'), text('one'));
      harness.view.toggle(harness.state.entries[1]!.id);
      expect(harness.lines.slice(4)).toEqual([open, '    out']);
      harness.happen(text('two'));
      expect(harness.lines.slice(4)).toEqual([open, '    out', '', '○ tool    two']);
      harness.view.toggle(harness.state.entries[2]!.id);
      expect(harness.lines.slice(6)).toEqual(['', '○ tool    two', '    out']);
      harness.happen(aChunk('so'));
      expect(harness.lines.slice(6)).toEqual(['', '○ tool    two', '    out', '', 'so']);
      harness.view.toggle(harness.state.entries[1]!.id);
      expect(harness.lines.slice(4, 7)).toEqual([open, '○ tool    two', '    out']);
    });

    const settled = (questionId: number): SessionEvent => ({
      kind: 'question_settled',
      questionId,
      answer: 'Yes',
    });
    const answer: unknown = expect.stringMatching(/^· .* {2}Yes$/);

    it('has one blank line above an open question and none above its answer', () => {
      const harness = new TranscriptHarness(turnStarted('a'), text('one'), asked(1));
      harness.view.toggle(harness.state.entries[1]!.id);
      expect(harness.lines.slice(5, 8)).toEqual(['    out', '', expect.stringMatching(/^\? /)]);
      harness.happen(settled(1));
      expect(harness.lines.slice(4)).toEqual([open, '    out', answer]);
      harness.view.toggle(harness.state.entries[1]!.id);
      expect(harness.lines.slice(4)).toEqual([open, answer]);
    });

    it('has the blank line of an open call below the answers that follow it', () => {
      const harness = new TranscriptHarness(turnStarted('a'), text('one'), asked(1), settled(1));
      harness.happen(asked(2), text('two'));
      harness.view.toggle(harness.state.entries[1]!.id);
      harness.drawAll();
      harness.happen(settled(2));
      expect(harness.lines.slice(4)).toEqual([open, '    out', answer, answer, '', '○ tool    two']);
      harness.view.toggle(harness.state.entries[1]!.id);
      expect(harness.draw()?.patches).toHaveLength(2);
      expect(harness.lines.slice(4)).toEqual([open, answer, answer, '○ tool    two']);
      harness.view.toggle(harness.state.entries[1]!.id);
      expect(harness.lines.slice(6)).toEqual([answer, answer, '', '○ tool    two']);
      const { picture } = harness.canvas;
      expect(harness.redrawn()).toEqual(picture);
    });

    it('has a blank line between the last call of a subagent and the next call', () => {
      const harness = new TranscriptHarness(
        turnStarted('a'),
        aToolCall({ toolCallId: 'p', title: 'p', status: 'running' }),
        aToolCall({ toolCallId: 'q', title: 'q', status: 'running' }),
        aToolCall({ toolCallId: 'c', title: 'c', parent: 'p', content: [output], status: 'running' }),
        aToolCall({ toolCallId: 'd', title: 'd', parent: 'p', status: 'running' }),
      );
      harness.view.toggle(harness.state.entries[3]!.id);
      const shown = harness.lines.slice(5).map((line) => line.trim().split(/ +/).at(-1));
      expect(shown).toEqual(['c', 'out', '', 'd', 'q']);
    });

    it('is drawn again as it was, and a chunk draws nothing but itself', () => {
      const harness = new TranscriptHarness(turnStarted('a'), text('one'), text('two'), aChunk('so'));
      harness.view.toggle(harness.state.entries[1]!.id);
      const before = harness.lines;
      harness.view.reset();
      expect(harness.lines).toEqual(before);
      harness.happen(aChunk(' on'));
      expect(harness.draw()?.patches).toMatchObject([{ op: 'add', text: ' on' }]);
    });
  });

  it('starts with a reset that empties the buffer', () => {
    expect(new TranscriptHarness(turnStarted('hi')).draw()?.patches[0]).toEqual({ op: 'reset' });
  });
});

describe('a frame', () => {
  it('is not made when there is nothing to draw', () => {
    const harness = new TranscriptHarness(turnStarted('hi'));
    harness.drawAll();
    expect(harness.draw()).toBeUndefined();
  });

  it('has one patch for many chunks', () => {
    const harness = new TranscriptHarness(turnStarted('hi'), aChunk('a'));
    harness.drawAll();
    harness.happen(aChunk('b'), aChunk('c'), aChunk('d'));
    expect(harness.draw()?.patches).toMatchObject([{ op: 'add', text: 'bcd' }]);
  });

  it('draws a change once, although the next call puts a blank line below it', () => {
    const edit = (toolCallId: string) =>
      aToolCall({ toolCallId, content: [{ kind: 'diff', path: '/work/a', oldText: 'a', newText: 'b' }] });
    const harness = new TranscriptHarness(...['1', '2', '3'].map(edit));
    const operations = harness.drawAll().flatMap(({ patches }) => patches.map(({ op }) => op));
    expect(operations.filter((op) => op === 'new' || op === 'set')).toEqual(['new', 'new', 'new']);
  });

  it('sends the winbar only when it has changed', () => {
    const harness = new TranscriptHarness(turnStarted('hi'));
    harness.drawAll();
    harness.happen(aChunk('a'));
    expect(harness.draw()?.winbar).toBeUndefined();
    harness.happen({ kind: 'title', title: 'Fix it' });
    expect(JSON.stringify(harness.draw()?.winbar)).toContain('Fix it');
  });

  it('counts the blocks', () => {
    const harness = new TranscriptHarness(turnStarted('hi'), aChunk('a'), aToolCall());
    expect(harness.draw()?.blocks).toBe(3);
  });
});

describe('the frame budget', () => {
  it.each([-1, 0, 1, frameBudget.first + 1].map((more) => frameBudget.first + more))(
    'draws the last of %i characters',
    (length) => {
      const answer = `${'x'.repeat(length - 1)}!`;
      const { lines } = new TranscriptHarness(aChunk(answer));
      expect(lines.filter((line) => /^[x!]/.test(line)).join('')).toBe(answer);
    },
  );

  it('limits the patches of a frame, because Neovim takes time for each', () => {
    const calls = Array.from({ length: 1_000 }, (_, index) => aToolCall({ toolCallId: String(index) }));
    const frames = new TranscriptHarness(...calls).drawAll();
    const counts = frames.map(({ patches }) => patches.length);
    expect(counts[0]).toBeLessThanOrEqual(20);
    expect(Math.max(...counts)).toBeLessThanOrEqual(130);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1_001);
  });

  it('keeps the order of entries after a long message', () => {
    const harness = new TranscriptHarness(
      turnStarted('hi'),
      aChunk('x'.repeat(3 * frameBudget.most)),
      aToolCall({ title: 'ls' }),
      aChunk('end'),
    );
    const starts = harness.lines.map((line) => line.slice(0, 12));
    // A long line is broken into several.
    expect(starts.filter((start, index) => start !== starts[index - 1])).toEqual([
      'You',
      'hi',
      '',
      'Tester',
      'xxxxxxxxxxxx',
      '',
      '○ tool    ls',
      '',
      'end',
    ]);
  });
});

describe('opening and closing entries', () => {
  it('shows and hides the body of an entry', () => {
    const harness = new TranscriptHarness(
      aToolCall({ title: 'ls', content: [{ kind: 'text', text: 'a.ts' }] }),
    );
    const closed = harness.lines;
    const { id } = harness.state.entries[0]!;
    harness.view.toggle(id);
    expect(harness.lines).toEqual([...closed, '    a.ts']);
    harness.view.toggle(id);
    expect(harness.lines).toEqual(closed);
  });

  it('survives a reset', () => {
    const harness = new TranscriptHarness(aChunk('hm', 'thought'));
    harness.view.toggle(harness.state.entries[0]!.id);
    const { lines } = harness;
    harness.view.reset();
    expect(harness.lines).toEqual(lines);
  });

  it('of an unknown entry does nothing', () => {
    const harness = new TranscriptHarness(aChunk('a'));
    harness.drawAll();
    harness.view.toggle(99);
    expect(harness.draw()).toBeUndefined();
  });
});

describe('a running duration', () => {
  it('is redrawn for running entries only', () => {
    const harness = new TranscriptHarness(
      turnStarted('hi'),
      aToolCall({ toolCallId: '1', status: 'done' }),
      aToolCall({ toolCallId: '2', status: 'running' }),
      aChunk('hm', 'thought'),
    );
    harness.drawAll();
    harness.now = 3_000;
    harness.view.tick();
    const patches = harness.draw()?.patches ?? [];
    const ids = harness.state.entries.slice(2).map(({ id }) => id);
    expect(patches.map((patch) => 'id' in patch && patch.id)).toEqual(ids);
    expect(harness.canvas.lines.at(-1)).toBe('▸ thinking for 3 s');
  });

  it('is redrawn for the last of very many calls only', () => {
    const calls = Array.from({ length: 1_000 }, (_, index) =>
      aToolCall({ toolCallId: `${index}`, status: 'running' }),
    );
    const harness = new TranscriptHarness(turnStarted('hi'), ...calls);
    harness.drawAll();
    harness.now = 3_000;
    harness.view.tick();
    let patches = 0;
    for (let frame = harness.draw(); frame; frame = harness.draw()) patches += frame.patches.length;
    expect(patches).toBe(200);
  });
});

describe('after random events', () => {
  const words = fc.constantFrom(
    'a',
    'word ',
    '\n',
    '**b** ',
    '`c`',
    '```js\n',
    '```\n',
    '# h\n',
    '👍',
    '\ud83d',
    '\udc4d',
    '世',
    '\r\n',
    '\x1b[0m',
    '',
  );
  const text = fc.array(words, { maxLength: 12, size: 'max' }).map((parts) => parts.join(''));
  const toolCallId = fc.constantFrom('1', '2', '3', '4', '5', '6');
  const status = fc.constantFrom('pending', 'running', 'done', 'failed', undefined);
  const content = fc.array(
    fc.oneof(
      text.map((output) => ({ kind: 'text', text: output }) as const),
      fc
        .tuple(text, text)
        .map(([oldText, newText]) => ({ kind: 'diff', path: '/work/a', oldText, newText }) as const),
    ),
    { maxLength: 3 },
  );
  const toolKind = fc.constantFrom('read', 'search', 'edit');
  const toolCall = fc
    .tuple(toolCallId, status, text, toolKind, fc.option(content))
    .map(([id, state, title, kind, items]) =>
      aToolCall({
        toolCallId: id,
        title,
        toolKind: kind,
        ...(state !== undefined && { status: state }),
        ...(items && { content: items }),
      }),
    );
  const role = fc.constantFrom('agent', 'thought', 'user');
  const messageId = fc.constantFrom(undefined, 'm1', 'm2');
  const items = fc.array(
    fc
      .tuple(text, fc.constantFrom('pending', 'running', 'done'))
      .map(([item, state]) => ({ text: item, status: state }) as const),
    { maxLength: 4 },
  );
  const event: fc.Arbitrary<SessionEvent> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(text, role, messageId).map(([words, who, id]) => aChunk(words, who, id)),
    },
    { weight: 3, arbitrary: toolCall },
    {
      weight: 2,
      arbitrary: toolCallId.map((id) => aToolCall({ toolCallId: id, toolKind: 'read', status: 'done' })),
    },
    items.map((plan): SessionEvent => ({ kind: 'plan', items: plan })),
    fc.tuple(text, text).map(([title, detail]) => aNotice({ title, detail: [detail], hint: title })),
    text.map(turnStarted),
    fc.constantFrom<SessionEvent>(
      turnEnded,
      { kind: 'cancel_requested' },
      { kind: 'turn_ended', stopReason: 'cancelled' },
    ),
    fc.tuple(fc.integer({ min: 1, max: 3 }), toolCallId).map(
      ([id, about]): SessionEvent => ({
        kind: 'question_asked',
        question: aQuestion({ id, toolCallId: about }),
      }),
    ),
    fc
      .integer({ min: 1, max: 3 })
      .map((questionId): SessionEvent => ({ kind: 'question_settled', questionId, answer: 'Yes' })),
    fc.constant<SessionEvent>({ kind: 'title', title: 'Fix it' }),
    fc.constantFrom<SessionEvent>({ kind: 'agent_gone' }, { kind: 'agent_starting' }, isReady),
  );
  type Step =
    | readonly ['draw' | 'tick' | 'reset']
    | readonly ['toggle', number]
    | readonly ['event', SessionEvent];
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 8, arbitrary: event.map((happening): Step => ['event', happening]) },
    { weight: 4, arbitrary: fc.constantFrom<Step>(['draw'], ['tick']) },
    fc.integer({ min: 1, max: 12 }).map((id): Step => ['toggle', id]),
    fc.constant<Step>(['reset']),
  );

  function take(harness: TranscriptHarness, [kind, what]: Step): void {
    harness.now += 700;
    if (kind === 'event') harness.happen(what);
    else if (kind === 'toggle') harness.view.toggle(what);
    else if (kind === 'draw') harness.draw();
    else harness.view[kind]();
  }

  it('the buffer equals a full redraw', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const harness = new TranscriptHarness();
        for (const one of steps) take(harness, one);
        harness.view.tick();
        harness.drawAll();
        expect(harness.canvas.picture).toEqual(harness.redrawn());
      }),
      { numRuns: shortOrLong(40, 400) },
    );
  });
});

it('questions are shown one after the other, then their answers', () => {
  const harness = new TranscriptHarness(
    turnStarted('hi'),
    aToolCall({ title: 'ls', toolKind: 'execute' }),
    asked(1),
  );
  harness.drawAll();
  harness.happen({ kind: 'question_settled', questionId: 1, answer: 'Allow once' }, asked(2));
  const { lines } = harness;
  expect(lines.filter((line) => /asked to|wants to/.test(line))).toEqual([
    '· asked to run: ls  Allow once',
    '? Tester wants to run',
  ]);
});

it('an entry that can not be drawn does not break the others', () => {
  const errors: unknown[] = [];
  const state = emptySession('tester', 0);
  const onError = (error: unknown) => errors.push(error);
  const view = new TranscriptView(state, { chat: 1, cwd: '/work', home: '/home/me', onError });
  const canvas = new Canvas();
  const broken = aToolCall({ status: 'odd' as never });
  for (const event of [aNotice({ title: 'above' }), broken, aChunk('below')])
    view.markChanged(reduce(state, event, 0));
  for (let frame = view.frame(0); frame; frame = view.frame(0)) canvas.draw(frame);
  expect(canvas.lines.filter((line) => /above|drawn|below/.test(line))).toEqual([
    '· above',
    '! This entry could not be drawn; :AcpLog has the error.',
    'below',
  ]);
  view.reset();
  view.frame(0);
  expect(errors).toHaveLength(1);
});
