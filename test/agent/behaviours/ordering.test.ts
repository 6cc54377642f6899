import { describe, expect } from 'vitest';
import { textPrompt } from '../../../src/model/prompt.ts';
import { it } from '../../support/agents/agent-harness.ts';
import { call, callUpdate, done, permission, speech, update } from '../../support/agents/messages.ts';
import { aScenario, playSteps, turn } from '../../support/agents/session-scenario.ts';

const commands = (...names: readonly string[]) =>
  update('available_commands_update', {
    availableCommands: names.map((name) => ({ name, description: '' })),
  });
const saidByUser = (text: string) => update('user_message_chunk', { content: { type: 'text', text } });
const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'act', name: 'Act' },
  ],
};

describe.concurrent('ordering', () => {
  it('behaviour 5: creates the tool call from the permission request that mentions it first', async ({
    harness,
  }) => {
    const asked = permission(0, { toolCallId: 'c1', title: 'Bake bread', kind: 'execute' });
    const scenario = playSteps(
      harness,
      { expect: 'session/prompt', say: [asked] },
      { expect: 'answer', say: [callUpdate('c1', { status: 'completed' }), speech('Baked.')] },
    );
    scenario.session.send(textPrompt('go'));
    await scenario.choose('y');
    await scenario.shows('Baked.');
    expect(scenario.tools).toMatchObject([{ title: 'Bake bread', toolKind: 'execute', status: 'done' }]);
  });

  it('behaviour 5: merges a tool_call that follows its permission request', async ({ harness }) => {
    const scenario = playSteps(
      harness,
      { expect: 'session/prompt', say: [permission(0, { toolCallId: 'c1', title: 'Bake bread' })] },
      { expect: 'answer', say: [call('c1', { title: 'Bake two loaves' }), speech('Baked.')] },
    );
    scenario.session.send(textPrompt('go'));
    await scenario.choose('y');
    await scenario.shows('Baked.');
    expect(scenario.tools).toMatchObject([{ title: 'Bake two loaves' }]);
  });

  it('behaviour 6: creates a call from its update, and never resets its status after it was allowed', async ({
    harness,
  }) => {
    const scenario = playSteps(
      harness,
      {
        expect: 'session/prompt',
        say: [callUpdate('c1', { title: 'Cut', kind: 'edit' }), permission(0, { toolCallId: 'c1' })],
      },
      {
        expect: 'answer',
        say: [
          callUpdate('c1', { status: 'in_progress' }),
          call('c1', { title: 'Cut the hedge', status: 'pending' }),
          speech('A pause.'),
        ],
      },
      { expect: 'session/cancel', say: [callUpdate('c1', { status: 'completed' }), speech('Cut.')] },
    );
    scenario.session.send(textPrompt('go'));
    await scenario.choose('y');
    await scenario.shows('A pause.');
    expect(scenario.tools).toMatchObject([{ title: 'Cut the hedge', status: 'running', toolKind: 'edit' }]);
    scenario.session.cancel();
    await scenario.shows('Cut.');
    expect(scenario.tools).toMatchObject([{ title: 'Cut the hedge', status: 'done' }]);
  });

  it('behaviour 7: keeps one entry with the newest status for a call that is sent twice', async ({
    harness,
  }) => {
    const scenario = playSteps(
      harness,
      turn(
        call('c1', { title: 'Dig', kind: 'execute', status: 'pending', rawInput: { command: 'dig 1' } }),
        call('c1', { title: 'Dig deeper', status: 'completed' }),
        call('c1', { title: 'Dig deeper', status: 'failed' }),
      ),
    );
    await scenario.promptAndWait();
    expect(scenario.tools).toMatchObject([
      { title: 'Dig deeper', toolKind: 'execute', status: 'failed', rawInput: { command: 'dig 1' } },
    ]);
  });

  it('behaviour 8: shows a history that arrives after the response to session/load', async ({ harness }) => {
    const scenario = aScenario(harness, {
      steps: [
        {
          expect: 'initialize',
          reply: {
            protocolVersion: 1,
            agentInfo: { name: 'gemini-cli' },
            agentCapabilities: { loadSession: true },
          },
        },
        {
          expect: 'session/load',
          reply: {},
          after: [
            saidByUser('<session_context>\nThe folder has 3 files.\n</session_context>'),
            saidByUser('Bake a bread'),
            speech('I bake it.'),
            call('c1', { title: 'Open the oven', status: 'in_progress' }),
          ],
        },
        turn(speech('Now rolls.')),
      ],
    });
    scenario.session.continueSession('s1');
    scenario.session.start();
    await scenario.shows('Open the oven');
    await scenario.phase('idle');
    await scenario.promptAndWait('And rolls?');
    expect(scenario.chat).toEqual([
      'You',
      'Bake a bread',
      '',
      'gemini-cli',
      'I bake it.',
      '',
      '· tool    Open the oven',
      '',
      'You',
      'And rolls?',
      '',
      'gemini-cli',
      'Now rolls.',
    ]);
  });

  it('behaviour 9: shows the history of an unknown session as one line without losing any of it', async ({
    harness,
  }) => {
    const told = (kind: string, text: string) => update(kind, { content: { type: 'text', text } }, 'forked');
    const scenario = playSteps(
      harness,
      turn(
        told('user_message_chunk', 'An old question'),
        told('agent_message_chunk', 'An old answer. '),
        told('agent_message_chunk', 'And more.'),
        speech('Back to you.'),
      ),
    );
    await scenario.promptAndWait();
    expect(scenario.tools).toHaveLength(1);
    expect(scenario.openChat.join('\n')).toContain('An old answer. And more.');
    expect(scenario.chat.join('\n')).not.toContain('An old');
    await scenario.shows('Back to you.');
  });

  it('behaviour 10: accepts updates while no prompt runs', async ({ harness }) => {
    const scenario = playSteps(
      harness,
      {
        expect: 'session/new',
        reply: { sessionId: 's1' },
        after: [commands('plan'), speech('Welcome!')],
      },
      {
        expect: 'session/prompt',
        say: [speech('First.')],
        reply: done,
        after: [
          update('usage_update', { used: 20, size: 100 }),
          speech('By the way, the oven is done.'),
          call('late', { title: 'Open the oven', status: 'completed' }),
        ],
      },
      turn(speech('Second.')),
    );
    await scenario.shows('Welcome!');
    await scenario.promptAndWait('one');
    await scenario.shows('Open the oven');
    expect(scenario.winbar).toContain('20 %');
    expect(scenario.session.state).toMatchObject({ phase: 'idle', commands: [{ name: 'plan' }] });
    await scenario.promptAndWait('two');
    expect(scenario.chat.at(-1)).toBe('Second.');
  });

  it('behaviour 10: reads the mode message of gemini as a mode change', async ({ harness }) => {
    const scenario = playSteps(
      harness,
      { expect: 'initialize', reply: { protocolVersion: 1, agentInfo: { name: 'gemini-cli' } } },
      { expect: 'session/new', reply: { sessionId: 's1', modes } },
      { expect: 'session/set_mode', say: [speech('[MODE_UPDATE] act')], reply: {} },
      turn(speech('[MODE_UPDATE] is what I say.')),
    );
    await scenario.phase('idle');
    await scenario.session.changeSetting('mode', 'act');
    expect(scenario.chat).toEqual([]);
    expect(scenario.winbar).toContain('Act');
    await scenario.promptAndWait();
    expect(scenario.chat.at(-1)).toBe('[MODE_UPDATE] is what I say.');
  });

  it('behaviour 10: shows the same message of another agent as a message', async ({ harness }) => {
    const scenario = playSteps(harness, turn(speech('[MODE_UPDATE] act')));
    await scenario.promptAndWait();
    expect(scenario.chat.at(-1)).toBe('[MODE_UPDATE] act');
  });

  it('behaviour 11: keeps updates that arrive before the session id is known', async ({ harness }) => {
    const scenario = playSteps(
      harness,
      {
        expect: 'session/new',
        say: [commands('early', 'bird')],
        reply: { sessionId: 's1', modes },
        after: Array.from({ length: 12 }, (_, index) =>
          update('current_mode_update', { currentModeId: index % 2 === 0 ? 'ask' : 'act' }),
        ),
      },
      turn(speech('Hello.')),
    );
    await scenario.promptAndWait();
    expect(scenario.session.state.commands).toMatchObject([{ name: 'early' }, { name: 'bird' }]);
    expect(scenario.winbar).toContain('Act');
    expect(scenario.chat).toEqual(['You', 'go', '', 'Tester', 'Hello.']);
  });

  it('behaviour 12: closes the tool calls that an agent leaves open after a cancel', async ({ harness }) => {
    const scenario = playSteps(
      harness,
      {
        expect: 'session/prompt',
        say: [call('c1', { title: 'Wait', status: 'in_progress' }), call('c2', { title: 'Queue' })],
      },
      { expect: 'session/cancel', say: [update('session_info_update', { title: 'heard' })] },
    );
    scenario.session.send(textPrompt('go'));
    await scenario.shows('Queue');
    scenario.session.cancel();
    await scenario.until(() => scenario.session.state.title === 'heard', 'cancel');
    expect(scenario.tools.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });

  it('behaviour 12: closes a rejected tool call that the agent never mentions again', async ({ harness }) => {
    const scenario = playSteps(
      harness,
      { expect: 'session/prompt', say: [permission(0, { toolCallId: 'c1', title: 'Burn it' })] },
      { expect: 'answer', say: [speech('As you like.')], to: 'session/prompt', reply: done },
    );
    await scenario.promptAndWait('go', () => scenario.choose('n'));
    expect(scenario.tools).toMatchObject([{ title: 'Burn it', status: 'cancelled' }]);
  });

  it('behaviour 13: sends one prompt at a time, and the next after the response', async ({ harness }) => {
    const scenario = playSteps(
      harness,
      { expect: 'session/prompt', say: [permission(0, { toolCallId: 'c1', title: 'Wait for me' })] },
      { expect: 'answer', say: [speech('First.')] },
      { expect: 'session/cancel' },
    );
    scenario.session.send(textPrompt('one'));
    await scenario.question();
    scenario.session.send(textPrompt('two'));
    await scenario.choose('y');
    await scenario.shows('First.');
    expect(scenario.agent.count('session/prompt')).toBe(1);
    expect(scenario.session.state.queue).toMatchObject([{ text: 'two' }]);
  });

  it('behaviour 13: keeps the order of prompts sent at the same time', async ({ harness }) => {
    const scenario = playSteps(harness, turn(speech('First.')), turn(speech('Second.')));
    scenario.session.send(textPrompt('one'));
    scenario.session.send(textPrompt('two'));
    await scenario.shows('Second.');
    await scenario.phase('idle');
    const said = ['You', 'one', '', 'Tester', 'First.', '', 'You', 'two', '', 'Tester', 'Second.'];
    expect(scenario.chat).toEqual(said);
  });
});
