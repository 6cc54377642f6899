import { describe, expect, it } from 'vitest';
import { initialize } from '../../../../src/acp/connection/handshake.ts';
import { makeWinbar } from '../../../../src/view/status.ts';
import { PipedConnection } from '../../../support/agents/piped-connection.ts';
import { call, chunk, more, showUpdates } from '../../../support/dialects/shown-updates.ts';

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
  it('behaviour 39: separates messages by their id', () => {
    const { lines } = showUpdates(
      chunk('a', { messageId: '1' }),
      chunk('b', { messageId: '1' }),
      chunk('c', { messageId: '2' }),
    );
    expect(lines).toEqual(['ab', '', 'c']);
  });

  it('behaviour 39: infers a new message if there are no ids', () => {
    const thought = { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } };
    const { state } = showUpdates(
      chunk('a'),
      chunk('b'),
      thought,
      chunk('c'),
      call({ title: 'Do it' }),
      chunk('d'),
    );
    const said = state.entries.map((entry) =>
      entry.kind === 'message' ? entry.text.toString() : entry.kind,
    );
    expect(said).toEqual(['go', 'ab', 'hm', 'c', 'tool', 'd']);
  });

  it('behaviour 40: shows a status line that is sent as text unchanged', () => {
    expect(showUpdates(chunk('Info: Operation cancelled')).lines).toEqual(['Info: Operation cancelled']);
  });

  it('behaviour 40: shows the name of a mode whose id is a URL', () => {
    const id = 'https://bakery.example/modes#night';
    const { state } = showUpdates(
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
      makeWinbar(state, 0)
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

  it('behaviour 42: shows a notice without ending the current message', () => {
    expect(showUpdates(chunk('Half an '), notice, chunk('answer.')).lines).toEqual([
      'Half an answer.',
      '',
      '! The oven is hot.',
      '  Mind it.',
    ]);
  });

  it('behaviour 42: shows a compaction as one entry where it was first reported', () => {
    const { lines } = showUpdates(
      compaction({ status: 'in_progress' }),
      chunk('Meanwhile.'),
      compaction({ status: 'completed' }),
      compaction({ status: 'completed' }),
    );
    expect(lines).toEqual(['✓ the agent continues with a summary of the conversation', '', 'Meanwhile.']);
  });

  it.each<[string, readonly unknown[], readonly string[]]>([
    [
      'its summary',
      [compaction({ status: 'completed', summary: [{ type: 'text', text: 'We baked.' }] })],
      ['✓ the agent continues with a summary of the conversation', '    We baked.'],
    ],
    [
      'a summary in pieces',
      [summary('We '), summary('baked.')],
      ['● compacting the conversation', '    We baked.'],
    ],
    ['a removed summary', [summary('We'), compaction({ summary: null })], ['● compacting the conversation']],
    [
      'an error',
      [compaction({ status: 'failed', error: 'no\nroom' })],
      ['✗ the conversation could not be compacted: no room'],
    ],
    [
      'a removed error',
      [
        compaction({ status: 'failed', error: 'no room' }),
        compaction({ status: 'in_progress', error: null }),
      ],
      ['● compacting the conversation'],
    ],
    [
      'an unknown status',
      [compaction({ status: 'simmering' })],
      ['· compacting the conversation (simmering)'],
    ],
  ])('behaviour 42: shows a compaction with %s', (_, updates, expected) => {
    expect(showUpdates(...updates).opened).toEqual(expected);
  });

  it.each<[string, object, string | undefined]>([
    ['only metadata', { _meta: { vendor: { status: 'idle' } } }, 'Bread'],
    ['only a time', { updatedAt: '2026-01-01T00:00:00Z' }, 'Bread'],
    ['a removed title', { title: null }, undefined],
    ['another title', { title: 'Rolls' }, 'Rolls'],
  ])('behaviour 42: applies session_info_update: %s', (_, fields, expected) => {
    const title = { sessionUpdate: 'session_info_update', title: 'Bread' };
    const { state, lines } = showUpdates(title, { sessionUpdate: 'session_info_update', ...fields });
    expect(state.title).toBe(expected);
    expect(lines).toEqual([]);
  });

  it('behaviours 28 and 42: advertises notices, compaction and terminal output', async () => {
    const piped = new PipedConnection();
    void initialize(piped.connection, 'tester', {
      offers: { files: false, terminals: false },
      transport: { label: { title: 'tester' }, isRemote: false, carriesRequests: true },
    }).catch(() => undefined);
    await piped.allAnswers();
    expect(piped.written[0]?.params).toMatchObject({
      clientCapabilities: { session: { notices: {}, compaction: {} }, _meta: { terminal_output: true } },
    });
    piped.connection.dispose();
  });
});

describe('plans', () => {
  it('an empty plan removes the previous one', () => {
    const plan = (entries: unknown) => ({ sessionUpdate: 'plan', entries });
    expect(showUpdates(plan(items('Knead', 'Bake')), plan([])).lines).toEqual([]);
    expect(showUpdates(plan([])).lines).toEqual([]);
    expect(showUpdates(plan(items('Knead')), plan([]), plan(items('Bake'))).lines).toEqual([
      'Plan 0/1',
      '  ○ Bake',
    ]);
  });

  it.each<[string, object, readonly string[]]>([
    ['a list', { type: 'items', entries: items('Knead') }, ['Plan 0/1', '  ○ Knead']],
    ['Markdown', { type: 'markdown', content: '1. Knead\n2. Bake' }, ['Plan', '1. Knead', '2. Bake']],
    ['a file', { type: 'file', uri: 'file:///home/me/plan.md' }, ['Plan', 'file:///home/me/plan.md']],
  ])('a plan with an id can be %s', (_, plan, expected) => {
    const update = { sessionUpdate: 'plan_update', plan: { planId: 'p1', ...plan } };
    expect(showUpdates(update, update).lines).toEqual(expected);
  });

  it('several plans with ids are shown, and each can be removed', () => {
    const plan = (planId: string, ...texts: readonly string[]) => ({
      sessionUpdate: 'plan_update',
      plan: { type: 'items', planId, entries: items(...texts) },
    });
    const removed = { sessionUpdate: 'plan_removed', planId: 'p1' };
    const { lines } = showUpdates(plan('p1', 'Knead'), plan('p2', 'Sweep'), plan('p1', 'Bake'), removed);
    expect(lines.filter((line) => line !== '')).toEqual(['Plan 0/1', '  ○ Sweep']);
  });
});

describe('an unknown update', () => {
  it('is shown as one muted line per kind, with the latest one inside', () => {
    const hologram = (n: number) => ({ sessionUpdate: 'hologram_update', n });
    const { lines, opened } = showUpdates(hologram(1), chunk('Hello.'), hologram(2), {
      sessionUpdate: 'smell',
    });
    expect(lines).toEqual([
      '· acp.nvim does not support the update "hologram_update" that the agent sent',
      '',
      'Hello.',
      '',
      '· acp.nvim does not support the update "smell" that the agent sent',
    ]);
    expect(opened.slice(1, 5)).toEqual([
      '    {',
      '      "sessionUpdate": "hologram_update",',
      '      "n": 2',
      '    }',
    ]);
  });

  it('can be an update of a known kind with missing fields', () => {
    expect(showUpdates(more({ toolCallId: null })).lines).toEqual([
      '· acp.nvim does not support the update "tool_call_update" that the agent sent',
    ]);
  });
});
