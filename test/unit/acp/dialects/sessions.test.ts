import { describe, expect, it } from 'vitest';
import { DialectHarness, type Wire } from '../../../support/dialects/dialect-harness.ts';
import { violationsOfResult } from '../../../support/schema.ts';

const code = { id: 'code', name: 'Code', description: 'Writes' };
const ask = { id: 'ask', name: 'Ask' };
const models = {
  currentModelId: 'fast',
  availableModels: [{ modelId: 'fast', name: 'Fast', description: 'Quick' }, { modelId: 'deep' }],
};
const model = {
  id: 'model',
  name: 'Model',
  category: 'model',
  type: 'select',
  currentValue: 'fast',
  options: [
    { value: 'fast', name: 'Fast', description: 'Quick' },
    { value: 'deep', name: 'deep' },
  ],
  _meta: { 'acp.nvim/method': 'session/set_model' },
};
const effort = { id: 'effort', name: 'Effort', type: 'boolean', currentValue: true };

describe('result of session/new', () => {
  it.each<[rule: string, what: string, wire: Wire, canonical: Wire]>([
    [
      'A: modes list',
      'with its sibling',
      { sessionId: 's1', modes: [code, ask], currentModeId: 'ask' },
      { sessionId: 's1', modes: { currentModeId: 'ask', availableModes: [code, ask] } },
    ],
    [
      'A: modes list',
      'alone',
      { sessionId: 's1', modes: [code, ask] },
      { sessionId: 's1', modes: { currentModeId: 'code', availableModes: [code, ask] } },
    ],
    ['A: modes list', 'empty', { sessionId: 's1', modes: [] }, { sessionId: 's1' }],
    [
      'B: mode modeId, title',
      'in a list',
      { sessionId: 's1', modes: [{ modeId: 'ask', title: 'Ask' }] },
      { sessionId: 's1', modes: { currentModeId: 'ask', availableModes: [ask] } },
    ],
    [
      'OLD: models',
      'alone',
      { sessionId: 's1', models },
      { sessionId: 's1', models, configOptions: [model] },
    ],
    [
      'OLD: models',
      'beside other options',
      { sessionId: 's1', models, configOptions: [effort] },
      { sessionId: 's1', models, configOptions: [effort, model] },
    ],
    ['any: snake_case keys', 'of the session', { session_id: 's1' }, { sessionId: 's1' }],
  ])('%s: %s', (rule, _, wire, canonical) => {
    for (const method of ['session/new', 'session/load', 'session/resume']) {
      const talk = new DialectHarness();
      const result = talk.result(method, wire);
      expect(result).toEqual(canonical);
      expect(talk.rules).toContain(rule);
      expect(violationsOfResult(method, result)).toEqual([]);
    }
  });

  it.each<[string, Wire]>([
    ['A: load with a sessionId', { sessionId: 's1' }],
    ['models beside an option for them', { sessionId: 's1', models, configOptions: [model] }],
    ['models nobody can choose from', { sessionId: 's1', models: { currentModelId: 5 } }],
  ])('is not changed: %s', (_, wire) => expect(new DialectHarness().result('session/new', wire)).toBe(wire));
});

describe('B,E: sessionModes of initialize', () => {
  it.each<[string, Wire, readonly Wire[]]>([
    [
      'B: objects',
      { agentCapabilities: { sessionModes: [{ modeId: 'code', title: 'Code', description: 'Writes' }] } },
      [code],
    ],
    ['E: words', { capabilities: { sessionModes: ['code', 'ask'] } }, [{ id: 'code', name: 'Code' }, ask]],
  ])('%s', (_, initialize, availableModes) => {
    const talk = new DialectHarness();
    talk.result('initialize', initialize);
    for (const none of [{ sessionId: 's1' }, { sessionId: 's1', modes: null }]) {
      const modes = { currentModeId: 'code', availableModes };
      expect(talk.result('session/new', none)).toEqual({ sessionId: 's1', modes });
    }
    expect(talk.rules).toContain('B,E: sessionModes of initialize');
  });

  it('is ignored for a session with its own modes', () => {
    const talk = new DialectHarness();
    talk.result('initialize', { protocolVersion: 1, agentCapabilities: { sessionModes: ['code'] } });
    const own = { sessionId: 's1', modes: { currentModeId: 'ask', availableModes: [ask] } };
    expect(talk.result('session/new', own)).toBe(own);
  });
});

it.each([
  'session/load',
  'session/resume',
  'session/set_mode',
  'session/set_model',
  'session/set_config_option',
  'session/close',
  'session/delete',
  'logout',
])('official: null result of %s', (method) => {
  const talk = new DialectHarness();
  expect(talk.result(method, null)).toEqual({});
  expect(talk.rules).toEqual(['official: null result']);
});

it.each([true, 'ok', []])('a session result that is not an object is not changed: %j', (result) => {
  expect(new DialectHarness().result('session/set_mode', result)).toBe(result);
});

it.each(['_vendor/thing', 'session/list'])('the null result of %s is not changed', (method) => {
  expect(new DialectHarness().result(method, null)).toBe(null);
});
