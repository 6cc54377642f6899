import { describe, expect } from 'vitest';
import { textPrompt } from '../../../src/model/prompt.ts';
import { ToolDiffCache } from '../../../src/view/diff/tool-diff-cache.ts';
import { questionPrompt } from '../../../src/view/transcript/question.ts';
import { type AgentHarness, it } from '../../support/agents/agent-harness.ts';
import { call, callUpdate, done, permission, speech, update } from '../../support/agents/messages.ts';
import { playSteps, type SessionScenario, turn } from '../../support/agents/session-scenario.ts';

const meanings: Readonly<Record<string, string>> = {
  allow_once: 'allows once',
  allow_always: 'allows always',
  reject_once: 'rejects',
};
const option = (optionId: string, kind: string, name = `Name of ${optionId}`) => ({ optionId, name, kind });

/** The prompt of the picker. */
function picker(scenario: SessionScenario): string {
  const { state } = scenario.session;
  return questionPrompt(state.questions[0]!, {
    state,
    diffs: new ToolDiffCache(),
    now: 0,
    cwd: '/shop',
    roots: ['/shop'],
    home: '/nowhere',
    isOpen: () => false,
  });
}

describe.concurrent('permissions', () => {
  it.for<[string, readonly (readonly [string, string])[], string]>([
    [
      'always first',
      [
        ['forever', 'allow_always'],
        ['now', 'allow_once'],
        ['no', 'reject_once'],
      ],
      'now',
    ],
    [
      'two that allow always',
      [
        ['project', 'allow_always'],
        ['user', 'allow_always'],
        ['no', 'reject_once'],
      ],
      'user',
    ],
    [
      'two that allow once',
      [
        ['back', 'allow_once'],
        ['on', 'allow_once'],
        ['no', 'reject_once'],
      ],
      'on',
    ],
    [
      'only two',
      [
        ['proceed', 'allow_once'],
        ['abort', 'reject_once'],
      ],
      'abort',
    ],
  ])('behaviour 14: shows the options as they were sent: %s', async ([, offered, chosen], { harness }) => {
    const options = offered.map(([id, kind]) => option(id, kind));
    const scenario = playSteps(
      harness,
      { expect: 'session/prompt', say: [permission(0, { toolCallId: 'c1', title: 'Do it' }, options)] },
      { expect: 'answer', say: [speech('Thanks.')] },
    );
    scenario.session.send(textPrompt('go'));
    await scenario.question();
    expect(scenario.chat.slice(-offered.length)).toEqual(
      offered.map(([id, kind], index) => `  ${index + 1} Name of ${id} (${meanings[kind]})`),
    );
    await scenario.choose(chosen);
    await scenario.shows('Thanks.');
    expect(scenario.answers).toMatchObject([
      { result: { outcome: { outcome: 'selected', optionId: chosen } } },
    ]);
  });

  it('behaviour 15: shows a permission request whose options are answers as a question', async ({
    harness,
  }) => {
    const options = [
      option('a0', 'allow_once', 'Rye'),
      option('a1', 'allow_once', 'Wheat'),
      option('skip', 'reject_once', 'Skip'),
    ];
    const scenario = playSteps(
      harness,
      {
        expect: 'session/prompt',
        say: [permission(0, { toolCallId: 'c1', title: 'Which flour?', kind: 'other' }, options)],
      },
      { expect: 'answer', say: [speech('Thanks.')] },
    );
    scenario.session.send(textPrompt('go'));
    await scenario.question();
    expect(scenario.chat.slice(-5)).toEqual([
      '? Tester asks',
      '    Which flour?',
      '  1 Rye (allows once)',
      '  2 Wheat (allows once)',
      '  3 Skip',
    ]);
    await scenario.choose('a1');
    await scenario.shows('Thanks.');
    expect(scenario.answers).toMatchObject([{ result: { outcome: { optionId: 'a1' } } }]);
  });

  describe('behaviour 15: the questions in a permission request of qwen', () => {
    const options = [option('go', 'allow_once', 'Submit'), option('stop', 'reject_once', 'Cancel')];
    const qwen = { expect: 'initialize', reply: { protocolVersion: 1, agentInfo: { name: 'qwen-code' } } };
    const asking = (harness: AgentHarness, hidden: object) => {
      const toolCall = { toolCallId: 'c1', title: 'Ask user 1 question', kind: 'think', ...hidden };
      const scenario = playSteps(
        harness,
        qwen,
        { expect: 'session/prompt', say: [permission(0, toolCall, options)] },
        { expect: 'answer', say: [speech('Thanks.')] },
      );
      scenario.session.send(textPrompt('go'));
      return scenario;
    };

    it.for<[string, object]>([
      ['its arguments', { rawInput: { questions: [flour()] } }],
      ['its metadata', { rawInput: {}, _meta: { qwenQuestions: [flour()] } }],
      ['both', { rawInput: { questions: [flour()] }, _meta: { qwenQuestions: [flour()] } }],
    ])('become a choice whose answer is sent with the consent: %s', async ([, hidden], { harness }) => {
      const scenario = asking(harness, hidden);
      const entry = await scenario.question();
      expect(scenario.chat.join('\n')).toContain('Which flour?');
      const { id, elicitation } = entry!.question;
      expect(elicitation).toMatchObject({
        message: 'Which flour?',
        form: {
          fields: [{ kind: 'choice', choices: [{ title: 'Rye', description: 'dark' }, { title: 'Wheat' }] }],
        },
      });
      scenario.session.questions.applyFormAction(id, 0, { kind: 'choose', value: 'Wheat' });
      await scenario.shows('Thanks.');
      const outcome = { outcome: 'selected', optionId: 'go' };
      expect(scenario.answers).toMatchObject([{ result: { outcome, answers: { 0: 'Wheat' } } }]);
      expect(scenario.chat.join('\n')).toContain('· asked: Which flour?  Wheat');
    });

    it('can be several, one of them with many answers', async ({ harness }) => {
      const many = { question: 'Which seeds?', options: ['Poppy', 'Sesame'], multiSelect: true };
      const scenario = asking(harness, { _meta: { qwenQuestions: [flour(), many] } });
      const entry = await scenario.question();
      const { id } = entry!.question;
      const turn = () => entry!.formProgress!.revision;
      const acts = [
        { kind: 'choose', value: 'Rye' },
        { kind: 'toggle', value: 'Poppy' },
        { kind: 'toggle', value: 'Sesame' },
        { kind: 'done' },
        { kind: 'send' },
      ] as const;
      for (const act of acts) scenario.session.questions.applyFormAction(id, turn(), act);
      await scenario.shows('Thanks.');
      expect(scenario.answers).toMatchObject([{ result: { answers: { 0: 'Rye', 1: 'Poppy, Sesame' } } }]);
    });

    it('are rejected when they are declined', async ({ harness }) => {
      const scenario = asking(harness, { rawInput: { questions: [flour()] } });
      const entry = await scenario.question();
      scenario.session.questions.applyFormAction(entry!.question.id, 0, { kind: 'decline' });
      await scenario.shows('Thanks.');
      const outcome = { outcome: 'selected', optionId: 'stop' };
      expect(scenario.answers).toMatchObject([{ result: { outcome } }]);
    });
  });

  it('behaviour 15: accepts the same question as a form from agents that send forms', async ({ harness }) => {
    const flour = { type: 'string', title: 'Which flour?', enum: ['Rye', 'Wheat'] };
    const requestedSchema = { type: 'object', properties: { flour }, required: ['flour'] };
    const params = { sessionId: 's1', mode: 'form', message: 'A question', requestedSchema };
    const scenario = playSteps(
      harness,
      { expect: 'session/prompt', say: [{ id: 0, method: 'elicitation/create', params }] },
      { expect: 'answer', say: [speech('Thanks.')] },
    );
    scenario.session.send(textPrompt('go'));
    const entry = await scenario.question();
    expect(scenario.chat.join('\n')).toContain('Which flour?');
    const { id } = entry!.question;
    scenario.session.questions.answerPage(id, { action: 'accept', answers: new Map([['flour', 'Wheat']]) });
    await scenario.shows('Thanks.');
    expect(scenario.answers).toMatchObject([{ result: { action: 'accept', content: { flour: 'Wheat' } } }]);
  });

  it('behaviour 16: shows the known tool call if the permission request adds little', async ({ harness }) => {
    const diff = { type: 'diff', path: '/shop/list.txt', oldText: 'eggs', newText: 'eggs\nmilk' };
    const scenario = playSteps(harness, {
      expect: 'session/prompt',
      say: [
        call('c1', {
          title: 'Edit list.txt',
          kind: 'edit',
          content: [diff],
          locations: [{ path: '/shop/list.txt' }],
          rawInput: { filePath: '/shop/list.txt' },
        }),
        permission(0, {
          toolCallId: 'c1',
          rawInput: { filepath: '/shop/list.txt', diff: '@@' },
          content: [],
          locations: [],
        }),
      ],
    });
    scenario.session.send(textPrompt('go'));
    await scenario.question();
    expect(picker(scenario)).toContain('Edit list.txt');
    expect(scenario.chat).toContain('    + milk');
    expect(scenario.tool('c1')).toMatchObject({
      content: [{ kind: 'diff' }],
      locations: [{ path: '/shop/list.txt' }],
      rawInput: { diff: '@@' },
    });
  });

  it('behaviour 16: uses the details of the permission request for an unknown tool call', async ({
    harness,
  }) => {
    const diff = { type: 'diff', path: '/shop/list.txt', oldText: '', newText: 'milk' };
    const scenario = playSteps(harness, {
      expect: 'session/prompt',
      say: [
        call('c1', { title: 'edit', kind: 'edit', status: 'pending', rawInput: {} }),
        permission(0, { toolCallId: 'c1', title: 'list.txt', content: [diff] }),
      ],
    });
    scenario.session.send(textPrompt('go'));
    await scenario.question();
    expect(picker(scenario)).toContain('list.txt');
    expect(scenario.chat).toContain('    + milk');
  });

  it.for<[string, object, readonly string[]]>([
    ['ends the turn as cancelled', { stopReason: 'cancelled' }, ['· Stopped.']],
    ['ends the turn without a message', done, []],
  ])('behaviour 17: continues after a rejection that %s', async ([, reply, notices], { harness }) => {
    const scenario = playSteps(
      harness,
      {
        expect: 'session/prompt',
        say: [permission(0, { toolCallId: 'c1', title: 'Burn it', kind: 'delete' })],
      },
      { expect: 'answer', to: 'session/prompt', reply },
      turn(speech('Something else?')),
    );
    await scenario.promptAndWait('one', () => scenario.choose('n'));
    expect(scenario.tools).toMatchObject([{ status: 'cancelled' }]);
    expect(scenario.chat.filter((line) => /^[·!] [A-Z]/.test(line))).toEqual(notices);
    await scenario.promptAndWait('two');
    expect(scenario.chat.at(-1)).toBe('Something else?');
  });

  it('behaviour 18: asks about leaving plan mode and shows the next mode', async ({ harness }) => {
    const modes = {
      currentModeId: 'plan',
      availableModes: [
        { id: 'plan', name: 'Plan' },
        { id: 'code', name: 'Code' },
      ],
    };
    const leave = { toolCallId: 'c1', title: 'Ready to code?', kind: 'switch_mode' };
    const scenario = playSteps(
      harness,
      { expect: 'session/new', reply: { sessionId: 's1', modes } },
      { expect: 'session/prompt', say: [permission(0, leave)] },
      {
        expect: 'answer',
        say: [
          callUpdate('c1', { status: 'completed' }),
          update('current_mode_update', { currentModeId: 'code' }),
          speech('Coding.'),
        ],
      },
    );
    scenario.session.send(textPrompt('go'));
    await scenario.question();
    expect(picker(scenario)).toBe('Tester wants to switch modes: Ready to code?');
    expect(scenario.winbar).toContain('Plan');
    await scenario.choose('y');
    await scenario.shows('Coding.');
    expect(scenario.winbar).toContain('Code');
  });
});

function flour() {
  return {
    question: 'Which flour?',
    header: 'Flour',
    options: [{ label: 'Rye', description: 'dark' }, { label: 'Wheat' }],
  };
}
