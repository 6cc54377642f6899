import { describe, expect } from 'vitest';
import { AgentPool } from '../../src/acp/agent-pool.ts';
import { textPrompt } from '../../src/model/prompt.ts';
import { it } from '../support/agents/agent-harness.ts';
import { done, speech, update } from '../support/agents/messages.ts';
import { aScenario } from '../support/agents/session-scenario.ts';

const usage = update('usage_update', { used: 50, size: 200 });

describe.concurrent('an idle agent that was ended', () => {
  it('is started by the next prompt and continues the session, without a notice', async ({ harness }) => {
    const scenario = aScenario(harness, {
      capabilities: { loadSession: true, sessionCapabilities: { resume: {} } },
      answers: { 'session/resume': {} },
    });
    const { agent, session, state } = scenario;
    await scenario.begin();
    await scenario.turn(usage);
    await session.rest();
    expect(agent.isInputClosed).toBe(true);
    expect([state.phase, state.isEndedIdle]).toEqual(['down', true]);
    const before = state.entries.length;
    expect(state.usage?.used).toBe(50);
    const prompt = await scenario.prompt('again');
    expect(agent.received.findLast(({ method }) => method === 'session/resume')?.params.sessionId).toBe('s1');
    agent.send(usage, speech('Here I am.'), { id: prompt.id, result: done });
    await scenario.phase('idle');
    expect([agent.starts, state.isEndedIdle]).toEqual([2, false]);
    expect(scenario.outline.slice(before)).toEqual(['user: again', 'agent: Here I am.']);
    expect(scenario.returned).toEqual([]);
  });

  it('opens a new session if nothing was said', async ({ harness }) => {
    const scenario = aScenario(harness, { capabilities: { loadSession: true } });
    await scenario.begin();
    await scenario.session.rest();
    await scenario.prompt();
    expect(scenario.agent.count('session/new')).toBe(2);
    expect(scenario.agent.count('session/load')).toBe(0);
    expect(scenario.outline).toEqual(['user: go']);
  });

  it('is started only after its program has ended, although a prompt comes before', async ({ harness }) => {
    let isGone = false;
    const goneAtLaunch: boolean[] = [];
    const scenario = aScenario(harness, {
      capabilities: { loadSession: true },
      answers: { 'session/load': {} },
      launcher: new AgentPool({
        launch: (spec) => {
          goneAtLaunch.push(isGone);
          const link = harness.launch(spec);
          void link.gone.then(() => {
            isGone = true;
          });
          return link;
        },
      }),
    });
    await scenario.begin();
    await scenario.turn();
    const resting = scenario.session.rest();
    scenario.session.send(textPrompt('at once'));
    expect(scenario.state.phase).toBe('down');
    await resting;
    await scenario.agent.receive('session/prompt');
    expect(goneAtLaunch).toEqual([false, true]);
  });

  it('gives the prompt back if it does not know the session any more', async ({ harness }) => {
    const scenario = aScenario(harness, {
      capabilities: { loadSession: true },
      answers: { 'session/load': undefined },
    });
    await scenario.begin();
    await scenario.turn();
    await scenario.session.rest();
    scenario.session.send(textPrompt('and then?'));
    scenario.agent.fail(await scenario.agent.receive('session/load'), -32002, 'no such session');
    await scenario.phase('idle');
    expect(scenario.returned).toEqual(['and then?']);
    expect(scenario.agent.count('session/prompt')).toBe(1);
    // The second time the user knows it.
    await scenario.prompt('and then?');
    expect(scenario.outline.at(-2)).toMatch(/^warning: The earlier session could not be reopened/);
  });

  it('is started by a change of a setting', async ({ harness }) => {
    const modes = {
      currentModeId: 'ask',
      availableModes: [
        { id: 'ask', name: 'Ask' },
        { id: 'act', name: 'Act' },
      ],
    };
    const scenario = aScenario(harness, {
      capabilities: { loadSession: true },
      answers: {
        'session/new': { sessionId: 's1', modes },
        'session/load': { modes },
        'session/set_mode': {},
      },
    });
    await scenario.begin();
    await scenario.turn();
    await scenario.session.rest();
    await scenario.session.changeSetting('mode', 'act');
    expect(scenario.state.settings[0]?.current).toBe('act');
    expect(scenario.agent.count('session/load')).toBe(1);
  });

  it('leaves nothing behind when the chat ends at the same time', async ({ harness }) => {
    const scenario = aScenario(harness, { capabilities: { loadSession: true } });
    await scenario.begin();
    const resting = scenario.session.rest();
    scenario.session.send(textPrompt('too late'));
    await Promise.all([scenario.session.end(), resting]);
    expect(scenario.agent.starts).toBe(1);
  });
});
