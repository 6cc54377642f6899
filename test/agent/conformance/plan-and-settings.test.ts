import { describe, expect } from 'vitest';
import { settingPicker, settingsPicker } from '../../../src/view/pickers.ts';
import { it } from '../../support/agent-it.ts';
import { meet } from '../../support/encounter.ts';
import { update } from '../../support/stage.ts';

const entry = (content: string, status = 'pending') => ({ content, priority: 'medium', status });
const select = (id: string, currentValue: string, values: readonly string[], fields: object = {}) => ({
  id,
  name: id,
  type: 'select',
  currentValue,
  options: values.map((value) => ({ value, name: `The ${value}` })),
  ...fields,
});
const flag = (id: string, currentValue: boolean) => ({ id, name: id, type: 'boolean', currentValue });
const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'act', name: 'Act' },
  ],
};
const opened = (fields: object) => ({ 'session/new': { sessionId: 's1', ...fields } });
const setOption = 'session/set_config_option';

describe.concurrent('what an agent tells of a session', () => {
  it('PLAN-1: each plan takes the place of the one before', async ({ workshop }) => {
    const encounter = await meet(workshop);
    const { agent } = encounter;
    await encounter.prompt();
    agent.say(update('plan', { entries: [entry('dig'), entry('sow'), entry('reap')] }));
    agent.say(update('plan', { entries: [entry('dig', 'completed'), entry('water')] }));
    await agent.isUnderstood();
    const lines = encounter.chat.join('\n');
    expect(lines).toMatch(/Plan 1\/2\n.*dig\n.*water/);
    expect(lines).not.toMatch(/sow|reap/);
    agent.say(update('plan', { entries: [] }));
    await agent.isUnderstood();
    expect(encounter.chat.join('\n')).not.toMatch(/dig|water/);
  });

  it('USE-1: the context and what it cost so far are shown, of an earlier session too', async ({
    workshop,
  }) => {
    const encounter = await meet(workshop, {
      capabilities: { loadSession: true },
      answers: { 'session/load': undefined },
    });
    const { agent, session } = encounter;
    session.goOnWith('s1');
    session.start();
    const load = await agent.hears('session/load');
    agent.say(update('usage_update', { used: 50, size: 200, cost: { amount: 0.5, currency: 'USD' } }));
    agent.reply(load, {});
    await encounter.phase('idle');
    expect(encounter.winbar).toContain('25 %  $0.50');
    agent.say(update('usage_update', { used: 100, size: 200, cost: { amount: 3, currency: 'credits' } }));
    await agent.isUnderstood();
    expect(encounter.winbar).toContain('50 %  3.00 credits');
    expect(encounter.winbar).not.toContain('25 %');
  });
});

