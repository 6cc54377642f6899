import { describe, expect } from 'vitest';
import { it } from '../../support/agent-it.ts';
import { call, cancelled, type Encounter, meet, permission, speech } from '../../support/encounter.ts';
import { callUpdate, done, update } from '../../support/stage.ts';

const form = {
  sessionId: 's1',
  mode: 'form',
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
};
const stopped = { stopReason: 'cancelled' };

/** A turn that runs, with a call in it that is not done. */
async function atWork(encounter: Encounter) {
  await encounter.begin();
  const prompt = await encounter.prompt();
  encounter.agent.say(call('c1', { status: 'in_progress' }));
  await encounter.until(() => encounter.state.tools.has('c1'), 'call');
  return prompt;
}

const statusOf = ({ state }: Encounter, toolCallId: string) => state.tools.get(toolCallId)?.status;

describe.concurrent('a prompt', () => {
  it.for<[string, object]>([
    ['nothing', {}],
    ['images only', { image: true }],
    ['everything', { image: true, audio: true, embeddedContext: true }],
    ['nothing, said in full', { image: false, audio: false, embeddedContext: false }],
  ])('TURN-1: has no block the agent does not take: one that takes %s', async ([, takes], { workshop }) => {
    const encounter = await meet(workshop, { capabilities: { promptCapabilities: takes } });
    const { params } = await encounter.prompt('look at @a.png and file:///b.wav');
    const allowed = new Set(['text', 'resource_link']);
    for (const [type, isTaken] of Object.entries(takes)) if (isTaken) allowed.add(type);
    const blocks = params.prompt as readonly { readonly type: string }[];
    expect(blocks.filter(({ type }) => !allowed.has(type))).toEqual([]);
    expect(blocks.length).toBeGreaterThan(0);
  });

  it('TURN-2: gives context as text when nothing else is known to be taken', async ({ workshop }) => {
    const encounter = await meet(workshop);
    const { params } = await encounter.prompt('see lua/acp/init.lua:12');
    expect(params).toEqual({ sessionId: 's1', prompt: [{ type: 'text', text: 'see lua/acp/init.lua:12' }] });
  });

  it('TURN-12: waits for the answer to the one before', async ({ workshop }) => {
    const encounter = await meet(workshop);
    const { agent, session } = encounter;
    for (const text of ['one', 'two', 'three']) session.send(text);
    for (const text of ['one', 'two', 'three']) {
      const prompt = await agent.hears('session/prompt');
      agent.say(speech('all done'));
      await agent.isUnderstood();
      expect(prompt.params.prompt).toEqual([{ type: 'text', text }]);
      expect(agent.heard.at(-2)).toBe(prompt);
      agent.reply(prompt, done);
    }
    await encounter.phase('idle');
    expect(agent.count('session/prompt')).toBe(3);
  });

  it.for(['/plan', '/web  agent client protocol', '/plan then\n/run it', 'first, /plan'])(
    'TURN-13: carries a command as the text that was typed: %j',
    async (text, { workshop }) => {
      const encounter = await meet(workshop);
      await encounter.begin();
      encounter.agent.say(
        update('available_commands_update', { availableCommands: [{ name: 'plan', description: '' }] }),
      );
      const { params } = await encounter.prompt(text);
      expect(params.prompt).toEqual([{ type: 'text', text }]);
    },
  );
});

