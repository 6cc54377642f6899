import { describe, expect } from 'vitest';
import { questionPrompt } from '../../../src/view/entries.ts';
import { it, type Workshop } from '../../support/agent-it.ts';
import {
  call,
  callUpdate,
  done,
  permission,
  type Stage,
  speech,
  stage,
  turn,
  update,
} from '../../support/stage.ts';

const option = (optionId: string, kind: string, name = `Name of ${optionId}`) => ({ optionId, name, kind });

/** The picker's question. */
function picker(played: Stage): string {
  const { state } = played.session;
  return questionPrompt(state.questions[0]!, {
    state,
    now: 0,
    cwd: '/shop',
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
      'two of always',
      [
        ['project', 'allow_always'],
        ['user', 'allow_always'],
        ['no', 'reject_once'],
      ],
      'user',
    ],
    [
      'two of once',
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
  ])('manner 14: shows the options as they were sent: %s', async ([, offered, chosen], { workshop }) => {
    const options = offered.map(([id, kind]) => option(id, kind));
    const played = stage(
      workshop,
      { expect: 'session/prompt', say: [permission(0, { toolCallId: 'c1', title: 'Do it' }, options)] },
      { expect: 'answer', say: [speech('Thanks.')] },
    );
    played.session.send('go');
    await played.question();
    expect(played.lines().slice(-offered.length)).toEqual(
      offered.map(([id], index) => `  ${index + 1} Name of ${id}`),
    );
    await played.answer(chosen);
    await played.shows('Thanks.');
    expect(played.answers).toMatchObject([
      { result: { outcome: { outcome: 'selected', optionId: chosen } } },
    ]);
  });

  it('manner 15: takes a question whose options are the answers', async ({ workshop }) => {
    const options = [
      option('a0', 'allow_once', 'Rye'),
      option('a1', 'allow_once', 'Wheat'),
      option('skip', 'reject_once', 'Skip'),
    ];
    const played = stage(
      workshop,
      {
        expect: 'session/prompt',
        say: [permission(0, { toolCallId: 'c1', title: 'Which flour?', kind: 'other' }, options)],
      },
      { expect: 'answer', say: [speech('Thanks.')] },
    );
    played.session.send('go');
    await played.question();
    expect(played.lines().slice(-5)).toEqual([
      '? Scripted asks',
      '    Which flour?',
      '  1 Rye',
      '  2 Wheat',
      '  3 Skip',
    ]);
    await played.answer('a1');
    await played.shows('Thanks.');
    expect(played.answers).toMatchObject([{ result: { outcome: { optionId: 'a1' } } }]);
  });

  describe('manner 15: the questions that qwen hides in a permission', () => {
    const options = [option('go', 'allow_once', 'Submit'), option('stop', 'reject_once', 'Cancel')];
    const qwen = { expect: 'initialize', reply: { protocolVersion: 1, agentInfo: { name: 'qwen-code' } } };
    const asking = (workshop: Workshop, hidden: object) => {
      const toolCall = { toolCallId: 'c1', title: 'Ask user 1 question', kind: 'think', ...hidden };
      const played = stage(
        workshop,
        qwen,
        { expect: 'session/prompt', say: [permission(0, toolCall, options)] },
        { expect: 'answer', say: [speech('Thanks.')] },
      );
      played.session.send('go');
      return played;
    };

    it.for<[string, object]>([
      ['its arguments', { rawInput: { questions: [flour()] } }],
      ['its metadata', { rawInput: {}, _meta: { qwenQuestions: [flour()] } }],
      ['both', { rawInput: { questions: [flour()] }, _meta: { qwenQuestions: [flour()] } }],
    ])('are a choice, and the answer goes with the consent: %s', async ([, hidden], { workshop }) => {
      const played = asking(workshop, hidden);
      const [entry] = await played.question();
      expect(played.lines().join('\n')).toContain('Which flour?');
      const { id, elicitation } = entry!.question;
      expect(elicitation).toMatchObject({
        message: 'Which flour?',
        form: {
          fields: [{ kind: 'choice', choices: [{ title: 'Rye', description: 'dark' }, { title: 'Wheat' }] }],
        },
      });
      played.session.asking.fill(id, 0, { kind: 'choose', value: 'Wheat' });
      await played.shows('Thanks.');
      const outcome = { outcome: 'selected', optionId: 'go' };
      expect(played.answers).toMatchObject([{ result: { outcome, answers: { 0: 'Wheat' } } }]);
      expect(played.lines().join('\n')).toContain('· asked: Which flour?  Wheat');
    });

    it('are several, of which one takes many answers', async ({ workshop }) => {
      const many = { question: 'Which seeds?', options: ['Poppy', 'Sesame'], multiSelect: true };
      const played = asking(workshop, { _meta: { qwenQuestions: [flour(), many] } });
      const [entry] = await played.question();
      const { id } = entry!.question;
      const turn = () => entry!.walk!.turn;
      const acts = [
        { kind: 'choose', value: 'Rye' },
        { kind: 'toggle', value: 'Poppy' },
        { kind: 'toggle', value: 'Sesame' },
        { kind: 'done' },
        { kind: 'send' },
      ] as const;
      for (const act of acts) played.session.asking.fill(id, turn(), act);
      await played.shows('Thanks.');
      expect(played.answers).toMatchObject([{ result: { answers: { 0: 'Rye', 1: 'Poppy, Sesame' } } }]);
    });

    it('are refused when they are declined', async ({ workshop }) => {
      const played = asking(workshop, { rawInput: { questions: [flour()] } });
      const [entry] = await played.question();
      played.session.asking.fill(entry!.question.id, 0, { kind: 'decline' });
      await played.shows('Thanks.');
      const outcome = { outcome: 'selected', optionId: 'stop' };
      expect(played.answers).toMatchObject([{ result: { outcome } }]);
    });
  });

  it('manner 15: takes the same question as a form, which agents ask of clients that know forms', async ({
    workshop,
  }) => {
    const flour = { type: 'string', title: 'Which flour?', enum: ['Rye', 'Wheat'] };
    const requestedSchema = { type: 'object', properties: { flour }, required: ['flour'] };
    const params = { sessionId: 's1', mode: 'form', message: 'A question', requestedSchema };
    const played = stage(
      workshop,
      { expect: 'session/prompt', say: [{ id: 0, method: 'elicitation/create', params }] },
      { expect: 'answer', say: [speech('Thanks.')] },
    );
    played.session.send('go');
    const [entry] = await played.question();
    expect(played.lines().join('\n')).toContain('Which flour?');
    const { id } = entry!.question;
    played.session.asking.conclude(id, { action: 'accept', answers: new Map([['flour', 'Wheat']]) });
    await played.shows('Thanks.');
    expect(played.answers).toMatchObject([{ result: { action: 'accept', content: { flour: 'Wheat' } } }]);
  });

  it('manner 16: asks about the call as it is known when the permission adds little', async ({
    workshop,
  }) => {
    const diff = { type: 'diff', path: '/shop/list.txt', oldText: 'eggs', newText: 'eggs\nmilk' };
    const played = stage(workshop, {
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
    played.session.send('go');
    await played.question();
    expect(picker(played)).toContain('Edit list.txt');
    expect(played.lines()).toContain('    + milk');
    expect(played.tool('c1')).toMatchObject({
      content: [{ kind: 'diff' }],
      locations: [{ path: '/shop/list.txt' }],
      rawInput: { diff: '@@' },
    });
  });

  it('manner 16: takes what a permission says of a call that said nothing before', async ({ workshop }) => {
    const diff = { type: 'diff', path: '/shop/list.txt', oldText: '', newText: 'milk' };
    const played = stage(workshop, {
      expect: 'session/prompt',
      say: [
        call('c1', { title: 'edit', kind: 'edit', status: 'pending', rawInput: {} }),
        permission(0, { toolCallId: 'c1', title: 'list.txt', content: [diff] }),
      ],
    });
    played.session.send('go');
    await played.question();
    expect(picker(played)).toContain('list.txt');
    expect(played.lines()).toContain('    + milk');
  });

  it.for<[string, object, readonly string[]]>([
    ['ends the turn as cancelled', { stopReason: 'cancelled' }, ['· Stopped.']],
    ['ends the turn without a word', done, []],
  ])('manner 17: goes on after a rejection that %s', async ([, reply, notices], { workshop }) => {
    const played = stage(
      workshop,
      {
        expect: 'session/prompt',
        say: [permission(0, { toolCallId: 'c1', title: 'Burn it', kind: 'delete' })],
      },
      { expect: 'answer', to: 'session/prompt', reply },
      turn(speech('Something else?')),
    );
    await played.prompt('one', () => played.answer('n'));
    expect(played.tools).toMatchObject([{ status: 'cancelled' }]);
    expect(played.lines().filter((line) => /^[·!] [A-Z]/.test(line))).toEqual(notices);
    await played.prompt('two');
    expect(played.lines().at(-1)).toBe('Something else?');
  });

  it('manner 18: asks about leaving the plan mode, and shows the mode that follows', async ({ workshop }) => {
    const modes = {
      currentModeId: 'plan',
      availableModes: [
        { id: 'plan', name: 'Plan' },
        { id: 'code', name: 'Code' },
      ],
    };
    const leave = { toolCallId: 'c1', title: 'Ready to code?', kind: 'switch_mode' };
    const played = stage(
      workshop,
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
    played.session.send('go');
    await played.question();
    expect(picker(played)).toBe('Scripted wants to switch modes: Ready to code?');
    expect(played.winbar).toContain('Plan');
    await played.answer('y');
    await played.shows('Coding.');
    expect(played.winbar).toContain('Code');
  });
});

function flour() {
  return {
    question: 'Which flour?',
    header: 'Flour',
    options: [{ label: 'Rye', description: 'dark' }, { label: 'Wheat' }],
  };
}