describe.concurrent('settings', () => {
  it('MODE-1: are the options where there are any, else the modes', async ({ workshop }) => {
    const configOptions = [select('mode', 'plan', ['plan', 'edit'], { category: 'mode' })];
    const encounter = await meet(workshop, {
      answers: { ...opened({ modes, configOptions }), [setOption]: { configOptions } },
    });
    await encounter.begin();
    const { agent, session, state } = encounter;
    expect(state.settings.map(({ id, current }) => [id, current])).toEqual([['mode', 'plan']]);
    agent.say(update('current_mode_update', { currentModeId: 'act' }));
    await agent.isUnderstood();
    expect(state.settings[0]?.current).toBe('plan');
    await session.change('mode', 'edit');
    expect(agent.words.at(-1)).toBe(setOption);
    expect(agent.count('session/set_mode')).toBe(0);
  });

  it('MODE-2: can be changed while a turn runs', async ({ workshop }) => {
    const encounter = await meet(workshop, { answers: { ...opened({ modes }), 'session/set_mode': {} } });
    await encounter.begin();
    const { agent, session, state } = encounter;
    await encounter.prompt();
    await session.change('mode', 'act');
    expect(agent.heard.at(-1)?.params).toEqual({ sessionId: 's1', modeId: 'act' });
    expect([state.phase, state.settings[0]?.current]).toEqual(['running', 'act']);
    agent.say(update('current_mode_update', { currentModeId: 'ask' }));
    await agent.isUnderstood();
    expect([state.phase, encounter.winbar.includes('Ask')]).toEqual(['running', true]);
  });

  it('CFG-1: stand in the order of the agent, and the first of a kind is taken', async ({ workshop }) => {
    const configOptions = [
      select('z', '1', ['1', '0', '2']),
      select('second', 'b', ['b'], { category: 'mode' }),
      select('a', '1', ['1']),
      select('third', 'c', ['c'], { category: 'mode' }),
    ];
    const encounter = await meet(workshop, { answers: opened({ configOptions }) });
    await encounter.begin();
    const { settings } = encounter.state;
    const labels = settingsPicker(1, settings).items.map(({ label }) => label.split(':')[0]);
    expect(labels).toEqual(['z', 'second', 'a', 'third']);
    expect(settingPicker(1, settings[0]!).items.map(({ label }) => label)).toEqual([
      '● The 1',
      '  The 0',
      '  The 2',
    ]);
    expect(encounter.winbar).toContain('The b');
    expect(encounter.winbar).not.toContain('The c');
  });

  it('CFG-2: need no category, and may have one that nobody knows', async ({ workshop }) => {
    const configOptions = [undefined, null, '', '_own', 'model_config', 'x'.repeat(500)].map(
      (category, index) => select(`o${index}`, 'a', ['a', 'b'], { category }),
    );
    const encounter = await meet(workshop, {
      answers: { ...opened({ configOptions }), [setOption]: { configOptions } },
    });
    await encounter.begin();
    const { agent, session, state } = encounter;
    expect(state.settings.map(({ id }) => id)).toEqual(configOptions.map(({ id }) => id));
    for (const { id } of state.settings) await session.change(id, 'b');
    expect(agent.heard.slice(-6).map(({ params }) => params.configId)).toEqual(
      configOptions.map(({ id }) => id),
    );
  });

  it('CFG-3: of an unknown type are left out', async ({ workshop }) => {
    const configOptions = [
      { id: 'slider', name: 'Slider', type: 'range', currentValue: 3, min: 0, max: 9 },
      select('known', 'a', ['a']),
      { id: 'untyped', name: 'Untyped', currentValue: 'a' },
      flag('on', true),
    ];
    const encounter = await meet(workshop, { answers: opened({ configOptions }) });
    await encounter.begin();
    expect(encounter.state.settings.map(({ id }) => id)).toEqual(['known', 'on']);
  });

  it('CFG-4: are replaced as a whole, by an answer and by a report', async ({ workshop }) => {
    const before = [select('model', 'a', ['a', 'b']), flag('fast', false)];
    const encounter = await meet(workshop, {
      answers: {
        ...opened({ configOptions: before }),
        [setOption]: { configOptions: [select('model', 'b', ['a', 'b']), select('effort', 'low', ['low'])] },
      },
    });
    await encounter.begin();
    const { agent, session, state } = encounter;
    const shown = () => state.settings.map(({ id, current }) => `${id}=${current}`);
    expect(shown()).toEqual(['model=a', 'fast=false']);
    await session.change('model', 'b');
    expect(shown()).toEqual(['model=b', 'effort=low']);
    agent.say(update('config_option_update', { configOptions: [flag('fast', true)] }));
    await agent.isUnderstood();
    expect(shown()).toEqual(['fast=true']);
  });

  it('CFG-5: are set to what they offer, and by name of the type only where it is on or off', async ({
    workshop,
  }) => {
    const configOptions = [
      select('model', 'a', ['a', 'b']),
      {
        ...select('group', 'x', []),
        options: [{ group: 'g', name: 'G', options: [{ value: 'x', name: 'X' }] }],
      },
      flag('fast', false),
    ];
    const encounter = await meet(workshop, {
      answers: { ...opened({ configOptions, modes }), [setOption]: { configOptions } },
    });
    await encounter.begin();
    const { agent, session } = encounter;
    const sessionId = 's1';
    await session.change('model', 'b');
    await session.change('group', 'x');
    await session.change('fast', true);
    const wrong: [string, string | boolean][] = [
      ['model', 'c'],
      ['model', true],
      ['group', 'g'],
      ['fast', 'true'],
    ];
    for (const [id, value] of wrong) await session.change(id, value);
    await agent.isUnderstood();
    expect(agent.heard.filter(({ method }) => method === setOption).map(({ params }) => params)).toEqual([
      { sessionId, configId: 'model', value: 'b' },
      { sessionId, configId: 'group', value: 'x' },
      { sessionId, configId: 'fast', type: 'boolean', value: true },
    ]);
    expect(encounter.outline.at(-1)).toBe('warning: fast can\'t be set to "true".');
  });

  it('CFG-6: are what the agent answers, whatever was chosen', async ({ workshop }) => {
    const configOptions = [select('model', 'a', ['a', 'b'])];
    const encounter = await meet(workshop, {
      answers: { ...opened({ configOptions }), [setOption]: { configOptions } },
    });
    await encounter.begin();
    await encounter.session.change('model', 'b');
    expect(encounter.agent.count(setOption)).toBe(1);
    expect(encounter.state.settings[0]?.current).toBe('a');
  });
});
