import { describe, expect } from 'vitest';
import { AgentPool } from '../../../src/acp/agent-pool.ts';
import type { Act } from '../../../src/session/form-walk.ts';
import { it } from '../../support/agent-it.ts';
import { aPuppet, Encounter, meet } from '../../support/encounter.ts';

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
async function fill(encounter: Encounter, ...acts: readonly Act[]): Promise<void> {
  const entry = await encounter.question();
  for (const act of acts) encounter.session.asking.fill(entry.question.id, entry.walk!.turn, act);
}

describe.concurrent('what an agent wants to know', () => {
  it('ELI-5: consent to a page is all that is told of it', async ({ workshop }) => {
    const encounter = await meet(workshop);
    await encounter.begin();
    const { agent, session } = encounter;
    agent.say(create(1, page('e1')));
    const entry = await encounter.question();
    session.asking.conclude(entry.question.id, { action: 'accept' }, 'opened');
    expect((await agent.answerTo(1)).result).toEqual({ action: 'accept' });
    expect(entry).toMatchObject({ answer: 'opened', isAwaited: true });
  });

  it('ELI-6: ids of pages are any text, and those unknown or done mean nothing', async ({ workshop }) => {
    const encounter = await meet(workshop);
    await encounter.begin();
    const { agent, session } = encounter;
    for (const [index, id] of ['__proto__', '1'].entries()) {
      agent.say(create(index, page(id)));
      const { question } = await encounter.question();
      session.asking.conclude(question.id, { action: 'accept' }, 'opened');
      await agent.answerTo(index);
    }
    agent.say(complete('unknown'), complete('01'), complete(''), {
      method: 'elicitation/complete',
      params: {},
    });
    await agent.isUnderstood();
    expect(encounter.outline).toEqual(['asked: opened', 'asked: opened']);
    agent.say(complete('__proto__'), complete('__proto__'));
    await agent.isUnderstood();
    expect(encounter.outline).toEqual(['asked: done', 'asked: opened']);
    expect(encounter.state.questions).toEqual([]);
  });

  it('ELI-7: a mode or a type that is unknown here is not taken for a known one', async ({ workshop }) => {
    const encounter = await meet(workshop);
    await encounter.begin();
    const { agent, session } = encounter;
    for (const mode of ['voice', 'FORM', '', undefined]) {
      const { params } = create(0, { ...form({}), mode });
      expect((await agent.ask('elicitation/create', params)).error?.code).toBe(-32602);
    }
    expect(encounter.state.entries).toEqual([]);
    const fields = { shape: { type: 'polygon' }, name: { type: 'string' } };
    agent.say(create(1, form(fields)));
    await fill(encounter, { kind: 'type', text: 'Ada' }, { kind: 'send' });
    expect((await agent.answerTo(1)).result).toEqual({ action: 'accept', content: { name: 'Ada' } });
    agent.say(create(2, form(fields, ['shape'])));
    await fill(encounter, { kind: 'type', text: 'square' }, { kind: 'send' }, { kind: 'choose', value: 'x' });
    await agent.isUnderstood();
    expect(agent.answersTo(2)).toEqual([]);
    const { question } = await encounter.question();
    session.asking.fill(question.id, encounter.state.questions[0]!.walk!.turn, { kind: 'decline' });
    expect((await agent.answerTo(2)).result).toEqual({ action: 'decline' });
  });

  it('ELI-8: a request of ours leads to the session it was made for', async ({ workshop }) => {
    let count = 0;
    const { agent, spec } = await aPuppet(workshop, {
      answers: { 'session/new': () => ({ sessionId: `s${++count}` }) },
    });
    const launcher = new AgentPool({ launch: (wanted) => workshop.launch(wanted) });
    const [one, other] = [0, 1].map(() => new Encounter(workshop, agent, spec, { launcher }));
    await one!.begin();
    await other!.begin();
    const prompt = await one!.prompt();
    await other!.prompt();
    const { params } = create(0, form({ name: { type: 'string' } }));
    agent.say({
      ...create(1, {}),
      params: { ...params, sessionId: undefined, requestId: prompt.id },
    });
    await one!.question();
    expect(other!.state.questions).toEqual([]);
    for (const scope of [{}, { requestId: prompt.id }]) {
      const both = { ...params, ...scope, ...('requestId' in scope ? {} : { sessionId: undefined }) };
      expect((await agent.ask('elicitation/create', both)).error?.code).toBe(-32602);
    }
  });

  it('ELI-9: a form that asks for a secret says that it should not', async ({ workshop }) => {
    const encounter = await meet(workshop);
    await encounter.begin();
    encounter.agent.say(create(1, form({ key: { type: 'string', title: 'API key' } })));
    await encounter.question();
    expect(encounter.chat.join('\n')).toMatch(/secret/i);
  });
});
