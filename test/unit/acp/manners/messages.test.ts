import { describe, expect, it } from 'vitest';
import { shakeHands } from '../../../../src/acp/handshake.ts';
import { winbarOf } from '../../../../src/view/status.ts';
import { PipedConnection } from '../../../support/piped-connection.ts';
import { call, chunk, more, told } from './told.ts';

const compaction = (fields: object) => ({
  sessionUpdate: 'compaction_update',
  compactionId: 'k1',
  ...fields,
});
const summary = (words: string) => ({
  sessionUpdate: 'compaction_summary_chunk',
  compactionId: 'k1',
  content: { type: 'text', text: words },
});
const items = (...texts: readonly string[]) => texts.map((content) => ({ content, status: 'pending' }));

describe('messages', () => {
  it('manner 39: tells messages apart by their id', () => {
    const { lines } = told(
      chunk('a', { messageId: '1' }),
      chunk('b', { messageId: '1' }),
      chunk('c', { messageId: '2' }),
    );
    expect(lines).toEqual(['ab', '', 'c']);
  });

  it('manner 39: infers a new message where there are no ids', () => {
    const thought = { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } };
    const { state } = told(chunk('a'), chunk('b'), thought, chunk('c'), call({ title: 'Do it' }), chunk('d'));
    const said = state.entries.map((entry) =>
      entry.kind === 'message' ? entry.text.toString() : entry.kind,
    );
    expect(said).toEqual(['go', 'ab', 'hm', 'c', 'tool', 'd']);
  });

  it('manner 40: leaves a status line that is text what it is', () => {
    expect(told(chunk('Info: Operation cancelled')).lines).toEqual(['Info: Operation cancelled']);
  });

  it('manner 40: shows the name of a mode whose id is an address', () => {
    const id = 'https://bakery.example/modes#night';
    const { state } = told(
      {
        sessionUpdate: 'config_option_update',
        configOptions: [
          {
            id: 'mode',
            name: 'Mode',
            category: 'mode',
            type: 'select',
            currentValue: 'day',
            options: [
              { value: 'day', name: 'Day' },
              { value: id, name: 'Night' },
            ],
          },
        ],
      },
      { sessionUpdate: 'current_mode_update', currentModeId: id },
    );
    expect(
      winbarOf(state, 0)
        .right.map(([words]) => words)
        .join(''),
    ).toContain('Night');
  });
});

describe('notices and compaction', () => {
  const notice = {
    sessionUpdate: 'notice',
    severity: 'warning',
    title: 'The oven is hot.',
    description: 'Mind it.',
  };

  it('manner 42: shows a notice, and no message ends because of it', () => {
    expect(told(chunk('Half an '), notice, chunk('answer.')).lines).toEqual([
      'Half an answer.',
      '',
      '! The oven is hot.',
      '  Mind it.',
    ]);
  });

  it('manner 42: keeps one row for a compaction, where it was first seen', () => {
    const { lines } = told(
      compaction({ status: 'in_progress' }),
      chunk('Meanwhile.'),
      compaction({ status: 'completed' }),
      compaction({ status: 'completed' }),
    );
    expect(lines).toEqual(['✓ the agent goes on with a summary of the conversation', '', 'Meanwhile.']);
  });

  it.each<[string, readonly unknown[], readonly string[]]>([
    [
      'its summary',
      [compaction({ status: 'completed', summary: [{ type: 'text', text: 'We baked.' }] })],
      ['✓ the agent goes on with a summary of the conversation', '    We baked.'],
    ],
    [
      'a summary in pieces',
      [summary('We '), summary('baked.')],
      ['● shortening the conversation for the agent', '    We baked.'],
    ],
    [
      'a summary taken back',
      [summary('We'), compaction({ summary: null })],
      ['● shortening the conversation for the agent'],
    ],
    [
      'an error',
      [compaction({ status: 'failed', error: 'no\nroom' })],
      ['✗ the conversation could not be shortened: no room'],
    ],
    [
      'an error taken back',
      [
        compaction({ status: 'failed', error: 'no room' }),
        compaction({ status: 'in_progress', error: null }),
      ],
      ['● shortening the conversation for the agent'],
    ],
    [
      'a status nobody knows',
      [compaction({ status: 'simmering' })],
      ['· the conversation is being shortened (simmering)'],
    ],
  ])('manner 42: shows of a compaction %s', (_, updates, expected) => {
    expect(told(...updates).opened).toEqual(expected);
  });

  it.each<[string, object, string | undefined]>([
    ['only metadata', { _meta: { vendor: { status: 'idle' } } }, 'Bread'],
    ['only a time', { updatedAt: '2026-01-01T00:00:00Z' }, 'Bread'],
    ['no title any more', { title: null }, undefined],
    ['another title', { title: 'Rolls' }, 'Rolls'],
  ])('manner 42: changes the title by what is said of it: %s', (_, fields, expected) => {
    const title = { sessionUpdate: 'session_info_update', title: 'Bread' };
    const { state, lines } = told(title, { sessionUpdate: 'session_info_update', ...fields });
    expect(state.title).toBe(expected);
    expect(lines).toEqual([]);
  });

  it('manners 28 and 42: asks for notices, compactions and the output of terminals', async () => {
    const piped = new PipedConnection();
    void shakeHands(piped.connection, 'tester', {
      offers: { files: false, terminals: false },
      reach: { isRemote: false, carriesRequests: true },
    }).catch(() => undefined);
    await piped.allAnswers();
    expect(piped.written[0]?.params).toMatchObject({
      clientCapabilities: { session: { notices: {}, compaction: {} }, _meta: { terminal_output: true } },
    });
    piped.connection.dispose();
  });
});

