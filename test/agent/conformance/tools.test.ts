import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { it } from '../../support/agent-it.ts';
import { choose } from '../../support/choose.ts';
import { call, cancelled, chosen, type Encounter, meet, permission } from '../../support/encounter.ts';
import { callUpdate, done, update } from '../../support/stage.ts';
import { withoutBuffers } from '../../support/workspace.ts';

const toolOf = ({ state }: Encounter, id = 'c1') => state.tools.get(id);
const text = (words: string) => ({ type: 'content', content: { type: 'text', text: words } });

/** A turn in which the agent has asked with these options. */
async function asked(encounter: Encounter, options?: readonly object[]) {
  await encounter.begin();
  const prompt = await encounter.prompt();
  encounter.agent.say(permission(1, options && { options }));
  const { question } = await encounter.question();
  return { prompt, question };
}

const option = (optionId: string, kind: string, name = optionId) => ({ optionId, kind, name });

describe.concurrent('a tool call', () => {
  it('TOOL-1: is put together of what is said of it: absent and null change nothing, lists are whole', async ({
    workshop,
  }) => {
    const encounter = await meet(workshop);
    await encounter.turn(
      call('c1', {
        title: 'Read',
        kind: 'read',
        content: [text('a'), text('b')],
        locations: [{ path: '/x' }],
      }),
      callUpdate('c1', { status: 'in_progress' }),
      callUpdate('c1', {
        title: null,
        kind: null,
        status: null,
        content: null,
        locations: null,
        rawInput: null,
      }),
      call('c2', { title: 'Read' }),
      callUpdate('c1', { content: [text('c')] }),
      callUpdate('c1', { status: 'completed', locations: [] }),
      callUpdate('new', { title: 'Unannounced', status: 'failed' }),
    );
    expect(toolOf(encounter)).toMatchObject({
      title: 'Read',
      toolKind: 'read',
      status: 'done',
      content: [{ kind: 'text', text: 'c' }],
      locations: [],
    });
    expect(encounter.outline.slice(1)).toEqual(['Read: done', 'Read: cancelled', 'Unannounced: failed']);
  });

  it('TOOL-2: may be told of first by the question about it', async ({ workshop }) => {
    const encounter = await meet(workshop);
    const prompt = await encounter.prompt();
    encounter.agent.say(permission(1, { title: 'rm -rf build', kind: 'delete' } as object));
    await encounter.question();
    expect(toolOf(encounter)).toMatchObject({ title: 'rm -rf build', toolKind: 'delete', status: 'pending' });
    encounter.agent.say(
      call('c1', { title: 'rm', status: 'in_progress' }),
      callUpdate('c1', { status: 'completed' }),
    );
    encounter.agent.reply(prompt, done);
    await encounter.phase('idle');
    expect(encounter.outline.slice(1)).toEqual(['rm: done', 'asked: cancelled']);
  });

  it('TOOL-3: is decided by one of the options that were offered, which stand in their order', async ({
    workshop,
  }) => {
    const encounter = await meet(workshop);
    const options = [
      option('z', 'reject_always', 'Never'),
      option('forever', 'allow_always', 'Always'),
      option('a', 'allow_once', 'Now'),
      option('b', 'allow_once', 'Now, but slowly'),
    ];
    const { question } = await asked(encounter, options);
    expect(encounter.chat.slice(-4)).toEqual(['  1 Never', '  2 Always', '  3 Now', '  4 Now, but slowly']);
    choose(encounter.session, question.id, 'b');
    expect((await encounter.agent.answerTo(1)).result).toEqual(chosen('b'));
    encounter.agent.say(permission(2));
    const next = await encounter.question();
    choose(encounter.session, next.question.id, 'never offered');
    await encounter.agent.isUnderstood();
    expect(encounter.agent.answersTo(2)).toEqual([]);
  });

  it.for(['allow_once', 'allow_always', 'reject_once', 'unheard_of'])(
    'TOOL-4: is decided by the user as long as no setting decides it: one %s alone',
    async (kind, { workshop }) => {
      const encounter = await meet(workshop);
      await asked(encounter, [option('only', kind)]);
      await encounter.agent.isUnderstood();
      expect(encounter.agent.answersTo(1)).toEqual([]);
      expect(encounter.state.questions).toHaveLength(1);
    },
  );

  it.for<[string, (encounter: Encounter, prompt: { id?: unknown }) => void]>([
    ['the turn is cancelled', ({ session }) => session.cancel()],
    ['the turn ends', ({ agent }, prompt) => agent.reply(prompt, done)],
    ['the turn fails', ({ agent }, prompt) => agent.fail(prompt, -32603, 'broken')],
    ['a login is wanted', ({ agent }, prompt) => agent.fail(prompt, -32000, 'who?')],
  ])('TOOL-5: is never allowed by anything but the user: %s', async ([, act], { workshop }) => {
    const encounter = await meet(workshop);
    const { prompt, question } = await asked(encounter);
    act(encounter, prompt);
    expect((await encounter.agent.answerTo(1)).result).toEqual(cancelled);
    choose(encounter.session, question.id, 'y');
    await encounter.agent.isUnderstood();
    expect(encounter.agent.answersTo(1)).toHaveLength(1);
  });

  it.for<[string, readonly object[]]>([
    ['a rejection of once', [option('y', 'allow_once'), option('n', 'reject_once')]],
    ['no rejection', [option('y', 'allow_once')]],
    ['nothing', []],
  ])('TOOL-6: waits while nobody chooses, and is cancelled with the turn: %s', async (row, { workshop }) => {
    const [, options] = row;
    const encounter = await meet(workshop);
    await asked(encounter, options);
    const { agent } = encounter;
    await agent.isUnderstood();
    expect(agent.answersTo(1)).toEqual([]);
    encounter.session.cancel();
    expect((await agent.answerTo(1)).result).toEqual(cancelled);
    expect(agent.words.slice(-2)).toEqual(['session/cancel', 'answer 1']);
  });

  it('TOOL-7: shows what it changes, whole for a new file, and leaves the writing to the agent', async ({
    workshop,
  }) => {
    const encounter = await meet(workshop);
    const file = (name: string) => path.join(workshop.folder, name);
    await encounter.turn(
      call('c1', {
        kind: 'edit',
        content: [
          { type: 'diff', path: file('new.txt'), oldText: null, newText: 'one\n' },
          { type: 'diff', path: file('newer.txt'), newText: 'two\n' },
          { type: 'diff', path: file('old.txt'), oldText: 'three\n', newText: 'four\n' },
        ],
      }),
    );
    expect(toolOf(encounter)?.content).toMatchObject([
      { kind: 'diff', oldText: undefined, newText: 'one\n' },
      { kind: 'diff', oldText: undefined, newText: 'two\n' },
      { kind: 'diff', oldText: 'three\n', newText: 'four\n' },
    ]);
    const shown = encounter.chat.join('\n');
    for (const words of ['new.txt', '+ one', '+ two', '- three', '+ four']) expect(shown).toContain(words);
    expect(fs.readdirSync(workshop.folder).filter((name) => name.endsWith('.txt'))).toEqual([]);
  });

  it('TOOL-8: shows what its terminal writes while it writes', async ({ workshop }) => {
    const encounter = await meet(workshop, { workspace: withoutBuffers(workshop.leash) });
    await encounter.begin();
    await encounter.prompt();
    const created = encounter.agent.ask('terminal/create', {
      sessionId: 's1',
      command: 'sh',
      args: ['-c', 'echo kneading; read end'],
    });
    await encounter.choose('allow');
    const content = [{ type: 'terminal', ...((await created).result as object) }];
    encounter.agent.say(update('tool_call', { toolCallId: 'c1', title: 'bake', content }));
    await encounter.until(() => encounter.openChat.join('\n').includes('kneading'), 'output');
    expect(encounter.isBusy).toBe(true);
  });

  it('TOOL-9: says where it works, lines counted from 1', async ({ workshop }) => {
    const encounter = await meet(workshop);
    const file = (name: string) => path.join(workshop.folder, name);
    const locations = [
      { path: file('a.ts'), line: 12 },
      { path: file('b.ts') },
      { path: file('c.ts'), line: null },
      { path: file('d.ts'), line: 0 },
    ];
    await encounter.turn(call('c1', { locations, rawInput: { x: 1 } }));
    const shown = encounter.openChat.map((line) => line.trim());
    expect(shown).toEqual(expect.arrayContaining(['a.ts:12', 'b.ts', 'c.ts', 'd.ts']));
  });

  it.for<[unknown, string]>([
    ['just text', 'just text'],
    [7, '7'],
    [0, '0'],
    [false, 'false'],
    [[1, 'two'], '- two'],
    [{ words: ['ls', '-l'] }, '- ls'],
    [{ command: 5 }, 'command: 5'],
  ])('TOOL-10: takes any JSON for what goes in and out: %j', async ([raw, shown], { workshop }) => {
    const encounter = await meet(workshop);
    await encounter.turn(
      call('c1', { kind: 'execute', rawInput: raw }),
      call('c2', { rawInput: {}, rawOutput: raw }),
    );
    expect(toolOf(encounter)?.rawInput).toEqual(raw);
    expect(toolOf(encounter, 'c2')?.rawOutput).toEqual(raw);
    expect(encounter.openChat.join('\n').split(shown).length).toBeGreaterThan(2);
  });
});
