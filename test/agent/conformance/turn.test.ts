import { describe, expect } from 'vitest';
import { type Prompt, textPrompt } from '../../../src/model/prompt.ts';
import { it } from '../../support/agents/agent-harness.ts';
import {
  callUpdate,
  cancelled,
  done,
  permission,
  speech,
  titledCall,
  update,
} from '../../support/agents/messages.ts';
import { aScenario, type SessionScenario } from '../../support/agents/session-scenario.ts';
import { violationsOfClient } from '../../support/schema.ts';

const form = {
  sessionId: 's1',
  mode: 'form',
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
};
const stopped = { stopReason: 'cancelled' };

/** A running turn with an unfinished tool call. */
async function atWork(scenario: SessionScenario) {
  await scenario.begin();
  const prompt = await scenario.prompt();
  scenario.agent.send(titledCall('c1', { status: 'in_progress' }));
  await scenario.until(() => scenario.state.tools.has('c1'), 'call');
  return prompt;
}

const statusOf = ({ state }: SessionScenario, toolCallId: string) => state.tools.get(toolCallId)?.status;

const content = { kind: 'text', text: 'the text' } as const;
const bytes = { kind: 'bytes', base64: 'AAAA' } as const;
const file = 'file:///work/my%20file.ts#L3-9';
/** A file, a picture and a sound, each in the place of its mention. */
const mixed: Prompt = {
  text: 'see @a, @b and @c',
  attachments: [
    {
      kind: 'file',
      start: 4,
      end: 6,
      uri: file,
      name: 'my file.ts:3-9',
      mimeType: 'text/plain',
      content,
    },
    {
      kind: 'image',
      start: 8,
      end: 10,
      uri: 'file:///b.png',
      name: 'b',
      mimeType: 'image/png',
      content: bytes,
    },
    {
      kind: 'audio',
      start: 15,
      end: 17,
      uri: 'file:///c.wav',
      name: 'c',
      mimeType: 'audio/wav',
      content: bytes,
    },
  ],
};

async function sendPrompt(scenario: SessionScenario, prompt: Prompt) {
  scenario.session.send(prompt);
  const message = await scenario.agent.receive('session/prompt');
  expect(violationsOfClient([message], [])).toEqual([]);
  return message.params.prompt as readonly { readonly type: string }[];
}

describe.concurrent('a prompt', () => {
  it.for<[string, object, readonly string[]]>([
    ['nothing', {}, ['resource_link', 'resource_link', 'resource_link']],
    ['images only', { image: true }, ['resource_link', 'image', 'resource_link']],
    ['sounds only', { audio: true }, ['resource_link', 'resource_link', 'audio']],
    ['context only', { embeddedContext: true }, ['resource', 'resource_link', 'resource_link']],
    ['everything', { image: true, audio: true, embeddedContext: true }, ['resource', 'image', 'audio']],
    [
      'nothing, with explicit false',
      { image: false, audio: false, embeddedContext: false },
      ['resource_link', 'resource_link', 'resource_link'],
    ],
    [
      'what no version knows',
      { image: 'yes', video: true },
      ['resource_link', 'resource_link', 'resource_link'],
    ],
  ])(
    'TURN-1: has only blocks that the agent accepts: it accepts %s',
    async ([, takes, types], { harness }) => {
      const scenario = aScenario(harness, { capabilities: { promptCapabilities: takes } });
      const blocks = await sendPrompt(scenario, mixed);
      const [first, second, third] = types;
      expect(blocks.map(({ type }) => type)).toEqual(['text', first, 'text', second, 'text', third]);
    },
  );

  it.for<[string, object, object]>([
    [
      'as a resource if the agent accepts it',
      { embeddedContext: true },
      { type: 'resource', resource: { uri: file, text: 'the text', mimeType: 'text/plain' } },
    ],
    [
      'as a link if not',
      {},
      { type: 'resource_link', uri: file, name: 'my file.ts:3-9', mimeType: 'text/plain' },
    ],
  ])('TURN-2: sends context %s', async ([, promptCapabilities, block], { harness }) => {
    const scenario = aScenario(harness, { capabilities: { promptCapabilities } });
    expect((await sendPrompt(scenario, mixed))[1]).toEqual(block);
  });

  it('TURN-12: waits for the response to the previous prompt', async ({ harness }) => {
    const scenario = aScenario(harness);
    const { agent, session } = scenario;
    for (const text of ['one', 'two', 'three']) session.send(textPrompt(text));
    for (const text of ['one', 'two', 'three']) {
      const prompt = await agent.receive('session/prompt');
      agent.send(speech('all done'));
      await agent.waitUntilProcessed();
      expect(prompt.params.prompt).toEqual([{ type: 'text', text }]);
      expect(agent.received.at(-2)).toBe(prompt);
      agent.reply(prompt, done);
    }
    await scenario.phase('idle');
    expect(agent.count('session/prompt')).toBe(3);
  });

  it('has a slash command as its first text, and what it mentions after it', async ({ harness }) => {
    const scenario = aScenario(harness, { capabilities: { promptCapabilities: { embeddedContext: true } } });
    const [attachment] = mixed.attachments;
    const blocks = await sendPrompt(scenario, {
      text: '/plan @a!',
      attachments: [{ ...attachment!, start: 6, end: 8 }],
    });
    expect(blocks).toMatchObject([{ text: '/plan a' }, { type: 'resource' }, { text: '!' }]);
  });

  it.for(['/plan', '/web  agent client protocol', '/plan then\n/run it', 'first, /plan'])(
    'TURN-13: sends a slash command as the typed text: %j',
    async (text, { harness }) => {
      const scenario = aScenario(harness);
      await scenario.begin();
      scenario.agent.send(
        update('available_commands_update', { availableCommands: [{ name: 'plan', description: '' }] }),
      );
      const { params } = await scenario.prompt(text);
      expect(params.prompt).toEqual([{ type: 'text', text }]);
    },
  );
});

