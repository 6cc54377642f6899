import { describe, expect } from 'vitest';
import type { SettingWish } from '../../src/model/settings/setting-names.ts';
import { it } from '../support/agents/agent-harness.ts';
import { update } from '../support/agents/messages.ts';
import { aScenario, type ScenarioOptions } from '../support/agents/session-scenario.ts';

const select = (id: string, currentValue: string, values: readonly string[]) => ({
  id,
  name: id,
  category: id,
  type: 'select',
  currentValue,
  options: values.map((value) => ({ value, name: `The ${value}` })),
});
const setOption = 'session/set_config_option';

/** An agent with a mode and a model that it remembers for the session. */
function withSettings(settings: readonly SettingWish[], options: ScenarioOptions = {}) {
  const values: Record<string, string> = { mode: 'ask', model: 'small' };
  const configOptions = () => [
    select('mode', values.mode!, ['ask', 'plan', 'planning']),
    select('model', values.model!, ['small', 'large']),
  ];
  const opened = () => ({ sessionId: 's1', configOptions: configOptions() });
  const answers = {
    'session/new': opened,
    'session/load': () => {
      Object.assign(values, { mode: 'ask', model: 'small' });
      return opened();
    },
    [setOption]: ({ configId, value }: { configId: string; value: string }) => {
      values[configId] = value;
      return { configOptions: configOptions() };
    },
    ...options.answers,
  };
  return { ...options, spec: { ...options.spec, settings }, answers };
}

const wish = (category: string, value: string): SettingWish => ({
  query: { category },
  value,
  source: `agents.tester.${category}`,
});

describe.concurrent('a new session', () => {
  it('gets the configured values before the first prompt, the model first', async ({ harness }) => {
    const scenario = aScenario(harness, withSettings([wish('mode', 'plan'), wish('model', 'The large')]));
    await scenario.prompt();
    const { agent, state } = scenario;
    expect(agent.receivedMethods).toEqual([
      'initialize',
      'session/new',
      setOption,
      setOption,
      'session/prompt',
    ]);
    expect(state.settings.map(({ current }) => current)).toEqual(['plan', 'large']);
    const changed = agent.received.filter(({ method }) => method === setOption);
    expect(changed.map(({ params }) => params.configId)).toEqual(['model', 'mode']);
    expect(scenario.outline.filter((line) => !line.startsWith('user'))).toEqual([]);
  });

  it('gets values of settings that the agent sends after it has opened the session', async ({ harness }) => {
    const scenario = aScenario(
      harness,
      withSettings([wish('mode', 'plan'), wish('model', 'large')], { answers: { 'session/new': undefined } }),
    );
    const { agent, session, state } = scenario;
    session.start();
    session.send({ text: 'go', attachments: [] });
    agent.reply(await agent.receive('session/new'), { sessionId: 's1' });
    const mode = select('mode', 'ask', ['ask', 'plan']);
    agent.send(update('config_option_update', { configOptions: [mode] }));
    const model = select('model', 'small', ['small', 'large']);
    agent.send(update('config_option_update', { configOptions: [mode, model] }));
    await agent.receive('session/prompt');
    expect(agent.receivedMethods.slice(2)).toEqual([setOption, setOption, 'session/prompt']);
    expect(state.settings.map(({ current }) => current)).toEqual(['plan', 'large']);
    expect(scenario.outline.filter((line) => !line.startsWith('user'))).toEqual([]);
  });

  it('is sent nothing for values that it has', async ({ harness }) => {
    const scenario = aScenario(harness, withSettings([wish('mode', 'ask')]));
    await scenario.begin();
    expect(scenario.agent.count(setOption)).toBe(0);
  });

  it.for<[string, SettingWish, string]>([
    ['an unknown value', wish('mode', 'fly'), 'Tester has no mode "fly" (agents.tester.mode).'],
    ['a name of several values', wish('mode', 'pla'), 'Tester has no mode "pla" (agents.tester.mode).'],
    ['an unknown setting', wish('colour', 'red'), 'Tester has no setting "colour" (agents.tester.colour).'],
  ])('says what the agent offers instead of %s, and opens', async ([, unknown, title], { harness }) => {
    const scenario = aScenario(harness, withSettings([unknown, wish('model', 'large')]));
    await scenario.begin();
    expect(scenario.state.entries).toMatchObject([{ kind: 'notice', severity: 'warning', title }]);
    const hint = unknown.query.category === 'mode' ? 'ask, plan, planning' : 'mode, model';
    expect(scenario.state.entries[0]).toMatchObject({ hint: `It offers: ${hint}.` });
    expect(scenario.state.settings[1]?.current).toBe('large');
  });

  it('opens although the agent refuses a value', async ({ harness }) => {
    const refusing = withSettings([wish('mode', 'plan')], { answers: { [setOption]: undefined } });
    const scenario = aScenario(harness, refusing);
    scenario.session.start();
    scenario.agent.fail(await scenario.agent.receive(setOption), -32602, 'not today');
    await scenario.phase('idle');
    expect(scenario.outline.at(-1)).toMatch(/^warning: mode could not be set: .*not today/);
  });

  it('gets what the user chose while it was opened', async ({ harness }) => {
    const scenario = aScenario(harness, withSettings([wish('mode', 'planning')]));
    scenario.session.start();
    scenario.session.settings.wish({ category: 'mode' }, 'plan');
    await scenario.phase('idle');
    expect(scenario.state.settings[0]?.current).toBe('plan');
  });
});

describe.concurrent('a session whose agent is restarted', () => {
  it.for([true, false])('keeps its values; it can be loaded: %s', async (loadSession, { harness }) => {
    const options = withSettings([wish('model', 'large')], { capabilities: { loadSession } });
    const scenario = aScenario(harness, options);
    await scenario.begin();
    await scenario.session.changeSetting('mode', 'plan');
    await scenario.session.changeSetting('model', 'small');
    await scenario.session.restart();
    await scenario.phase('idle');
    expect(scenario.state.settings.map(({ current }) => current)).toEqual(['plan', 'small']);
  });

  it('keeps the values of the agent if the user has chosen it from the list of sessions', async ({
    harness,
  }) => {
    const options = withSettings([wish('mode', 'plan')], { capabilities: { loadSession: true } });
    const scenario = aScenario(harness, options);
    scenario.session.continueSession('s1');
    await scenario.begin();
    expect(scenario.agent.count(setOption)).toBe(0);
  });
});
