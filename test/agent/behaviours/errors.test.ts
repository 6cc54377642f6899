import { describe, expect } from 'vitest';
import { it } from '../../support/agents/agent-harness.ts';
import { call, done, speech, update } from '../../support/agents/messages.ts';
import type { Step } from '../../support/agents/scripted-agent.ts';
import { aScenario, playSteps, turn } from '../../support/agents/session-scenario.ts';

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
  ])('behaviour 35: shows the cause of an error that stands %s', async ([, fail], { harness }) => {
    const scenario = playSteps(harness, { expect: 'session/prompt', fail }, turn(speech('Better.')));
    await scenario.promptAndWait();
    expect(scenario.chat).toContain('! Tester reports an error: the dough is too wet');
    expect(scenario.returned).toEqual(['go']);
    await scenario.promptAndWait('again');
    expect(scenario.chat.at(-1)).toBe('Better.');
  });

  it('behaviour 35: shows an error that is sent as a message', async ({ harness }) => {
    const scenario = playSteps(harness, turn(speech('Error: the dough is too wet')));
    await scenario.promptAndWait();
    expect(scenario.chat.at(-1)).toBe('Error: the dough is too wet');
  });

  it('behaviour 35: reports a turn that ended without a message', async ({ harness }) => {
    const scenario = playSteps(harness, turn());
    await scenario.promptAndWait();
    expect(scenario.chat).toContain('! The agent ended the turn without an answer.');
  });

  it.for<[number, unknown]>([
    [-32602, undefined],
    [-32603, {}],
    [-32002, { uri: 's1' }],
    [-32602, 'Session not found: s1'],
  ])(
    'behaviour 36: reports an unknown session in the same way for %i %j',
    async ([code, data], { harness }) => {
      const fail = { code, message: 'Session not found: s1', data };
      const scenario = playSteps(harness, { expect: 'session/prompt', fail }, turn(speech('Found.')));
      await scenario.promptAndWait();
      expect(scenario.chat).toContain('! Tester reports an error: Session not found: s1');
      expect(scenario.returned).toEqual(['go']);
      expect(scenario.session.state.phase).toBe('idle');
    },
  );

  it('behaviour 37: reads usage from updates and ignores it elsewhere', async ({ harness }) => {
    const usage = { totalTokens: 5, inputTokens: 3, outputTokens: 2 };
    const scenario = playSteps(harness, {
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
    await scenario.promptAndWait();
    expect(scenario.session.state.entries.map(({ kind }) => kind)).toEqual([
      'message',
      'tool',
      'message',
      'message',
    ]);
    expect(scenario.chat.slice(-3)).toEqual(['One message.', '', 'Another.']);
    expect(scenario.winbar).toContain('30 %  $0.25');
  });

  it('behaviour 38: ignores unknown fields of a session result', async ({ harness }) => {
    const models = { currentModelId: 'rye', availableModels: [{ modelId: 'rye', name: 'Rye' }] };
    const scenario = playSteps(
      harness,
      { expect: 'session/new', reply: { sessionId: 's1', models, shelf: [1], _meta: { x: 1 } } },
      turn(speech('Hello.')),
    );
    await scenario.promptAndWait();
    expect(scenario.session.state.settings).toMatchObject([
      { category: 'model', current: 'rye', source: 'model' },
    ]);
    expect(scenario.chat.at(-1)).toBe('Hello.');
  });

  it('behaviour 41: replaces all options by those of the response', async ({ harness }) => {
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
    const scenario = playSteps(
      harness,
      {
        expect: 'session/new',
        reply: { sessionId: 's1', configOptions: [flour('rye'), select('salt', 'low', ['low'])] },
      },
      { expect: 'session/set_config_option', reply: { configOptions: [flour('wheat'), seeds, heat] } },
      { expect: 'session/set_config_option', fail: { code: -32602, message: 'Unknown value: rye' } },
    );
    await scenario.phase('idle');
    await scenario.session.changeSetting('flour', 'wheat');
    expect(scenario.session.state.settings).toMatchObject([
      { id: 'flour', current: 'wheat' },
      { id: 'seeds', current: false, choices: [] },
      { id: 'heat', current: '250', choices: [{ value: '250', group: 'Hot' }] },
    ]);
    await scenario.session.changeSetting('flour', 'rye');
    expect(scenario.session.state.settings[0]).toMatchObject({ current: 'wheat' });
    expect(scenario.chat).toContain('! Tester reports an error: Unknown value: rye');
  });

  it('behaviour 43: ends a hanging turn by a cancel, whenever the response arrives', async ({ harness }) => {
    const late: Step = { expect: 'session/cancel', to: 'session/prompt', reply: { stopReason: 'cancelled' } };
    const scenario = playSteps(
      harness,
      { expect: 'session/prompt', say: [call('c1', { title: 'question', status: 'in_progress' })] },
      late,
      turn(speech('Back again.')),
    );
    await scenario.promptAndWait('ask me', async () => {
      await scenario.shows('question');
      scenario.session.cancel();
    });
    expect(scenario.tools).toMatchObject([{ status: 'cancelled' }]);
    await scenario.promptAndWait('still there?');
    expect(scenario.chat.at(-1)).toBe('Back again.');
  });

  it('behaviour 45: starts a new session if the saved one no longer exists', async ({ harness }) => {
    const scenario = aScenario(harness, {
      steps: [
        { expect: 'initialize', reply: { protocolVersion: 1, agentCapabilities: { loadSession: true } } },
        { expect: 'session/load', fail: { code: -32602, message: 'Invalid session identifier "s0"' } },
        turn(speech('Whose bread?')),
      ],
    });
    const asked = { at: 0, event: { kind: 'turn_started', text: 'Bake a bread' } } as const;
    scenario.session.replayJournal([asked]);
    scenario.session.continueSession('s0');
    scenario.session.start();
    await scenario.phase('idle');
    await scenario.promptAndWait('Is it done?');
    const shown = scenario.chat.join('\n');
    expect(shown).toMatch(/Bake a bread[\s\S]*Invalid session identifier "s0"[\s\S]*Whose bread\?/);
  });

  it('behaviour 45: shows the rest of a session that the agent has shortened', async ({ harness }) => {
    const scenario = aScenario(harness, {
      steps: [
        { expect: 'initialize', reply: { protocolVersion: 1, agentCapabilities: { loadSession: true } } },
        { expect: 'session/load', say: [speech('Summary: we baked.')], reply: {} },
      ],
    });
    scenario.session.continueSession('s1');
    scenario.session.start();
    await scenario.phase('idle');
    expect(scenario.chat.at(-1)).toBe('Summary: we baked.');
  });
});
