import { describe, expect } from 'vitest';
import type { SessionEvent } from '../../src/session/events.ts';
import type { Act } from '../../src/session/form-walk.ts';
import { Session } from '../../src/session/session.ts';
import { it, SinkDouble, type Workshop } from '../support/agent-it.ts';
import { ManualClock } from '../support/doubles.ts';
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

/** A real session on the agent, and what it was told. */
async function aSession(workshop: Workshop) {
  const events: SessionEvent[] = [];
  const session = new Session(
    workshop.spec('elicit.mjs'),
    { launcher: workshop, clock: new ManualClock(), log: workshop.log },
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

describe.concurrent('an agent that asks with a form', () => {
  it('gets what the user filled in, in the types it asked for', async ({ workshop }) => {
    const { session, said, asked } = await aSession(workshop);
    session.send(JSON.stringify({ ask: form }));
    const entry = await asked();
    const acts: readonly Act[] = [
      { kind: 'type', text: 'A' },
      { kind: 'type', text: 'Ada' },
      { kind: 'type', text: '37' },
      { kind: 'type', text: '0.5' },
      { kind: 'choose', value: false },
      { kind: 'toggle', value: 'dog' },
      { kind: 'done' },
      { kind: 'send' },
    ];
    for (const act of acts) session.asking.fill(entry.question.id, entry.walk!.turn, act);
    await waitFor(() => session.state.phase === 'idle');
    const content = { age: 37, name: 'Ada', ratio: 0.5, isNew: false, pets: ['dog'] };
    expect(heardBy(said())).toEqual({ can: { form: {}, url: {} }, answer: { action: 'accept', content } });
    await session.end();
  });

  it.for(['decline', 'cancel'] as const)('hears of a %s', async (action, { workshop }) => {
    const { prompt, sink } = await workshop.open('elicit.mjs');
    sink.conclude = async () => ({ action });
    await prompt(JSON.stringify({ ask: form }));
    expect(heardBy(sink.text).answer).toEqual({ action });
  });

  it('can take it back, and gets one answer', async ({ workshop }) => {
    const { session, said } = await aSession(workshop);
    session.send(JSON.stringify({ ask: form, isBack: true }));
    await waitFor(() => session.state.phase === 'idle');
    const entry = session.state.entries.find(({ kind }) => kind === 'question');
    expect(entry).toMatchObject({ answer: 'taken back' });
    expect(heardBy(said()).answer).toEqual({ action: 'cancel' });
    expect(workshop.sent.filter(({ result }) => JSON.stringify(result)?.includes('action'))).toHaveLength(1);
    await session.end();
  });

  it('hears that the turn was stopped', async ({ workshop }) => {
    const { session, said, asked } = await aSession(workshop);
    session.send(JSON.stringify({ ask: form }));
    await asked();
    session.cancel();
    await waitFor(() => session.state.phase === 'idle');
    expect(heardBy(said()).answer).toEqual({ action: 'cancel' });
    const order = workshop.sent.map(({ method, result }) => method ?? Object.keys(result as object)[0]);
    expect(order).toEqual(['initialize', 'session/new', 'session/prompt', 'session/cancel', 'action']);
    await session.end();
  });

  it('may do so about a request of ours', async ({ workshop }) => {
    const { agent, sink, prompt } = await workshop.open('elicit.mjs');
    await agent.authenticate('any');
    await prompt(JSON.stringify({ ask: form, isAboutPrompt: true }));
    expect(sink.elicited.map(({ elicitation }) => elicitation.message)).toEqual(['Who is there?', 'Who?']);
  });

  it('may do so about a login, before there is a session', async ({ workshop }) => {
    const agent = workshop.start('locked.mjs');
    const sink = new SinkDouble();
    await agent.ready;
    const opening = { how: 'new', cwd: workshop.folder } as const;
    await expect(agent.openSession(opening, sink)).rejects.toThrow('log in');
    await agent.authenticate('any');
    expect(sink.elicited.map(({ elicitation }) => elicitation.message)).toEqual(['Who is there?']);
  });

  it.for<[string, object, number]>([
    ['in a mode unknown here', { ...form, mode: 'voice' }, -32602],
    ['without a schema', { ...form, requestedSchema: undefined }, -32602],
    ['with an address that is none', { ...page, url: 'nowhere' }, -32602],
    ['about two things at once', { ...form, requestId: 1 }, -32602],
  ])('%s is told what is wrong', async ([, ask, code], { workshop }) => {
    const { prompt, sink } = await workshop.open('speaking.mjs');
    const params = { sessionId: 's1', ...ask };
    await prompt(`call ${JSON.stringify(['elicitation/create', params])}`);
    expect(JSON.parse(sink.text.replace('early', ''))).toMatchObject({ error: { code } });
    expect(sink.elicited).toEqual([]);
  });
});

describe.concurrent('an agent that sends to a page', () => {
  it('hears of the consent alone, and tells when it was done', async ({ workshop }) => {
    const { session, said, asked } = await aSession(workshop);
    session.send(JSON.stringify({ ask: page, done: ['another', 'e1', 'e1'] }));
    const entry = await asked();
    session.asking.conclude(entry.question.id, { action: 'accept' }, 'opened');
    await waitFor(() => session.state.phase === 'idle');
    expect(heardBy(said()).answer).toEqual({ action: 'accept' });
    expect(entry).toMatchObject({ answer: 'done', isAwaited: false });
    await session.end();
  });
});
