import { describe, expect } from 'vitest';
import { AgentPool } from '../../../src/acp/agent-pool.ts';
import type { FormAction } from '../../../src/model/form-progress.ts';
import { it } from '../../support/agents/agent-harness.ts';
import { aScenario, aScriptedAgent, SessionScenario } from '../../support/agents/session-scenario.ts';

const form = (properties: object, required: readonly string[] = []) => ({
  mode: 'form',
  message: 'Tell me.',
  requestedSchema: { type: 'object', properties, required },
});
const page = (elicitationId: string) => ({
  mode: 'url',
  message: 'Go there.',
  url: 'https://example.com/login',
  elicitationId,
});
const create = (id: unknown, params: object) => ({
  id,
  method: 'elicitation/create',
  params: { sessionId: 's1', ...params },
});
const complete = (elicitationId: string) => ({ method: 'elicitation/complete', params: { elicitationId } });

/** Fills in the form that is open. */
async function fill(scenario: SessionScenario, ...acts: readonly FormAction[]): Promise<void> {
  const entry = await scenario.question();
  for (const act of acts)
    scenario.session.questions.applyFormAction(entry.question.id, entry.formProgress!.revision, act);
}

describe.concurrent('elicitation', () => {
  it('ELI-5: only the consent to a page is reported to the agent', async ({ harness }) => {
    const scenario = aScenario(harness);
    await scenario.begin();
    const { agent, session } = scenario;
    agent.send(create(1, page('e1')));
    const entry = await scenario.question();
    session.questions.answerPage(entry.question.id, { action: 'accept' }, 'opened');
    expect((await agent.answerTo(1)).result).toEqual({ action: 'accept' });
    expect(entry).toMatchObject({ answer: 'opened', isAwaited: true });
  });

  it('ELI-6: accepts any text as elicitation id, and ignores unknown and completed ids', async ({
    harness,
  }) => {
    const scenario = aScenario(harness);
    await scenario.begin();
    const { agent, session } = scenario;
    for (const [index, id] of ['__proto__', '1'].entries()) {
      agent.send(create(index, page(id)));
      const { question } = await scenario.question();
      session.questions.answerPage(question.id, { action: 'accept' }, 'opened');
      await agent.answerTo(index);
    }
    agent.send(complete('unknown'), complete('01'), complete(''), {
      method: 'elicitation/complete',
      params: {},
    });
    await agent.waitUntilProcessed();
    expect(scenario.outline).toEqual(['asked: opened', 'asked: opened']);
    agent.send(complete('__proto__'), complete('__proto__'));
    await agent.waitUntilProcessed();
    expect(scenario.outline).toEqual(['asked: done', 'asked: opened']);
    expect(scenario.state.questions).toEqual([]);
  });

  it('ELI-7: does not treat an unknown mode or type as a known one', async ({ harness }) => {
    const scenario = aScenario(harness);
    await scenario.begin();
    const { agent, session } = scenario;
    for (const mode of ['voice', 'FORM', '', undefined]) {
      const { params } = create(0, { ...form({}), mode });
      expect((await agent.request('elicitation/create', params)).error?.code).toBe(-32602);
    }
    expect(scenario.state.entries).toEqual([]);
    const fields = { shape: { type: 'polygon' }, name: { type: 'string' } };
    agent.send(create(1, form(fields)));
    await fill(scenario, { kind: 'type', text: 'Ada' }, { kind: 'send' });
    expect((await agent.answerTo(1)).result).toEqual({ action: 'accept', content: { name: 'Ada' } });
    agent.send(create(2, form(fields, ['shape'])));
    await fill(scenario, { kind: 'type', text: 'square' }, { kind: 'send' }, { kind: 'choose', value: 'x' });
    await agent.waitUntilProcessed();
    expect(agent.answersTo(2)).toEqual([]);
    const { question } = await scenario.question();
    session.questions.applyFormAction(question.id, scenario.state.questions[0]!.formProgress!.revision, {
      kind: 'decline',
    });
    expect((await agent.answerTo(2)).result).toEqual({ action: 'decline' });
  });

  it('ELI-8: a request id of ours leads to the session of that request', async ({ harness }) => {
    let count = 0;
    const { agent, spec } = aScriptedAgent(harness, {
      answers: { 'session/new': () => ({ sessionId: `s${++count}` }) },
    });
    const launcher = new AgentPool({ launch: (wanted) => harness.launch(wanted) });
    const [one, other] = [0, 1].map(() => new SessionScenario(harness, agent, spec, { launcher }));
    await one!.begin();
    await other!.begin();
    const prompt = await one!.prompt();
    await other!.prompt();
    const { params } = create(0, form({ name: { type: 'string' } }));
    agent.send({
      ...create(1, {}),
      params: { ...params, sessionId: undefined, requestId: prompt.id },
    });
    await one!.question();
    expect(other!.state.questions).toEqual([]);
    for (const scope of [{}, { requestId: prompt.id }]) {
      const both = { ...params, ...scope, ...('requestId' in scope ? {} : { sessionId: undefined }) };
      expect((await agent.request('elicitation/create', both)).error?.code).toBe(-32602);
    }
  });

  it('ELI-9: warns in a form that asks for a secret', async ({ harness }) => {
    const scenario = aScenario(harness);
    await scenario.begin();
    scenario.agent.send(create(1, form({ key: { type: 'string', title: 'API key' } })));
    await scenario.question();
    expect(scenario.chat.join('\n')).toMatch(/secret/i);
  });
});
