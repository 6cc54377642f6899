import { describe, expect } from 'vitest';
import { settingPicker, settingsPicker } from '../../../src/view/pickers/settings.ts';
import { it } from '../../support/agents/agent-harness.ts';
import { update } from '../../support/agents/messages.ts';
import { aScenario } from '../../support/agents/session-scenario.ts';

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

describe.concurrent('session updates', () => {
  it('PLAN-1: each plan replaces the previous one', async ({ harness }) => {
    const scenario = aScenario(harness);
    const { agent } = scenario;
    await scenario.prompt();
    agent.send(update('plan', { entries: [entry('dig'), entry('sow'), entry('reap')] }));
    agent.send(update('plan', { entries: [entry('dig', 'completed'), entry('water')] }));
    await agent.waitUntilProcessed();
    const lines = scenario.chat.join('\n');
    expect(lines).toMatch(/Plan 1\/2\n.*dig\n.*water/);
    expect(lines).not.toMatch(/sow|reap/);
    agent.send(update('plan', { entries: [] }));
    await agent.waitUntilProcessed();
    expect(scenario.chat.join('\n')).not.toMatch(/dig|water/);
  });

  it('USE-1: context usage and cost are shown, also for an earlier session', async ({ harness }) => {
    const scenario = aScenario(harness, {
      capabilities: { loadSession: true },
      answers: { 'session/load': undefined },
    });
    const { agent, session } = scenario;
    session.continueSession('s1');
    session.start();
    const load = await agent.receive('session/load');
    agent.send(update('usage_update', { used: 50, size: 200, cost: { amount: 0.5, currency: 'USD' } }));
    agent.reply(load, {});
    await scenario.phase('idle');
    expect(scenario.winbar).toContain('25 %  $0.50');
    agent.send(update('usage_update', { used: 100, size: 200, cost: { amount: 3, currency: 'credits' } }));
    await agent.waitUntilProcessed();
    expect(scenario.winbar).toContain('50 %  3.00 credits');
    expect(scenario.winbar).not.toContain('25 %');
  });
});

