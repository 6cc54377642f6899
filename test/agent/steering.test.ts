import { describe, expect } from 'vitest';
import { textPrompt } from '../../src/model/prompt.ts';
import { hostRestarted } from '../../src/session/notices.ts';
import { Session } from '../../src/session/session.ts';
import { realClock } from '../../src/system/clock.ts';
import { type AgentHarness, it } from '../support/agents/agent-harness.ts';
import { done, speech, update } from '../support/agents/messages.ts';
import { agentInfo } from '../support/agents/scripted-agent.ts';
import { aScenario } from '../support/agents/session-scenario.ts';

const initialize = { protocolVersion: 1, agentInfo, _meta: { steering: { supported: true } } };

/** A running turn of an agent that takes prompts into it. */
async function aTurn(harness: AgentHarness) {
  const scenario = aScenario(harness, { answers: { initialize } });
  await scenario.begin();
  const prompt = await scenario.prompt();
  scenario.agent.send(speech('one '));
  await scenario.shows('one');
  const steer = async (text: string) => {
    scenario.session.steer(textPrompt(text));
    return scenario.agent.receive('_session/steering');
  };
  return { scenario, agent: scenario.agent, prompt, steer };
}

const queued = (session: Session) => session.state.queue.map(({ text, isHeld }) => [text, isHeld ?? false]);

describe('a prompt for the running turn', () => {
  it('is sent with its content, and stands where the agent took it', async ({ harness }) => {
    const { scenario, agent, prompt } = await aTurn(harness);
    const content = { kind: 'text', text: 'a text' } as const;
    const attachment = { kind: 'text', start: 4, end: 9, uri: 'acp:a', name: 'note', content } as const;
    scenario.session.steer({ text: 'use @note', attachments: [attachment] });
    const request = await agent.receive('_session/steering');
    expect(request.params).toEqual({
      sessionId: 's1',
      prompt: [
        { type: 'text', text: 'use note' },
        { type: 'text', text: '\n```note\na text\n```\n' },
      ],
      _meta: { steering: { idleBehavior: 'promptRequired' } },
    });
    agent.send({ id: request.id, result: { outcome: 'injected' } }, speech('two'));
    agent.reply(prompt, done);
    await scenario.phase('idle');
    expect(scenario.outline).toEqual([
      'user: go',
      'agent: one ',
      'user: use @note',
      'attachments',
      'agent: two',
    ]);
    expect(agent.count('session/prompt')).toBe(1);
  });

  it('is not shown again when the agent echoes it', async ({ harness }) => {
    const { scenario, agent, prompt, steer } = await aTurn(harness);
    const request = await steer('left');
    const echo = update('user_message_chunk', { content: { type: 'text', text: 'left' } });
    agent.send(echo, { id: request.id, result: { outcome: 'injected' } }, echo, speech('two'));
    agent.reply(prompt, done);
    await scenario.phase('idle');
    expect(scenario.outline).toEqual(['user: go', 'agent: one ', 'user: left', 'agent: two']);
  });

  it.for([
    ['an error', (id: unknown) => ({ id, error: { code: -32603, message: 'no' } })],
    ['an unknown method', (id: unknown) => ({ id, error: { code: -32601, message: 'Method not found' } })],
    ['an answer without an outcome', (id: unknown) => ({ id, result: {} })],
  ] as const)('that is refused with %s follows the turn', async ([, answer], { harness }) => {
    const { scenario, agent, prompt, steer } = await aTurn(harness);
    const request = await steer('left');
    agent.send(answer(request.id));
    await scenario.shows('"left" was not sent into the running turn and is queued');
    expect(queued(scenario.session)).toEqual([['left', false]]);
    agent.reply(prompt, done);
    const next = await agent.receive('session/prompt');
    expect(next.params.prompt).toEqual([{ type: 'text', text: 'left' }]);
    agent.reply(next, done);
  });

  it('is the next prompt when the turn has ended before', async ({ harness }) => {
    const { agent, prompt, steer } = await aTurn(harness);
    const request = await steer('left');
    agent.send(
      { id: prompt.id, result: done },
      { id: request.id, result: { outcome: 'promptRequired', reason: 'noRunningTurn' } },
    );
    const next = await agent.receive('session/prompt');
    expect(next.params.prompt).toEqual([{ type: 'text', text: 'left' }]);
    agent.reply(next, done);
  });

  it('waits in the queue when the agent dies', async ({ harness }) => {
    const { scenario, agent, steer } = await aTurn(harness);
    await steer('left');
    agent.exit(3);
    await scenario.phase('down');
    await scenario.shows('"left" was not sent into the running turn and is queued');
    expect(queued(scenario.session)).toEqual([['left', true]]);
    scenario.session.resumeQueue();
    const next = await agent.receive('session/prompt');
    expect(next.params.prompt).toEqual([{ type: 'text', text: 'left' }]);
    agent.reply(next, done);
    await scenario.phase('idle');
  });

  it('stays in the queue, and can be stopped, when the agent never answers', async ({ harness }) => {
    const { scenario, agent, prompt, steer } = await aTurn(harness);
    await steer('left');
    scenario.session.cancel();
    agent.reply(prompt, { stopReason: 'cancelled' });
    await scenario.phase('idle');
    expect(queued(scenario.session)).toEqual([['left', true]]);
    expect(agent.count('session/prompt')).toBe(1);
  });

  it.for([
    ['taken', { outcome: 'injected' }, ['user: go', 'agent: one ', 'user: left'], []],
    ['not answered', undefined, ['user: go', 'agent: one '], [['left', true]]],
  ] as const)('is not lost with the host when it was %s', async ([, result, outline, queue], { harness }) => {
    const { scenario, agent, steer } = await aTurn(harness);
    const request = await steer('left');
    if (result) {
      agent.reply(request, result);
      await scenario.shows('left');
    }
    const records = scenario.events.map((event) => ({ at: 0, event: structuredClone(event) }));
    const ports = { launcher: harness, clock: realClock, log: harness.log };
    const watcher = { onChange: () => {}, onPromptReturned: () => {}, onTerminalLogin: () => {} };
    const restored = new Session(scenario.spec, ports, watcher);
    restored.replayJournal(records, hostRestarted);
    const messages = restored.state.entries.filter(({ kind }) => kind === 'message');
    expect(messages.map((entry) => entry.kind === 'message' && `${entry.role}: ${entry.text}`)).toEqual(
      outline,
    );
    expect(queued(restored)).toEqual(queue);
  });
});

describe('suggestions for the next prompt', () => {
  it('of an agent come with a title or alone, and are withdrawn', async ({ harness }) => {
    const scenario = aScenario(harness);
    await scenario.begin();
    const suggest = (texts: readonly string[], fields: object = {}) =>
      update('session_info_update', {
        ...fields,
        _meta: { promptSuggestions: { suggestions: texts.map((text) => ({ text })) } },
      });
    await scenario.turn(speech('done'), suggest(['commit'], { title: 'T' }));
    expect(scenario.state).toMatchObject({ title: 'T', suggestions: ['commit'] });
    scenario.agent.send(suggest([]));
    await scenario.until(() => scenario.state.suggestions.length === 0, 'withdrawn suggestion');
    const params = { v: 1, sessionId: 's1', suggestion: 'run the tests', promptId: 'p' };
    scenario.agent.send({ method: 'qwen/notify/session/prompt-suggestion', params });
    await scenario.until(() => scenario.state.suggestions[0] === 'run the tests', 'suggestion');
    expect(scenario.state.title).toBe('T');
  });
});