describe.concurrent('a turn', () => {
  it('TURN-3: ends with the response, not with an update', async ({ harness }) => {
    const scenario = aScenario(harness);
    const { agent } = scenario;
    const prompt = await scenario.prompt();
    agent.send(
      speech('I am done.'),
      titledCall('c1', { status: 'completed' }),
      update('plan', { entries: [{ content: 'x', priority: 'high', status: 'completed' }] }),
      update('notice', { severity: 'error', title: 'The end is near' }),
      update('usage_update', { used: 1, size: 2 }),
      update('session_info_update', { title: 'Done' }),
    );
    await agent.waitUntilProcessed();
    expect(scenario.state.phase).toBe('running');
    agent.reply(prompt, done);
    await scenario.phase('idle');
  });

  it('TURN-5: is cancelled with a notification', async ({ harness }) => {
    const scenario = aScenario(harness);
    const prompt = await atWork(scenario);
    scenario.session.cancel();
    const cancel = await scenario.agent.receive('session/cancel');
    expect(cancel).toEqual({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's1' } });
    scenario.agent.reply(prompt, stopped);
    await scenario.phase('idle');
  });

  it('TURN-6: marks unfinished tool calls as cancelled immediately', async ({ harness }) => {
    const scenario = aScenario(harness);
    await atWork(scenario);
    scenario.agent.send(
      titledCall('c2', { status: 'completed' }),
      titledCall('c3', { status: 'failed' }),
      titledCall('c4'),
    );
    await scenario.agent.waitUntilProcessed();
    scenario.session.cancel();
    expect(['c1', 'c2', 'c3', 'c4'].map((id) => statusOf(scenario, id))).toEqual([
      'cancelled',
      'done',
      'failed',
      'cancelled',
    ]);
  });

  it('TURN-7: answers every open question of the session with "cancelled"', async ({ harness }) => {
    const scenario = aScenario(harness);
    const prompt = await atWork(scenario);
    const { agent, session, state } = scenario;
    agent.send(
      permission(1),
      permission('two', { toolCallId: 'c2', title: 'Do it' }),
      permission(3, { toolCallId: 'c3', title: 'Do it' }),
    );
    await scenario.until(() => state.questions.length === 3, 'questions');
    session.cancel();
    for (const id of [1, 'two', 3]) expect((await agent.answerTo(id)).result).toEqual(cancelled);
    agent.reply(prompt, stopped);
    await scenario.phase('idle');
    await agent.waitUntilProcessed();
    for (const id of [1, 'two', 3]) expect(agent.answersTo(id)).toHaveLength(1);
    agent.send(permission('outside of a turn'));
    await scenario.question();
    session.cancel();
    expect((await agent.answerTo('outside of a turn')).result).toEqual(cancelled);
    expect([state.questions.length, state.phase, agent.count('session/cancel')]).toEqual([0, 'idle', 2]);
  });

  it('TURN-8: answers later permission requests of a cancelled turn with "cancelled" without asking', async ({
    harness,
  }) => {
    const scenario = aScenario(harness);
    const prompt = await atWork(scenario);
    const { agent, session, state } = scenario;
    agent.send({ id: 'form', method: 'elicitation/create', params: form });
    await scenario.question();
    session.cancel();
    await agent.receive('session/cancel');
    expect((await agent.answerTo('form')).result).toEqual({ action: 'cancel' });
    expect((await agent.request('elicitation/create', form)).result).toEqual({ action: 'cancel' });
    const { params } = permission(1);
    expect(await agent.request('session/request_permission', { ...(params as object) })).toMatchObject({
      result: cancelled,
    });
    expect(state.questions).toEqual([]);
    expect(state.entries.filter(({ kind }) => kind === 'question')).toHaveLength(1);
    agent.reply(prompt, stopped);
    await scenario.phase('idle');
    agent.send(permission(2));
    await scenario.question();
  });

  it('TURN-9: accepts updates after the cancel until the response', async ({ harness }) => {
    const scenario = aScenario(harness);
    const prompt = await atWork(scenario);
    const { agent, session } = scenario;
    agent.send(titledCall('c2', { status: 'in_progress' }));
    await agent.waitUntilProcessed();
    session.cancel();
    await agent.receive('session/cancel');
    agent.send(
      callUpdate('c1', { status: 'completed', content: [{ type: 'content', content: text('saved') }] }),
      speech('I could not stop in time.'),
      update('plan', { entries: [{ content: 'tidy up', priority: 'low', status: 'pending' }] }),
      { id: prompt.id, result: stopped },
    );
    await scenario.phase('idle');
    expect([statusOf(scenario, 'c1'), statusOf(scenario, 'c2')]).toEqual(['done', 'cancelled']);
    expect(scenario.outline).toEqual([
      'user: go',
      'c1: done',
      'c2: cancelled',
      'agent: I could not stop in time.',
      'plan',
      'info: Stopped.',
    ]);
  });

  it.for<[string, object]>([
    ['the stop reason', { result: stopped }],
    ['the error code', { error: { code: -32800, message: 'Request cancelled' } }],
    ['an abort', { error: { code: -32603, message: 'Internal error', data: { details: 'AbortError' } } }],
    ['an error of the agent', { error: { code: 1, message: 'The operation was aborted' } }],
    ['a login error', { error: { code: -32000, message: 'Authentication required' } }],
  ])('TURN-10: ends as cancelled, not as failed, by %s', async ([, answer], { harness }) => {
    const scenario = aScenario(harness);
    const { id } = await atWork(scenario);
    const { agent, session } = scenario;
    session.cancel();
    await agent.receive('session/cancel');
    await agent.waitUntilProcessed();
    expect(scenario.state.phase).toBe('cancelling');
    agent.send({ id, ...answer });
    await scenario.phase('idle');
    expect(scenario.outline).toEqual(['user: go', 'c1: cancelled', 'info: Stopped.']);
    expect(scenario.returned).toEqual([]);
  });

  it('TURN-11: sends the cancel first, then the answers, each once', async ({ harness }) => {
    const scenario = aScenario(harness);
    const prompt = await atWork(scenario);
    const { agent, session } = scenario;
    agent.send(permission(1), permission(2, { toolCallId: 'c2', title: 'Do it' }));
    await scenario.until(() => scenario.state.questions.length === 2, 'questions');
    session.cancel();
    await agent.answerTo(2);
    agent.send(
      { method: '$/cancel_request', params: { requestId: 1 } },
      { method: '$/cancel_request', params: { requestId: 2 } },
      { id: prompt.id, result: stopped },
    );
    await agent.waitUntilProcessed();
    expect(agent.receivedMethods.slice(-3)).toEqual(['session/cancel', 'answer 1', 'answer 2']);
  });
});

const text = (words: string) => ({ type: 'text', text: words });