describe.concurrent('a turn', () => {
  it('TURN-3: ends with the answer and with no report', async ({ workshop }) => {
    const encounter = await meet(workshop);
    const { agent } = encounter;
    const prompt = await encounter.prompt();
    agent.say(
      speech('I am done.'),
      call('c1', { status: 'completed' }),
      update('plan', { entries: [{ content: 'x', priority: 'high', status: 'completed' }] }),
      update('notice', { severity: 'error', title: 'The end is near' }),
      update('usage_update', { used: 1, size: 2 }),
      update('session_info_update', { title: 'Done' }),
    );
    await agent.isUnderstood();
    expect(encounter.state.phase).toBe('running');
    agent.reply(prompt, done);
    await encounter.phase('idle');
  });

  it('TURN-5: is cancelled with a notification', async ({ workshop }) => {
    const encounter = await meet(workshop);
    const prompt = await atWork(encounter);
    encounter.session.cancel();
    const cancel = await encounter.agent.hears('session/cancel');
    expect(cancel).toEqual({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's1' } });
    encounter.agent.reply(prompt, stopped);
    await encounter.phase('idle');
  });

  it('TURN-6: marks what was not done as cancelled, at once', async ({ workshop }) => {
    const encounter = await meet(workshop);
    await atWork(encounter);
    encounter.agent.say(call('c2', { status: 'completed' }), call('c3', { status: 'failed' }), call('c4'));
    await encounter.agent.isUnderstood();
    encounter.session.cancel();
    expect(['c1', 'c2', 'c3', 'c4'].map((id) => statusOf(encounter, id))).toEqual([
      'cancelled',
      'done',
      'failed',
      'cancelled',
    ]);
  });

  it('TURN-7: answers every question of the session that is open with "cancelled"', async ({ workshop }) => {
    const encounter = await meet(workshop);
    const prompt = await atWork(encounter);
    const { agent, session, state } = encounter;
    agent.say(permission(1), permission('two', { toolCallId: 'c2' }), permission(3, { toolCallId: 'c3' }));
    await encounter.until(() => state.questions.length === 3, 'questions');
    session.cancel();
    for (const id of [1, 'two', 3]) expect((await agent.answerTo(id)).result).toEqual(cancelled);
    agent.reply(prompt, stopped);
    await encounter.phase('idle');
    await agent.isUnderstood();
    for (const id of [1, 'two', 3]) expect(agent.answersTo(id)).toHaveLength(1);
    agent.say(permission('outside of a turn'));
    await encounter.question();
    session.cancel();
    expect((await agent.answerTo('outside of a turn')).result).toEqual(cancelled);
    expect([state.questions.length, state.phase, agent.count('session/cancel')]).toEqual([0, 'idle', 2]);
  });

  it('TURN-8: answers what is asked after it was cancelled the same way, and asks nobody', async ({
    workshop,
  }) => {
    const encounter = await meet(workshop);
    const prompt = await atWork(encounter);
    const { agent, session, state } = encounter;
    agent.say({ id: 'form', method: 'elicitation/create', params: form });
    await encounter.question();
    session.cancel();
    await agent.hears('session/cancel');
    expect((await agent.answerTo('form')).result).toEqual({ action: 'cancel' });
    expect((await agent.ask('elicitation/create', form)).result).toEqual({ action: 'cancel' });
    const { params } = permission(1);
    expect(await agent.ask('session/request_permission', { ...(params as object) })).toMatchObject({
      result: cancelled,
    });
    expect(state.questions).toEqual([]);
    expect(state.entries.filter(({ kind }) => kind === 'question')).toHaveLength(1);
    agent.reply(prompt, stopped);
    await encounter.phase('idle');
    agent.say(permission(2));
    await encounter.question();
  });

  it('TURN-9: hears the agent until its answer, and believes it what was done after all', async ({
    workshop,
  }) => {
    const encounter = await meet(workshop);
    const prompt = await atWork(encounter);
    const { agent, session } = encounter;
    agent.say(call('c2', { status: 'in_progress' }));
    await agent.isUnderstood();
    session.cancel();
    await agent.hears('session/cancel');
    agent.say(
      callUpdate('c1', { status: 'completed', content: [{ type: 'content', content: text('saved') }] }),
      speech('I could not stop in time.'),
      update('plan', { entries: [{ content: 'tidy up', priority: 'low', status: 'pending' }] }),
      { id: prompt.id, result: stopped },
    );
    await encounter.phase('idle');
    expect([statusOf(encounter, 'c1'), statusOf(encounter, 'c2')]).toEqual(['done', 'cancelled']);
    expect(encounter.outline).toEqual([
      'user: go',
      'c1: done',
      'c2: cancelled',
      'agent: I could not stop in time.',
      'plan',
      'info: Stopped.',
    ]);
  });

  it.for<[string, object]>([
    ['the word for it', { result: stopped }],
    ['its code', { error: { code: -32800, message: 'Request cancelled' } }],
    ['an abort', { error: { code: -32603, message: 'Internal error', data: { details: 'AbortError' } } }],
    ['an error of its own', { error: { code: 1, message: 'The operation was aborted' } }],
    ['a wish for a login', { error: { code: -32000, message: 'Authentication required' } }],
  ])('TURN-10: is over when the agent says so, and no error by %s', async ([, answer], { workshop }) => {
    const encounter = await meet(workshop);
    const { id } = await atWork(encounter);
    const { agent, session } = encounter;
    session.cancel();
    await agent.hears('session/cancel');
    await agent.isUnderstood();
    expect(encounter.state.phase).toBe('cancelling');
    agent.say({ id, ...answer });
    await encounter.phase('idle');
    expect(encounter.outline).toEqual(['user: go', 'c1: cancelled', 'info: Stopped.']);
    expect(encounter.returned).toEqual([]);
  });

  it('TURN-11: tells the agent first, then answers, and never twice', async ({ workshop }) => {
    const encounter = await meet(workshop);
    const prompt = await atWork(encounter);
    const { agent, session } = encounter;
    agent.say(permission(1), permission(2, { toolCallId: 'c2' }));
    await encounter.until(() => encounter.state.questions.length === 2, 'questions');
    session.cancel();
    await agent.answerTo(2);
    agent.say(
      { method: '$/cancel_request', params: { requestId: 1 } },
      { method: '$/cancel_request', params: { requestId: 2 } },
      { id: prompt.id, result: stopped },
    );
    await agent.isUnderstood();
    expect(agent.words.slice(-3)).toEqual(['session/cancel', 'answer 1', 'answer 2']);
  });
});

const text = (words: string) => ({ type: 'text', text: words });
