import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../src/session/events.ts';
import { emptySession } from '../../../src/session/model.ts';
import { reduce } from '../../../src/session/reducer.ts';
import { ChatView, frameBudget } from '../../../src/view/chat.ts';
import type { Frame } from '../../../src/view/frame.ts';
import { aChunk, aNotice, aQuestion, aToolCall, isReady } from '../../support/builders.ts';
import { Canvas } from '../../support/canvas.ts';

/** A view, its session and the buffer it draws into. */
class Studio {
  readonly state = emptySession('tester', 0);
  readonly view = new ChatView(this.state, { chat: 1, cwd: '/work', home: '/home/me' });
  readonly canvas = new Canvas();
  now = 0;

  constructor(...events: readonly SessionEvent[]) {
    this.happen(isReady, ...events);
  }

  happen(...events: readonly SessionEvent[]): this {
    for (const event of events) this.view.touch(reduce(this.state, event, this.now));
    return this;
  }

  /** Draws one frame. */
  draw(): Frame | undefined {
    const frame = this.view.frame(this.now);
    this.canvas.draw(frame);
    return frame;
  }

  /** Draws until nothing is left to draw. */
  drawAll(): readonly Frame[] {
    const frames: Frame[] = [];
    do {
      const frame = this.draw();
      if (frame) frames.push(frame);
    } while (this.view.isDirty);
    return frames;
  }

  get lines(): readonly string[] {
    this.drawAll();
    return this.canvas.lines;
  }

  /** What a buffer would show that was never drawn to before. */
  redrawn(): unknown {
    const canvas = new Canvas();
    this.view.reset();
    do canvas.draw(this.view.frame(this.now));
    while (this.view.isDirty);
    return canvas.picture;
  }
}

const turnStarted = (text: string): SessionEvent => ({ kind: 'turn_started', text });
const turnEnded: SessionEvent = { kind: 'turn_ended', stopReason: 'end_turn' };
const asked = (id: number): SessionEvent => ({ kind: 'question_asked', question: aQuestion({ id }) });

describe('the layout', () => {
  it.each<[string, SessionEvent[], string[]]>([
    ['nothing', [], []],
    ['a prompt', [turnStarted('hi')], ['You', 'hi']],
    ['an answer', [turnStarted('hi'), aChunk('hello')], ['You', 'hi', '', 'Tester', 'hello']],
    [
      'machinery stands line on line, words get air',
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
      'two turns',
      [turnStarted('a'), aChunk('b'), turnEnded, turnStarted('c')],
      ['You', 'a', '', 'Tester', 'b', '', 'You', 'c'],
    ],
    ['a notice below a prompt', [turnStarted('a'), aNotice({ title: 'n' })], ['You', 'a', '· n']],
    [
      'an answer below a notice',
      [turnStarted('a'), aNotice({ title: 'n' }), aChunk('b'), aNotice({ title: 'm' }), aChunk('c')],
      ['You', 'a', '· n', '', 'Tester', 'b', '', '· m', '', 'c'],
    ],
    ['an agent that speaks first', [aChunk('welcome')], ['Tester', 'welcome']],
  ])('%s', (_, events, expected) => expect(new Studio(...events).lines).toEqual(expected));

  it('begins with a reset, so that an old buffer is emptied', () => {
    expect(new Studio(turnStarted('hi')).draw()?.patches[0]).toEqual({ op: 'reset' });
  });
});