describe.concurrent('settings', () => {
  it('MODE-1: are the config options if there are any, otherwise the modes', async ({ harness }) => {
    const configOptions = [select('mode', 'plan', ['plan', 'edit'], { category: 'mode' })];
    const scenario = aScenario(harness, {
      answers: { ...opened({ modes, configOptions }), [setOption]: { configOptions } },
    });
    await scenario.begin();
    const { agent, session, state } = scenario;
    expect(state.settings.map(({ id, current }) => [id, current])).toEqual([['mode', 'plan']]);
    agent.send(update('current_mode_update', { currentModeId: 'act' }));
    await agent.waitUntilProcessed();
    expect(state.settings[0]?.current).toBe('plan');
    await session.changeSetting('mode', 'edit');
    expect(agent.receivedMethods.at(-1)).toBe(setOption);
    expect(agent.count('session/set_mode')).toBe(0);
  });

  it('MODE-2: can be changed during a turn', async ({ harness }) => {
    const scenario = aScenario(harness, { answers: { ...opened({ modes }), 'session/set_mode': {} } });
    await scenario.begin();
    const { agent, session, state } = scenario;
    await scenario.prompt();
    await session.changeSetting('mode', 'act');
    expect(agent.received.at(-1)?.params).toEqual({ sessionId: 's1', modeId: 'act' });
    expect([state.phase, state.settings[0]?.current]).toEqual(['running', 'act']);
    agent.send(update('current_mode_update', { currentModeId: 'ask' }));
    await agent.waitUntilProcessed();
    expect([state.phase, scenario.winbar.includes('Ask')]).toEqual(['running', true]);
  });

  it('CFG-1: keep the order of the agent, and the first of a category is used', async ({ harness }) => {
    const configOptions = [
      select('z', '1', ['1', '0', '2']),
      select('second', 'b', ['b'], { category: 'mode' }),
      select('a', '1', ['1']),
      select('third', 'c', ['c'], { category: 'mode' }),
    ];
    const scenario = aScenario(harness, { answers: opened({ configOptions }) });
    await scenario.begin();
    const { settings } = scenario.state;
    const labels = settingsPicker(1, settings).items.map(({ label }) => label.split(':')[0]);
    expect(labels).toEqual(['z', 'second', 'a', 'third']);
    expect(settingPicker(1, settings[0]!).items.map(({ label }) => label)).toEqual([
      '› The 1',
      '  The 0',
      '  The 2',
    ]);
    expect(scenario.winbar).toContain('The b');
    expect(scenario.winbar).not.toContain('The c');
  });

  it('CFG-2: need no category and may have an unknown one', async ({ harness }) => {
    const configOptions = [undefined, null, '', '_own', 'model_config', 'x'.repeat(500)].map(
      (category, index) => select(`o${index}`, 'a', ['a', 'b'], { category }),
    );
    const scenario = aScenario(harness, {
      answers: { ...opened({ configOptions }), [setOption]: { configOptions } },
    });
    await scenario.begin();
    const { agent, session, state } = scenario;
    expect(state.settings.map(({ id }) => id)).toEqual(configOptions.map(({ id }) => id));
    for (const { id } of state.settings) await session.changeSetting(id, 'b');
    expect(agent.received.slice(-6).map(({ params }) => params.configId)).toEqual(
      configOptions.map(({ id }) => id),
    );
  });

  it('CFG-3: of an unknown type are left out', async ({ harness }) => {
    const configOptions = [
      { id: 'slider', name: 'Slider', type: 'range', currentValue: 3, min: 0, max: 9 },
      select('known', 'a', ['a']),
      { id: 'untyped', name: 'Untyped', currentValue: 'a' },
      flag('on', true),
    ];
    const scenario = aScenario(harness, { answers: opened({ configOptions }) });
    await scenario.begin();
    expect(scenario.state.settings.map(({ id }) => id)).toEqual(['known', 'on']);
  });

  it('CFG-4: are replaced as a whole, by a response and by an update', async ({ harness }) => {
    const before = [select('model', 'a', ['a', 'b']), flag('fast', false)];
    const scenario = aScenario(harness, {
      answers: {
        ...opened({ configOptions: before }),
        [setOption]: { configOptions: [select('model', 'b', ['a', 'b']), select('effort', 'low', ['low'])] },
      },
    });
    await scenario.begin();
    const { agent, session, state } = scenario;
    const shown = () => state.settings.map(({ id, current }) => `${id}=${current}`);
    expect(shown()).toEqual(['model=a', 'fast=false']);
    await session.changeSetting('model', 'b');
    expect(shown()).toEqual(['model=b', 'effort=low']);
    agent.send(update('config_option_update', { configOptions: [flag('fast', true)] }));
    await agent.waitUntilProcessed();
    expect(shown()).toEqual(['fast=true']);
  });

  it('CFG-5: are set only to offered values, and send a type only for booleans', async ({ harness }) => {
    const configOptions = [
      select('model', 'a', ['a', 'b']),
      {
        ...select('group', 'x', []),
        options: [{ group: 'g', name: 'G', options: [{ value: 'x', name: 'X' }] }],
      },
      flag('fast', false),
    ];
    const scenario = aScenario(harness, {
      answers: { ...opened({ configOptions, modes }), [setOption]: { configOptions } },
    });
    await scenario.begin();
    const { agent, session } = scenario;
    const sessionId = 's1';
    await session.changeSetting('model', 'b');
    await session.changeSetting('group', 'x');
    await session.changeSetting('fast', true);
    const wrong: [string, string | boolean][] = [
      ['model', 'c'],
      ['model', true],
      ['group', 'g'],
      ['fast', 'true'],
    ];
    for (const [id, value] of wrong) await session.changeSetting(id, value);
    await agent.waitUntilProcessed();
    expect(agent.received.filter(({ method }) => method === setOption).map(({ params }) => params)).toEqual([
      { sessionId, configId: 'model', value: 'b' },
      { sessionId, configId: 'group', value: 'x' },
      { sessionId, configId: 'fast', type: 'boolean', value: true },
    ]);
    expect(scenario.outline.at(-1)).toBe('warning: fast can\'t be set to "true".');
  });

  it('CFG-6: show what the agent answers, whatever was chosen', async ({ harness }) => {
    const configOptions = [select('model', 'a', ['a', 'b'])];
    const scenario = aScenario(harness, {
      answers: { ...opened({ configOptions }), [setOption]: { configOptions } },
    });
    await scenario.begin();
    await scenario.session.changeSetting('model', 'b');
    expect(scenario.agent.count(setOption)).toBe(1);
    expect(scenario.state.settings[0]?.current).toBe('a');
  });
});
