import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { it } from '../../support/agents/agent-harness.ts';
import {
  callUpdate,
  cancelled,
  chosen,
  done,
  permission,
  titledCall,
  update,
} from '../../support/agents/messages.ts';
import { aScenario, type SessionScenario } from '../../support/agents/session-scenario.ts';
import { choose } from '../../support/nvim/choose.ts';
import { withoutBuffers } from '../../support/workspace/workspace.ts';

const toolOf = ({ state }: SessionScenario, id = 'c1') => state.tools.get(id);
const text = (words: string) => ({ type: 'content', content: { type: 'text', text: words } });

/** A turn in which the agent has asked for permission with these options. */
async function asked(scenario: SessionScenario, options?: readonly object[]) {
  await scenario.begin();
  const prompt = await scenario.prompt();
  scenario.agent.send(permission(1, undefined, options));
  const { question } = await scenario.question();
  return { prompt, question };
}

const option = (optionId: string, kind: string, name = optionId) => ({ optionId, kind, name });

describe.concurrent('a tool call', () => {
  it('TOOL-1: is merged from its updates: absent and null change nothing, lists are replaced', async ({
    harness,
  }) => {
    const scenario = aScenario(harness);
    await scenario.turn(
      titledCall('c1', {
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
      titledCall('c2', { title: 'Read' }),
      callUpdate('c1', { content: [text('c')] }),
      callUpdate('c1', { status: 'completed', locations: [] }),
      callUpdate('new', { title: 'Unannounced', status: 'failed' }),
    );
    expect(toolOf(scenario)).toMatchObject({
      title: 'Read',
      toolKind: 'read',
      status: 'done',
      content: [{ kind: 'text', text: 'c' }],
      locations: [],
    });
    expect(scenario.outline.slice(1)).toEqual(['Read: done', 'Read: cancelled', 'Unannounced: failed']);
  });

  it('TOOL-2: may be announced by its permission request', async ({ harness }) => {
    const scenario = aScenario(harness);
    const prompt = await scenario.prompt();
    scenario.agent.send(permission(1, { toolCallId: 'c1', title: 'rm -rf build', kind: 'delete' }));
    await scenario.question();
    expect(toolOf(scenario)).toMatchObject({ title: 'rm -rf build', toolKind: 'delete', status: 'pending' });
    scenario.agent.send(
      titledCall('c1', { title: 'rm', status: 'in_progress' }),
      callUpdate('c1', { status: 'completed' }),
    );
    scenario.agent.reply(prompt, done);
    await scenario.phase('idle');
    expect(scenario.outline.slice(1)).toEqual(['rm: done', 'asked: cancelled']);
  });

  it('TOOL-3: is decided by one of the offered options, shown in their order', async ({ harness }) => {
    const scenario = aScenario(harness);
    const options = [
      option('z', 'reject_always', 'Never'),
      option('forever', 'allow_always', 'Always'),
      option('a', 'allow_once', 'Now'),
      option('b', 'allow_once', 'Now, but slowly'),
    ];
    const { question } = await asked(scenario, options);
    expect(scenario.chat.slice(-4)).toEqual([
      '  1 Never',
      '  2 Always',
      '  3 Now (allows once)',
      '  4 Now, but slowly (allows once)',
    ]);
    choose(scenario.session, question.id, 'b');
    expect((await scenario.agent.answerTo(1)).result).toEqual(chosen('b'));
    scenario.agent.send(permission(2));
    const next = await scenario.question();
    choose(scenario.session, next.question.id, 'never offered');
    await scenario.agent.waitUntilProcessed();
    expect(scenario.agent.answersTo(2)).toEqual([]);
  });

  it.for(['allow_once', 'allow_always', 'reject_once', 'unheard_of'])(
    'TOOL-4: is decided by the user, even with a single option %s',
    async (kind, { harness }) => {
      const scenario = aScenario(harness);
      await asked(scenario, [option('only', kind)]);
      await scenario.agent.waitUntilProcessed();
      expect(scenario.agent.answersTo(1)).toEqual([]);
      expect(scenario.state.questions).toHaveLength(1);
    },
  );

  it.for<[string, (scenario: SessionScenario, prompt: { id?: unknown }) => void]>([
    ['the turn is cancelled', ({ session }) => session.cancel()],
    ['the turn ends', ({ agent }, prompt) => agent.reply(prompt, done)],
    ['the turn fails', ({ agent }, prompt) => agent.fail(prompt, -32603, 'broken')],
    ['a login is required', ({ agent }, prompt) => agent.fail(prompt, -32000, 'who?')],
  ])('TOOL-5: is allowed only by the user: %s', async ([, act], { harness }) => {
    const scenario = aScenario(harness);
    const { prompt, question } = await asked(scenario);
    act(scenario, prompt);
    expect((await scenario.agent.answerTo(1)).result).toEqual(cancelled);
    choose(scenario.session, question.id, 'y');
    await scenario.agent.waitUntilProcessed();
    expect(scenario.agent.answersTo(1)).toHaveLength(1);
  });

  it.for<[string, readonly object[]]>([
    ['a rejection once', [option('y', 'allow_once'), option('n', 'reject_once')]],
    ['no rejection', [option('y', 'allow_once')]],
    ['nothing', []],
  ])('TOOL-6: waits until the user chooses, and is cancelled with the turn: %s', async (row, { harness }) => {
    const [, options] = row;
    const scenario = aScenario(harness);
    await asked(scenario, options);
    const { agent } = scenario;
    await agent.waitUntilProcessed();
    expect(agent.answersTo(1)).toEqual([]);
    scenario.session.cancel();
    expect((await agent.answerTo(1)).result).toEqual(cancelled);
    expect(agent.receivedMethods.slice(-2)).toEqual(['session/cancel', 'answer 1']);
  });

  it('TOOL-7: shows its diff, or the whole text of a new file, and does not write it', async ({
    harness,
  }) => {
    const scenario = aScenario(harness);
    const file = (name: string) => path.join(harness.folder, name);
    await scenario.turn(
      titledCall('c1', {
        kind: 'edit',
        content: [
          { type: 'diff', path: file('new.txt'), oldText: null, newText: 'one\n' },
          { type: 'diff', path: file('newer.txt'), newText: 'two\n' },
          { type: 'diff', path: file('old.txt'), oldText: 'three\n', newText: 'four\n' },
        ],
      }),
    );
    expect(toolOf(scenario)?.content).toMatchObject([
      { kind: 'diff', oldText: undefined, newText: 'one\n' },
      { kind: 'diff', oldText: undefined, newText: 'two\n' },
      { kind: 'diff', oldText: 'three\n', newText: 'four\n' },
    ]);
    const shown = scenario.chat.join('\n');
    for (const words of ['new.txt', '+ one', '+ two', '- three', '+ four']) expect(shown).toContain(words);
    expect(fs.readdirSync(harness.folder).filter((name) => name.endsWith('.txt'))).toEqual([]);
  });

  it('TOOL-8: shows the output of its terminal while it runs', async ({ harness }) => {
    const scenario = aScenario(harness, { workspace: withoutBuffers(harness.orphanGuard) });
    await scenario.begin();
    await scenario.prompt();
    const created = scenario.agent.request('terminal/create', {
      sessionId: 's1',
      command: 'sh',
      args: ['-c', 'echo kneading; read end'],
    });
    await scenario.choose('allow');
    const content = [{ type: 'terminal', ...((await created).result as object) }];
    scenario.agent.send(update('tool_call', { toolCallId: 'c1', title: 'bake', content }));
    await scenario.until(() => scenario.openChat.join('\n').includes('kneading'), 'output');
    expect(scenario.isBusy).toBe(true);
  });

  it('TOOL-9: shows its locations with lines counted from 1', async ({ harness }) => {
    const scenario = aScenario(harness);
    const file = (name: string) => path.join(harness.folder, name);
    const locations = [
      { path: file('a.ts'), line: 12 },
      { path: file('b.ts') },
      { path: file('c.ts'), line: null },
      { path: file('d.ts'), line: 0 },
    ];
    await scenario.turn(titledCall('c1', { locations, rawInput: { x: 1 } }));
    const shown = scenario.openChat.map((line) => line.trim());
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
  ])('TOOL-10: accepts any JSON as raw input and output: %j', async ([raw, shown], { harness }) => {
    const scenario = aScenario(harness);
    await scenario.turn(
      titledCall('c1', { kind: 'execute', rawInput: raw }),
      titledCall('c2', { rawInput: {}, rawOutput: raw }),
    );
    expect(toolOf(scenario)?.rawInput).toEqual(raw);
    expect(toolOf(scenario, 'c2')?.rawOutput).toEqual(raw);
    expect(scenario.openChat.join('\n').split(shown).length).toBeGreaterThan(2);
  });
});
