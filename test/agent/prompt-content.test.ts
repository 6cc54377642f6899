import { describe, expect } from 'vitest';
import type { Prompt } from '../../src/model/prompt.ts';
import { it } from '../support/agents/agent-harness.ts';
import { done, speech, update } from '../support/agents/messages.ts';
import { aScenario } from '../support/agents/session-scenario.ts';

const bytes = { kind: 'bytes', base64: 'AAAA' } as const;
const prompt: Prompt = {
  text: 'see @a and @b',
  attachments: [
    {
      kind: 'file',
      start: 4,
      end: 6,
      uri: 'file:///here/my%20file%23.ts#L3-9',
      name: 'my file#.ts:3-9',
      content: { kind: 'text', text: 'the text' },
    },
    {
      kind: 'image',
      start: 11,
      end: 13,
      uri: 'file:///here/b.png',
      name: 'b.png',
      mimeType: 'image/png',
      content: bytes,
    },
  ],
};
const able = { promptCapabilities: { image: true, embeddedContext: true } };
const userChunk = (content: object) => update('user_message_chunk', { content });

describe.concurrent('what a prompt attaches', () => {
  it('has the paths of the agent’s machine', async ({ harness }) => {
    const spec = { paths: { '/there': '/here' } };
    const { session, agent } = aScenario(harness, { capabilities: able, spec });
    session.send(prompt);
    const { params } = await agent.receive('session/prompt');
    expect(params.prompt).toMatchObject([
      { text: 'see a' },
      { resource: { uri: 'file:///there/my%20file%23.ts#L3-9' } },
      { text: ' and b' },
      { type: 'image', uri: 'file:///there/b.png' },
    ]);
  });

  it('goes to an agent of document A as content too, with its paths', async ({ harness }) => {
    const initialize = { protocolVersion: 1, agentCapabilities: able, authMethods: ['none'] };
    const spec = { paths: { '/there': '/here' } };
    const { session, agent } = aScenario(harness, { answers: { initialize }, spec });
    session.send(prompt);
    const { params } = await agent.receive('session/prompt');
    expect(params.content).toEqual(params.prompt);
    expect(JSON.stringify(params.content)).toContain('file:///there/b.png');
  });

  it('goes to an agent of document D with the source of its pictures', async ({ harness }) => {
    const scenario = aScenario(harness, { capabilities: able });
    const source = { type: 'base64', mediaType: 'image/png', data: 'AA==' };
    await scenario.begin();
    await scenario.turn(update('agent_message_chunk', { content: { type: 'image', source } }));
    scenario.session.send(prompt);
    const { params } = await scenario.agent.receive('session/prompt');
    expect((params.prompt as readonly object[]).at(-1)).toEqual({
      type: 'image',
      data: 'AAAA',
      mimeType: 'image/png',
      uri: 'file:///here/b.png',
      source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' },
    });
  });

  it('is named in the chat if the agent does not accept it', async ({ harness }) => {
    const scenario = aScenario(harness);
    scenario.session.send(prompt);
    await scenario.agent.receive('session/prompt');
    await scenario.until(
      () => scenario.chat.join('\n').includes('b.png was linked: the agent accepts no pictures'),
      'notice',
    );
  });

  it('is shown once when the agent echoes it during the turn', async ({ harness }) => {
    const scenario = aScenario(harness, { capabilities: able });
    scenario.session.send(prompt);
    const { id, params } = await scenario.agent.receive('session/prompt');
    scenario.agent.send(...(params.prompt as readonly object[]).map(userChunk), speech('Seen.'), {
      id,
      result: done,
    });
    await scenario.phase('idle');
    expect(scenario.state.entries.map(({ kind }) => kind)).toEqual(['message', 'attachments', 'message']);
    expect(scenario.chat.filter((line) => line.includes('b.png'))).toHaveLength(1);
  });
});

describe.concurrent('a session that is loaded', () => {
  const loadable = { ...able, loadSession: true };
  const replayed = [
    userChunk({ type: 'text', text: 'see ' }),
    userChunk({ type: 'resource', resource: { uri: 'file:///here/my%20file%23.ts#L3-9', text: 'the text' } }),
    userChunk({ type: 'text', text: ' and ' }),
    userChunk({ type: 'resource_link', uri: 'file:///here/b.png', name: 'b.png' }),
    speech('Seen.'),
  ];

  it('shows the attachments that the agent echoes', async ({ harness }) => {
    const scenario = aScenario(harness, { capabilities: loadable, answers: { 'session/load': undefined } });
    scenario.session.continueSession('s1');
    scenario.session.start();
    const load = await scenario.agent.receive('session/load');
    scenario.agent.send(...replayed);
    await scenario.agent.waitUntilProcessed();
    scenario.agent.reply(load, {});
    await scenario.phase('idle');
    const chat = scenario.chat.join('\n');
    expect(chat).toContain('my file#.ts:3-9');
    expect(chat).toContain('b.png');
    expect(chat).not.toContain('the text');
  });

  it('shows nothing twice if the chat has it already', async ({ harness }) => {
    const scenario = aScenario(harness, { capabilities: loadable, answers: { 'session/load': undefined } });
    const opened = { kind: 'session_opened', sessionId: 's1', agent: 'tester', cwd: '/here' } as const;
    scenario.session.replayJournal([
      { at: 1, event: opened },
      { at: 2, event: { kind: 'turn_started', ...prompt } },
      { at: 3, event: { kind: 'chunk', role: 'agent', text: 'Seen.' } },
      { at: 4, event: { kind: 'turn_ended', stopReason: 'end_turn' } },
    ]);
    const before = scenario.state.entries.length;
    scenario.session.start();
    const load = await scenario.agent.receive('session/load');
    scenario.agent.send(...replayed);
    await scenario.agent.waitUntilProcessed();
    scenario.agent.reply(load, {});
    await scenario.phase('idle');
    expect(scenario.state.entries.slice(before).filter(({ kind }) => kind !== 'notice')).toEqual([]);
  });
});
