import { describe, expect } from 'vitest';
import { it } from '../../support/agent-it.ts';
import { call, done, Stage, type Step, speech, stage, turn, update } from '../../support/stage.ts';

const wrapped = JSON.stringify({ error: { code: 400, message: 'the dough is too wet', status: 'BAD' } });

describe.concurrent('errors', () => {
  it.for<[string, object]>([
    ['in its message', { code: -32603, message: 'Internal error: the dough is too wet' }],
    [
      'in data.details',
      { code: -32603, message: 'Internal error', data: { details: 'the dough is too wet' } },
    ],
    [
      'in data.message',
      { code: -32603, message: 'Internal error', data: { message: 'the dough is too wet' } },
    ],
    ['as JSON in its message', { code: 400, message: wrapped }],
  ])('manner 35: says what went wrong when an error says it %s', async ([, fail], { workshop }) => {
    const played = stage(workshop, { expect: 'session/prompt', fail }, turn(speech('Better.')));
    await played.prompt();
    expect(played.lines()).toContain('! tester reports an error: the dough is too wet');
    expect(played.returned).toEqual(['go']);
    await played.prompt('again');
    expect(played.lines().at(-1)).toBe('Better.');
  });

  it('manner 35: shows an error that is the text of the answer', async ({ workshop }) => {
    const played = stage(workshop, turn(speech('Error: the dough is too wet')));
    await played.prompt();
    expect(played.lines().at(-1)).toBe('Error: the dough is too wet');
  });

  it('manner 35: says that a turn ended in silence', async ({ workshop }) => {
    const played = stage(workshop, turn());
    await played.prompt();
    expect(played.lines()).toContain('! The agent ended its turn without a word.');
  });

  it.for<[number, unknown]>([
    [-32602, undefined],
    [-32603, {}],
    [-32002, { uri: 's1' }],
    [-32602, 'Session not found: s1'],
  ])('manner 36: tells an unknown session the same way for %i %j', async ([code, data], { workshop }) => {
    const fail = { code, message: 'Session not found: s1', data };
    const played = stage(workshop, { expect: 'session/prompt', fail }, turn(speech('Found.')));
    await played.prompt();
    expect(played.lines()).toContain('! tester reports an error: Session not found: s1');
    expect(played.returned).toEqual(['go']);
    expect(played.session.state.phase).toBe('idle');
  });

  it('manner 37: takes usage from updates, and no harm from where else it stands', async ({ workshop }) => {
    const usage = { totalTokens: 5, inputTokens: 3, outputTokens: 2 };
    const played = stage(workshop, {
      expect: 'session/prompt',
      say: [
        speech('', { _meta: { usage } }),
        call('c1', { title: 'Bake it', status: 'completed' }),
        speech('', { _meta: { usage } }),
        speech('One '),
        speech('message.'),
        speech('', { _meta: { usage } }),
        speech('Another.'),
        update('usage_update', { used: 10, size: 100 }),
        update('usage_update', { used: 30, size: 100, cost: { amount: 0.25, currency: 'USD' } }),
      ],
      reply: { ...done, usage, _meta: { quota: { left: 3 } } },
    });
    await played.prompt();
    expect(played.session.state.entries.map(({ kind }) => kind)).toEqual([
      'message',
      'tool',
      'message',
      'message',
    ]);
    expect(played.lines().slice(-3)).toEqual(['One message.', '', 'Another.']);
    expect(played.winbar).toContain('30 %  $0.25');
  });

  it('manner 38: passes over fields of a session result that no schema knows', async ({ workshop }) => {
    const models = { currentModelId: 'rye', availableModels: [{ modelId: 'rye', name: 'Rye' }] };
    const played = stage(
      workshop,
      { expect: 'session/new', reply: { sessionId: 's1', models, shelf: [1], _meta: { x: 1 } } },
      turn(speech('Hello.')),
    );
    await played.prompt();
    expect(played.session.state.settings).toMatchObject([
      { category: 'model', current: 'rye', source: 'model' },
    ]);
    expect(played.lines().at(-1)).toBe('Hello.');
  });

  it('manner 41: replaces all options by those of the answer', async ({ workshop }) => {
    const select = (id: string, currentValue: string, values: readonly string[]) => ({
      id,
      name: id,
      type: 'select',
      currentValue,
      options: values.map((value) => ({ value, name: value })),
    });
    const flour = (value: string) => select('flour', value, ['rye', 'wheat']);
    const seeds = { id: 'seeds', name: 'Seeds', type: 'boolean', currentValue: false };
    const groups = [{ group: 'hot', name: 'Hot', options: [{ value: '250', name: '250 °' }] }];
    const heat = { ...select('heat', '250', []), options: groups };
    const played = stage(
      workshop,
      {
        expect: 'session/new',
        reply: { sessionId: 's1', configOptions: [flour('rye'), select('salt', 'low', ['low'])] },
      },
      { expect: 'session/set_config_option', reply: { configOptions: [flour('wheat'), seeds, heat] } },
      { expect: 'session/set_config_option', fail: { code: -32602, message: 'Unknown value: rye' } },
    );
    await played.phase('idle');
    await played.session.change('flour', 'wheat');
    expect(played.session.state.settings).toMatchObject([
      { id: 'flour', current: 'wheat' },
      { id: 'seeds', current: false, choices: [] },
      { id: 'heat', current: '250', choices: [{ value: '250', group: 'Hot' }] },
    ]);
    await played.session.change('flour', 'rye');
    expect(played.session.state.settings[0]).toMatchObject({ current: 'wheat' });
    expect(played.lines()).toContain('! tester reports an error: Unknown value: rye');
  });

  it('manner 43: ends a hanging turn by a cancel, whenever the answer comes', async ({ workshop }) => {
    const late: Step = { expect: 'session/cancel', to: 'session/prompt', reply: { stopReason: 'cancelled' } };
    const played = stage(
      workshop,
      { expect: 'session/prompt', say: [call('c1', { title: 'question', status: 'in_progress' })] },
      late,
      turn(speech('Back again.')),
    );
    await played.prompt('ask me', async () => {
      await played.shows('question');
      played.session.cancel();
    });
    expect(played.tools).toMatchObject([{ status: 'cancelled' }]);
    await played.prompt('still there?');
    expect(played.lines().at(-1)).toBe('Back again.');
  });

  it('manner 45: begins anew when a session is gone that should be there', async ({ workshop }) => {
    const played = new Stage(workshop, [
      { expect: 'initialize', reply: { protocolVersion: 1, agentCapabilities: { loadSession: true } } },
      { expect: 'session/load', fail: { code: -32602, message: 'Invalid session identifier "s0"' } },
      turn(speech('Whose bread?')),
    ]);
    const asked = { at: 0, event: { kind: 'turn_started', text: 'Bake a bread' } } as const;
    played.session.restore([asked]);
    played.session.goOnWith('s0');
    played.session.start();
    await played.phase('idle');
    await played.prompt('Is it done?');
    const shown = played.lines().join('\n');
    expect(shown).toMatch(/Bake a bread[\s\S]*Invalid session identifier "s0"[\s\S]*Whose bread\?/);
  });

  it('manner 45: shows of a session what is left of it when the agent has shortened it', async ({
    workshop,
  }) => {
    const played = new Stage(workshop, [
      { expect: 'initialize', reply: { protocolVersion: 1, agentCapabilities: { loadSession: true } } },
      { expect: 'session/load', say: [speech('Summary: we baked.')], reply: {} },
    ]);
    played.session.goOnWith('s1');
    played.session.start();
    await played.phase('idle');
    expect(played.lines().at(-1)).toBe('Summary: we baked.');
  });
});