describe('plans', () => {
  it('an empty plan leaves nothing of the one before', () => {
    const plan = (entries: unknown) => ({ sessionUpdate: 'plan', entries });
    expect(told(plan(items('Knead', 'Bake')), plan([])).lines).toEqual([]);
    expect(told(plan([])).lines).toEqual([]);
    expect(told(plan(items('Knead')), plan([]), plan(items('Bake'))).lines).toEqual(['Plan 0/1', '  ○ Bake']);
  });

  it.each<[string, object, readonly string[]]>([
    ['a list', { type: 'items', entries: items('Knead') }, ['Plan 0/1', '  ○ Knead']],
    ['words', { type: 'markdown', content: '1. Knead\n2. Bake' }, ['Plan', '    1. Knead', '    2. Bake']],
    ['a file', { type: 'file', uri: 'file:///home/me/plan.md' }, ['Plan', '    file:///home/me/plan.md']],
  ])('a plan with an id may be %s', (_, plan, expected) => {
    const update = { sessionUpdate: 'plan_update', plan: { planId: 'p1', ...plan } };
    expect(told(update, update).lines).toEqual(expected);
  });

  it('plans with ids stand beside each other, and each can be removed', () => {
    const plan = (planId: string, ...texts: readonly string[]) => ({
      sessionUpdate: 'plan_update',
      plan: { type: 'items', planId, entries: items(...texts) },
    });
    const removed = { sessionUpdate: 'plan_removed', planId: 'p1' };
    const { lines } = told(plan('p1', 'Knead'), plan('p2', 'Sweep'), plan('p1', 'Bake'), removed);
    expect(lines.filter((line) => line !== '')).toEqual(['Plan 0/1', '  ○ Sweep']);
  });
});

describe('what is not understood', () => {
  it('is one muted line for each kind, with the last of them in it', () => {
    const hologram = (n: number) => ({ sessionUpdate: 'hologram_update', n });
    const { lines, opened } = told(hologram(1), chunk('Hello.'), hologram(2), { sessionUpdate: 'smell' });
    expect(lines).toEqual([
      '· the agent sent "hologram_update", which is not understood here',
      '',
      'Hello.',
      '',
      '· the agent sent "smell", which is not understood here',
    ]);
    expect(opened.slice(1, 5)).toEqual([
      '    {',
      '      "sessionUpdate": "hologram_update",',
      '      "n": 2',
      '    }',
    ]);
  });

  it('includes an update of a known kind without what it needs', () => {
    expect(told(more({ toolCallId: null })).lines).toEqual([
      '· the agent sent "tool_call_update", which is not understood here',
    ]);
  });
});
