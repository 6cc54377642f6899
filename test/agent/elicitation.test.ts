import { describe, expect } from 'vitest';
import type { FormAction } from '../../src/model/form-progress.ts';
import { textPrompt } from '../../src/model/prompt.ts';
import type { SessionEvent } from '../../src/model/session-events.ts';
import { Session } from '../../src/session/session.ts';
import { type AgentHarness, it } from '../support/agents/agent-harness.ts';
import { ManualClock } from '../support/doubles/clock.ts';
import { SinkDouble } from '../support/doubles/sink.ts';
import { waitFor } from '../support/wait.ts';

const form = {
  mode: 'form',
  message: 'Who?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', minLength: 2 },
      age: { type: 'integer', default: 36 },
      ratio: { type: 'number' },
      isNew: { type: 'boolean' },
      pets: { type: 'array', items: { type: 'string', enum: ['cat', 'dog'] } },
    },
    required: ['name'],
  },
};
const page = { mode: 'url', message: 'Go.', url: 'https://example.com/x', elicitationId: 'e1' };

function heardBy(text: string): { can: unknown; answer: unknown } {
  return JSON.parse(text) as { can: unknown; answer: unknown };
}

/** A real session with the agent, and the responses the agent received. */
async function aSession(harness: AgentHarness) {
  const events: SessionEvent[] = [];
  const session = new Session(
    harness.spec('sdk-elicitation.mjs'),
    { launcher: harness, clock: new ManualClock(), log: harness.log },
    {
      onChange: (event) => events.push(event),
      onTerminalLogin: () => undefined,
      onPromptReturned: () => undefined,
    },
  );
  session.start();
  await waitFor(() => session.state.phase === 'idle');
  const said = () => events.map((event) => (event.kind === 'chunk' ? event.text : '')).join('');
  const asked = () => waitFor(() => session.state.questions[0]);
  return { session, said, asked };
}

describe.concurrent('an agent that sends a form', () => {
  it('receives the answers with the types of its schema', async ({ harness }) => {
    const { session, said, asked } = await aSession(harness);
    session.send(textPrompt(JSON.stringify({ ask: form })));
    const entry = await asked();
    const acts: readonly FormAction[] = [
      { kind: 'type', text: 'A' },
      { kind: 'type', text: 'Ada' },
      { kind: 'type', text: '37' },
      { kind: 'type', text: '0.5' },
      { kind: 'choose', value: false },
      { kind: 'toggle', value: 'dog' },
      { kind: 'done' },
      { kind: 'send' },
    ];
    for (const act of acts)
      session.questions.applyFormAction(entry.question.id, entry.formProgress!.revision, act);
    await waitFor(() => session.state.phase === 'idle');
    const content = { age: 37, name: 'Ada', ratio: 0.5, isNew: false, pets: ['dog'] };
    expect(heardBy(said())).toEqual({ can: { form: {}, url: {} }, answer: { action: 'accept', content } });
    await session.end();
  });

  it.for(['decline', 'cancel'] as const)('receives the outcome %s', async (action, { harness }) => {
    const { prompt, sink } = await harness.open('sdk-elicitation.mjs');
    sink.conclude = async () => ({ action });
    await prompt(JSON.stringify({ ask: form }));
    expect(heardBy(sink.text).answer).toEqual({ action });
  });

  it('can cancel the form and receives one response', async ({ harness }) => {
    const { session, said } = await aSession(harness);
    session.send(textPrompt(JSON.stringify({ ask: form, isBack: true })));
    await waitFor(() => session.state.phase === 'idle');
    const entry = session.state.entries.find(({ kind }) => kind === 'question');
    expect(entry).toMatchObject({ answer: 'withdrawn' });
    expect(heardBy(said()).answer).toEqual({ action: 'cancel' });
    expect(harness.sent.filter(({ result }) => JSON.stringify(result)?.includes('action'))).toHaveLength(1);
    await session.end();
  });

  it('receives a cancel when the turn is cancelled', async ({ harness }) => {
    const { session, said, asked } = await aSession(harness);
    session.send(textPrompt(JSON.stringify({ ask: form })));
    await asked();
    session.cancel();
    await waitFor(() => session.state.phase === 'idle');
    expect(heardBy(said()).answer).toEqual({ action: 'cancel' });
    const order = harness.sent.map(({ method, result }) => method ?? Object.keys(result as object)[0]);
    expect(order).toEqual(['initialize', 'session/new', 'session/prompt', 'session/cancel', 'action']);
    await session.end();
  });

  it('may refer to a request of ours', async ({ harness }) => {
    const { agent, sink, prompt } = await harness.open('sdk-elicitation.mjs');
    await agent.authenticate('any');
    await prompt(JSON.stringify({ ask: form, isAboutPrompt: true }));
    expect(sink.elicited.map(({ elicitation }) => elicitation.message)).toEqual(['Who is there?', 'Who?']);
  });

  it('may refer to a login before a session exists', async ({ harness }) => {
    const agent = harness.start('login-required.mjs');
    const sink = new SinkDouble();
    await agent.ready;
    const opening = { method: 'new', cwd: harness.folder } as const;
    await expect(agent.openSession(opening, sink)).rejects.toThrow('log in');
    await agent.authenticate('any');
    expect(sink.elicited.map(({ elicitation }) => elicitation.message)).toEqual(['Who is there?']);
  });

  it.for<[string, object, number]>([
    ['with an unknown mode', { ...form, mode: 'voice' }, -32602],
    ['without a schema', { ...form, requestedSchema: undefined }, -32602],
    ['with an invalid url', { ...page, url: 'nowhere' }, -32602],
    ['for a session and a request', { ...form, requestId: 1 }, -32602],
  ])('%s receives an error', async ([, ask, code], { harness }) => {
    const { prompt, sink } = await harness.open('commands.mjs');
    const params = { sessionId: 's1', ...ask };
    await prompt(`call ${JSON.stringify(['elicitation/create', params])}`);
    expect(JSON.parse(sink.text.replace('early', ''))).toMatchObject({ error: { code } });
    expect(sink.elicited).toEqual([]);
  });
});

describe.concurrent('an agent that asks to open a page', () => {
  it('receives only the consent and reports completion', async ({ harness }) => {
    const { session, said, asked } = await aSession(harness);
    session.send(textPrompt(JSON.stringify({ ask: page, done: ['another', 'e1', 'e1'] })));
    const entry = await asked();
    session.questions.answerPage(entry.question.id, { action: 'accept' }, 'opened');
    await waitFor(() => session.state.phase === 'idle');
    expect(heardBy(said()).answer).toEqual({ action: 'accept' });
    expect(entry).toMatchObject({ answer: 'done', isAwaited: false });
    await session.end();
  });
});
