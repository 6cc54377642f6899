import { describe, expect } from 'vitest';
import { it } from '../../support/agent-it.ts';
import {
  call,
  callUpdate,
  done,
  permission,
  Stage,
  speech,
  stage,
  turn,
  update,
} from '../../support/stage.ts';

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
  it('manner 5: makes the tool call of the permission that mentions it first', async ({ workshop }) => {
    const asked = permission(0, { toolCallId: 'c1', title: 'Bake bread', kind: 'execute' });
    const played = stage(
      workshop,
      { expect: 'session/prompt', say: [asked] },
      { expect: 'answer', say: [callUpdate('c1', { status: 'completed' }), speech('Baked.')] },
    );
    played.session.send('go');
    await played.answer('y');
    await played.shows('Baked.');
    expect(played.tools).toMatchObject([{ title: 'Bake bread', toolKind: 'execute', status: 'done' }]);
  });

  it('manner 5: takes a tool_call that follows its permission for the same one', async ({ workshop }) => {
    const played = stage(
      workshop,
      { expect: 'session/prompt', say: [permission(0, { toolCallId: 'c1', title: 'Bake bread' })] },
      { expect: 'answer', say: [call('c1', { title: 'Bake two loaves' }), speech('Baked.')] },
    );
    played.session.send('go');
    await played.answer('y');
    await played.shows('Baked.');
    expect(played.tools).toMatchObject([{ title: 'Bake two loaves' }]);
  });

  it('manner 6: begins a call with its update, and does not let it step back once it is allowed', async ({
    workshop,
  }) => {
    const played = stage(
      workshop,
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
    played.session.send('go');
    await played.answer('y');
    await played.shows('A pause.');
    expect(played.tools).toMatchObject([{ title: 'Cut the hedge', status: 'running', toolKind: 'edit' }]);
    played.session.cancel();
    await played.shows('Cut.');
    expect(played.tools).toMatchObject([{ title: 'Cut the hedge', status: 'done' }]);
  });

  it('manner 7: keeps one entry for a call that is sent twice; the newest status wins', async ({
    workshop,
  }) => {
    const played = stage(
      workshop,
      turn(
        call('c1', { title: 'Dig', kind: 'execute', status: 'pending', rawInput: { command: 'dig 1' } }),
        call('c1', { title: 'Dig deeper', status: 'completed' }),
        call('c1', { title: 'Dig deeper', status: 'failed' }),
      ),
    );
    await played.prompt();
    expect(played.tools).toMatchObject([
      { title: 'Dig deeper', toolKind: 'execute', status: 'failed', rawInput: { command: 'dig 1' } },
    ]);
  });

  it('manner 8: draws a history that follows the answer to session/load', async ({ workshop }) => {
    const played = new Stage(workshop, [
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
    ]);
    played.session.goOnWith('s1');
    played.session.start();
    await played.shows('Open the oven');
    await played.phase('idle');
    await played.prompt('And rolls?');
    expect(played.lines()).toEqual([
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

  it('manner 9: shows the history of a session that nobody here opened as one line, and loses none of it', async ({
    workshop,
  }) => {
    const told = (kind: string, text: string) => update(kind, { content: { type: 'text', text } }, 'forked');
    const played = stage(
      workshop,
      turn(
        told('user_message_chunk', 'An old question'),
        told('agent_message_chunk', 'An old answer. '),
        told('agent_message_chunk', 'And more.'),
        speech('Back to you.'),
      ),
    );
    await played.prompt();
    expect(played.tools).toHaveLength(1);
    expect(played.lines({ isOpen: true }).join('\n')).toContain('An old answer. And more.');
    expect(played.lines().join('\n')).not.toContain('An old');
    await played.shows('Back to you.');
  });

  it('manner 10: takes reports while no prompt runs', async ({ workshop }) => {
    const played = stage(
      workshop,
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
    await played.shows('Welcome!');
    await played.prompt('one');
    await played.shows('Open the oven');
    expect(played.winbar).toContain('20 %');
    expect(played.session.state).toMatchObject({ phase: 'idle', commands: [{ name: 'plan' }] });
    await played.prompt('two');
    expect(played.lines().at(-1)).toBe('Second.');
  });

  it('manner 10: takes the words of gemini about its mode for a change of the mode', async ({ workshop }) => {
    const played = stage(
      workshop,
      { expect: 'initialize', reply: { protocolVersion: 1, agentInfo: { name: 'gemini-cli' } } },
      { expect: 'session/new', reply: { sessionId: 's1', modes } },
      { expect: 'session/set_mode', say: [speech('[MODE_UPDATE] act')], reply: {} },
      turn(speech('[MODE_UPDATE] is what I say.')),
    );
    await played.phase('idle');
    await played.session.change('mode', 'act');
    expect(played.lines()).toEqual([]);
    expect(played.winbar).toContain('Act');
    await played.prompt();
    expect(played.lines().at(-1)).toBe('[MODE_UPDATE] is what I say.');
  });

  it('manner 10: leaves the same words of any other agent what they are', async ({ workshop }) => {
    const played = stage(workshop, turn(speech('[MODE_UPDATE] act')));
    await played.prompt();
    expect(played.lines().at(-1)).toBe('[MODE_UPDATE] act');
  });

  it('manner 11: keeps reports that come before the session is named', async ({ workshop }) => {
    const played = stage(
      workshop,
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
    await played.prompt();
    expect(played.session.state.commands).toMatchObject([{ name: 'early' }, { name: 'bird' }]);
    expect(played.winbar).toContain('Act');
    expect(played.lines()).toEqual(['You', 'go', '', 'Scripted', 'Hello.']);
  });

  it('manner 12: closes the calls that an agent leaves open when it is cancelled', async ({ workshop }) => {
    const played = stage(
      workshop,
      {
        expect: 'session/prompt',
        say: [call('c1', { title: 'Wait', status: 'in_progress' }), call('c2', { title: 'Queue' })],
      },
      { expect: 'session/cancel', say: [update('session_info_update', { title: 'heard' })] },
    );
    played.session.send('go');
    await played.shows('Queue');
    played.session.cancel();
    await played.until(() => played.session.state.title === 'heard', 'cancel');
    expect(played.tools.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });

  it('manner 12: closes a rejected call that the agent never mentions again', async ({ workshop }) => {
    const played = stage(
      workshop,
      { expect: 'session/prompt', say: [permission(0, { toolCallId: 'c1', title: 'Burn it' })] },
      { expect: 'answer', say: [speech('As you like.')], to: 'session/prompt', reply: done },
    );
    await played.prompt('go', () => played.answer('n'));
    expect(played.tools).toMatchObject([{ title: 'Burn it', status: 'cancelled' }]);
  });

  it('manner 13: sends one prompt at a time, and the next when the first is answered', async ({
    workshop,
  }) => {
    const played = stage(
      workshop,
      { expect: 'session/prompt', say: [permission(0, { toolCallId: 'c1', title: 'Wait for me' })] },
      { expect: 'answer', say: [speech('First.')] },
      { expect: 'session/cancel' },
    );
    played.session.send('one');
    await played.question();
    played.session.send('two');
    await played.answer('y');
    await played.shows('First.');
    expect(played.methods.filter((method) => method === 'session/prompt')).toHaveLength(1);
    expect(played.session.state.queue).toMatchObject([{ text: 'two' }]);
  });

  it('manner 13: keeps the order of prompts sent at once', async ({ workshop }) => {
    const played = stage(workshop, turn(speech('First.')), turn(speech('Second.')));
    played.session.send('one');
    played.session.send('two');
    await played.shows('Second.');
    await played.phase('idle');
    const said = ['You', 'one', '', 'Scripted', 'First.', '', 'You', 'two', '', 'Scripted', 'Second.'];
    expect(played.lines()).toEqual(said);
  });
});