describe('a frame', () => {
  it('is not made when there is nothing to draw', () => {
    const studio = new Studio(turnStarted('hi'));
    studio.drawAll();
    expect(studio.draw()).toBeUndefined();
  });

  it('has one patch for many chunks', () => {
    const studio = new Studio(turnStarted('hi'), aChunk('a'));
    studio.drawAll();
    studio.happen(aChunk('b'), aChunk('c'), aChunk('d'));
    expect(studio.draw()?.patches).toMatchObject([{ op: 'add', lines: ['bcd'] }]);
  });

  it('leaves the bars out that did not change', () => {
    const studio = new Studio(turnStarted('hi'));
    studio.drawAll();
    studio.happen(aChunk('a'));
    expect(Object.keys(studio.draw() ?? {})).not.toContain('winbar');
    studio.happen({ kind: 'title', title: 'Fix it' });
    expect(JSON.stringify(studio.draw()?.winbar)).toContain('Fix it');
  });

  it('counts the blocks there are', () => {
    const studio = new Studio(turnStarted('hi'), aChunk('a'), aToolCall());
    expect(studio.draw()?.blocks).toBe(3);
  });
});

describe('the budget', () => {
  const sizeOf = ({ patches }: Frame) =>
    patches.reduce((sum, patch) => sum + ('lines' in patch ? patch.lines.join('\n').length : 0), 0);

  it.each<[string, SessionEvent[]]>([
    ['one chunk', [aChunk('one line of text\n'.repeat(60_000))]],
    ['one line', [aChunk('x'.repeat(1_000_000))]],
    [
      'many messages',
      Array.from({ length: 2_000 }, (_, id) => aChunk('word '.repeat(100), 'agent', `${id}`)),
    ],
    [
      'many tool calls',
      Array.from({ length: 4_000 }, (_, id) => aToolCall({ toolCallId: `${id}`, title: 'x'.repeat(250) })),
    ],
    ['one prompt', [turnStarted('x'.repeat(1_000_000))]],
  ])('spreads a megabyte over frames: %s', (_, events) => {
    const studio = new Studio(...events);
    const frames = studio.drawAll();
    expect(sizeOf(frames[0]!)).toBeLessThan(frameBudget.first * 1.1);
    expect(Math.max(...frames.map(sizeOf))).toBeLessThan(frameBudget.most * 1.1);
    expect(frames.length).toBeGreaterThan(900_000 / frameBudget.most);
    expect(studio.canvas.lines.join('\n').length).toBeGreaterThan(990_000);
  });

  it.each([-1, 0, 1, frameBudget.first + 1].map((more) => frameBudget.first + more))(
    'draws the last of %i characters',
    (length) => {
      const prompt = `${'x'.repeat(length - 1)}!`;
      const [, text] = new Studio(turnStarted(prompt)).lines;
      expect(text?.at(-1)).toBe('!');
      expect(text?.length).toBe(length);
    },
  );

  it('keeps the order of what comes after a long message', () => {
    const studio = new Studio(
      turnStarted('hi'),
      aChunk('x'.repeat(3 * frameBudget.most)),
      aToolCall({ title: 'ls' }),
      aChunk('end'),
    );
    const { lines } = studio;
    expect(lines.map((line) => line.slice(0, 12))).toEqual([
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

describe('the cost of a chunk', () => {
  it('is the same at the ten thousandth as at the first', () => {
    const studio = new Studio(turnStarted('hi'));
    studio.drawAll();
    const costs = Array.from({ length: 10_000 }, (_, index) => {
      studio.happen(aChunk(index % 10 === 9 ? 'a line, its end\n' : 'some words more '));
      const frame = studio.draw();
      return { patches: frame?.patches.length, bytes: JSON.stringify(frame?.patches).length };
    });
    expect(costs.slice(1).every(({ patches }) => patches === 1)).toBe(true);
    // Only the digits of the line number grow.
    expect(costs.at(-5)!.bytes - costs[5]!.bytes).toBeLessThan(10);
  });

  it('does not depend on how many entries there are', () => {
    const studio = new Studio();
    for (let id = 0; id < 2_000; id += 1) studio.happen(aToolCall({ toolCallId: `${id}`, status: 'done' }));
    studio.drawAll();
    studio.happen(aChunk('a'));
    expect(studio.draw()?.patches).toHaveLength(1);
  });
});

describe('opening and closing', () => {
  it('shows and hides what an entry keeps to itself', () => {
    const studio = new Studio(aToolCall({ title: 'ls', content: [{ kind: 'text', text: 'a.ts' }] }));
    const closed = studio.lines;
    const { id } = studio.state.entries[0]!;
    studio.view.toggle(id);
    expect(studio.lines).toEqual([...closed, '    a.ts']);
    studio.view.toggle(id);
    expect(studio.lines).toEqual(closed);
  });

  it('survives a redraw', () => {
    const studio = new Studio(aChunk('hm', 'thought'));
    studio.view.toggle(studio.state.entries[0]!.id);
    const { lines } = studio;
    studio.view.reset();
    expect(studio.lines).toEqual(lines);
  });

  it('of what is not there does nothing', () => {
    const studio = new Studio(aChunk('a'));
    studio.drawAll();
    studio.view.toggle(99);
    expect(studio.draw()).toBeUndefined();
  });
});

describe('the passing of time', () => {
  it('is shown on what runs, and nowhere else', () => {
    const studio = new Studio(
      turnStarted('hi'),
      aToolCall({ toolCallId: '1', status: 'done' }),
      aToolCall({ toolCallId: '2', status: 'running' }),
      aChunk('hm', 'thought'),
    );
    studio.drawAll();
    studio.now = 3_000;
    studio.view.tick();
    const patches = studio.draw()?.patches ?? [];
    const ids = studio.state.entries.slice(2).map(({ id }) => id);
    expect(patches.map((patch) => 'id' in patch && patch.id)).toEqual(ids);
    expect(studio.canvas.lines.at(-1)).toBe('▸ thinking for 3 s');
  });
});

describe('after whatever happened', () => {
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
  const toolCallId = fc.constantFrom('1', '2', '3');
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
  const toolCall = fc.tuple(toolCallId, status, text, fc.option(content)).map(([id, state, title, items]) =>
    aToolCall({
      toolCallId: id,
      title,
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

  function take(studio: Studio, [kind, what]: Step): void {
    studio.now += 700;
    if (kind === 'event') studio.happen(what);
    else if (kind === 'toggle') studio.view.toggle(what);
    else if (kind === 'draw') studio.draw();
    else studio.view[kind]();
  }

  it('the buffer shows what a new one would', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
        const studio = new Studio();
        for (const one of steps) take(studio, one);
        studio.view.tick();
        studio.drawAll();
        expect(studio.canvas.picture).toEqual(studio.redrawn());
      }),
      { numRuns: 400 },
    );
  });
});

it('shows one question after the other, and what became of them', () => {
  const studio = new Studio(turnStarted('hi'), aToolCall({ title: 'ls', toolKind: 'execute' }), asked(1));
  studio.drawAll();
  studio.happen({ kind: 'question_settled', questionId: 1, answer: 'Allow once' }, asked(2));
  const { lines } = studio;
  expect(lines.filter((line) => /asked to|wants to/.test(line))).toEqual([
    '· asked to run  Allow once',
    '? Tester wants to run',
  ]);
});

it('an entry that can not be drawn says so and blanks nothing else', () => {
  const errors: unknown[] = [];
  const state = emptySession('tester', 0);
  const onError = (error: unknown) => errors.push(error);
  const view = new ChatView(state, { chat: 1, cwd: '/work', home: '/home/me', onError });
  const canvas = new Canvas();
  const broken = aToolCall({ status: 'odd' as never });
  for (const event of [aNotice({ title: 'above' }), broken, aChunk('below')])
    view.touch(reduce(state, event, 0));
  for (let frame = view.frame(0); frame; frame = view.frame(0)) canvas.draw(frame);
  expect(canvas.lines.filter((line) => /above|drawn|below/.test(line))).toEqual([
    '· above',
    '! This could not be drawn; :AcpLog tells why.',
    'below',
  ]);
  view.reset();
  view.frame(0);
  expect(errors).toHaveLength(1);
});
