import { describe, expect, it } from 'vitest';
import type { Setting } from '../../../src/model/agent.ts';
import { emptySession } from '../../../src/model/session.ts';
import type { SessionEvent } from '../../../src/model/session-events.ts';
import type { NamedKeys } from '../../../src/ports/options.ts';
import { activityLine, makeWinbar, queueLines } from '../../../src/view/status.ts';
import { aChunk, aQuestion, aSession, isReady } from '../../support/builders.ts';
import { aMode } from '../../support/session-events.ts';

const started: SessionEvent = { kind: 'turn_started', text: 'go' };
const cancelled: SessionEvent = { kind: 'cancel_requested' };
const keys = { cancel: '<C-c>', nextQuestion: 'gw', diff: 'gd' };
const howToAnswer = 'answer with gw and a digit, or :AcpAnswer';
const asked: SessionEvent = { kind: 'question_asked', question: aQuestion() };
const queued: SessionEvent = { kind: 'prompt_queued', text: 'more' };
const starting: SessionEvent = { kind: 'agent_starting' };
const joined = (pieces: readonly (readonly [string, string])[], separator = '') =>
  pieces
    .map(([text]) => text)
    .join(separator)
    .trim();

/** Both signs of how a session stands, three seconds after the last event. */
function signs(...events: SessionEvent[]) {
  const state = aSession(...events);
  const now = Math.max(0, events.length - 1) * 1_000 + 3_000;
  const { left, right } = makeWinbar(state, now);
  return {
    left: joined(left), // As `lua/acp/ui/winbar.lua` joins them.
    right: joined(right, ' · '),
    activity: joined(activityLine(state, now, keys)),
  };
}

describe('the right of the winbar and the activity line', () => {
  it.each<[string, SessionEvent[], string, string]>([
    ['without an agent', [], '✗ no agent', ''],
    ['starting', [starting], '○ starting', '○ starting tester 3 s'],
    ['idle', [isReady], '', ''],
    ['running', [isReady, started], '● 3 s', '● working'],
    ['cancelling', [isReady, started, cancelled], '⊘ stopping', '⊘ stopping · <C-c> after 2 s kills it'],
    ['waiting for the user', [isReady, started, asked], '? waiting for you', howToAnswer],
    [
      'after an idle agent was ended',
      [isReady, { kind: 'agent_gone', isIdle: true }],
      '○ not running',
      '○ ended while idle · a prompt starts it',
    ],
    [
      'allowing everything',
      [isReady, { kind: 'allow_all', isOn: true }, started],
      '! allows all · ● 3 s',
      '● working',
    ],
    [
      'with an agent that allowed everything and is gone',
      [isReady, { kind: 'allow_all', isOn: true }, { kind: 'agent_gone' }],
      '✗ no agent',
      '',
    ],
    ['with queued prompts', [isReady, started, queued, queued], '● 5 s', '● working  2 queued · :AcpQueue'],
    [
      'with prompts that are held',
      [isReady, started, { kind: 'queue_changed', prompts: [{ text: 'a', isHeld: true }, { text: 'b' }] }],
      '● 4 s',
      '● working  2 queued, 1 paused · :AcpQueue resume',
    ],
    [
      'with a queue that is paused',
      [isReady, { kind: 'prompt_queued', text: 'a', isHeld: true }],
      '',
      '1 paused · :AcpQueue resume',
    ],
  ])('%s', (_, events, right, activity) => expect(signs(...events)).toMatchObject({ right, activity }));
});

it('the winbar says that a session is private or has a worktree, before its state', () => {
  const state = emptySession('tester', 0, { isPrivate: true, hasWorktree: true });
  expect(makeWinbar(state, 0).right).toEqual([
    ['worktree', 'AcpWorktree'],
    ['private', 'AcpPrivate'],
    ['✗ no agent', 'AcpFailed'],
  ]);
});

describe('a silent agent', () => {
  const activityAfter = (seconds: number, ...events: SessionEvent[]) => {
    const state = aSession(isReady, started, ...events);
    return joined(activityLine(state, (events.length + 1 + seconds) * 1_000, keys));
  };
  const silent = 'no update from Tester for 30 s · <C-c> stops it, :AcpLog has more';
  const settled: SessionEvent = { kind: 'question_settled', questionId: 1, answer: 'Yes' };
  const terminal = (exit?: object) =>
    ({ kind: 'terminal', patch: { terminalId: 't', ...exit } }) as SessionEvent;

  it.each<[string, string, string]>([
    ['is not mentioned after 29 s', activityAfter(29), '● working'],
    ['is mentioned after 30 s', activityAfter(30), `● working  ${silent}`],
    ['is no longer mentioned after an update', activityAfter(1, aChunk('a')), '● working'],
    ['is not mentioned while a question waits', activityAfter(60, asked), howToAnswer],
    ['gets 30 s after an answer', activityAfter(29, asked, settled), '● working'],
    ['is not mentioned while a terminal runs', activityAfter(60, terminal()), '● working'],
    [
      'is mentioned if the terminal exited long ago',
      activityAfter(30, terminal({ exit: { code: 0, signal: undefined } })),
      `● working  ${silent}`,
    ],
  ])('%s', (_, activity, expected) => expect(activity).toBe(expected));
});

describe('the keys in the activity line', () => {
  const page = { kind: 'page', message: 'Log in', url: 'https://example.org', pageId: 'p' } as const;
  const forPage: SessionEvent = { kind: 'question_asked', question: aQuestion({ elicitation: page }) };
  const line = (shown: NamedKeys, ...events: SessionEvent[]) =>
    joined(activityLine(aSession(isReady, started, ...events), 40_000, shown));
  const mapped = { cancel: 'gs', nextQuestion: 'gz', diff: 'gy' };
  const none = { cancel: '', nextQuestion: '', diff: '' };

  it.each<[string, string, string]>([
    ['are those of the user', line(mapped, asked), 'answer with gz and a digit, or :AcpAnswer'],
    ['are left out if they are not mapped', line(none, asked), 'answer with :AcpAnswer'],
    [
      'are left out for a page, which has no numbered answers',
      line(mapped, forPage),
      'answer with :AcpAnswer',
    ],
    [
      'are named if one of several questions has numbers',
      line(mapped, forPage, asked),
      'answer with gz and a digit, or :AcpAnswer',
    ],
    [
      'stop the turn',
      line(mapped),
      '● working  no update from Tester for 39 s · gs stops it, :AcpLog has more',
    ],
    ['force the stop', line(mapped, cancelled), '⊘ stopping · gs after 2 s kills it'],
    [
      'are a command if they are not mapped',
      line(none, cancelled),
      '⊘ stopping · :AcpCancel after 2 s kills it',
    ],
  ])('%s', (_, shown, expected) => expect(shown).toBe(expected));
});

describe('the activity line in a narrow window', () => {
  const cut = (width: number, ...events: SessionEvent[]) =>
    joined(activityLine(aSession(isReady, started, ...events), 40_000, keys, { width }));
  const cutWithChange = (width: number) =>
    joined(activityLine(aSession(isReady, started, asked), 40_000, keys, { width, canCompare: true }));

  it.each<[string, string, string]>([
    ['leaves out hints', cut(50), '● working  no update from Tester for 39 s'],
    ['keeps the hints that fit', cut(60), '● working  no update from Tester for 39 s · <C-c> stops it'],
    ['leaves out more', cut(20), '● working'],
    ['leaves out the command of the queue', cut(22, cancelled, queued), '⊘ stopping'],
    ['leaves out the key to a question', cut(40, asked), 'answer with :AcpAnswer'],
    [
      'names the key that shows the change of a question',
      cutWithChange(80),
      'answer with gw and a digit, or :AcpAnswer · gd shows the change',
    ],
    [
      'leaves out the command, whose keys say the same',
      cutWithChange(60),
      'answer with gw and a digit · gd shows the change',
    ],
    ['says both keys in a narrow window', cutWithChange(42), 'gw and a digit · gd shows the change'],
    ['leaves out the key that shows the change', cutWithChange(30), 'answer with :AcpAnswer'],
    ['keeps the whole command of an answer', cut(12, asked), ':AcpAnswer'],
    ['cuts what is left', cut(5, asked), ':Acp…'],
  ])('%s', (_, shown, expected) => expect(shown).toBe(expected));
});

describe('the winbar', () => {
  it.each<[string, SessionEvent[], object]>([
    ['names the agent', [isReady], { left: 'Tester' }],
    [
      'shows no title that repeats the name',
      [isReady, { kind: 'title', title: 'Tester' }],
      { left: 'Tester' },
    ],
    ['shows the title', [isReady, { kind: 'title', title: 'Fix\nit' }], { left: 'Tester · Fix it' }],
    [
      'shortens a long title',
      [isReady, { kind: 'title', title: 'x'.repeat(500) }],
      { left: expect.stringMatching(/^Tester · x{79}…$/) },
    ],
    [
      'shows the context usage',
      [isReady, { kind: 'usage', usage: { used: 1, size: 3, cost: undefined } }],
      { right: '33 %' },
    ],
    [
      'shows the cost in dollars',
      [isReady, { kind: 'usage', usage: { used: 1, size: 2, cost: { amount: 0.1234, currency: 'USD' } } }],
      { right: '50 % · $0.12' },
    ],
    [
      'shows no cost of zero',
      [isReady, { kind: 'usage', usage: { used: 1, size: 2, cost: { amount: 0, currency: 'USD' } } }],
      { right: '50 %' },
    ],
    [
      'shows the cost in euros',
      [isReady, { kind: 'usage', usage: { used: 1, size: 2, cost: { amount: 2, currency: 'EUR' } } }],
      { right: '50 % · 2.00 EUR' },
    ],
    [
      'shows the usage before the phase',
      [isReady, { kind: 'usage', usage: { used: 1, size: 2, cost: undefined } }, started],
      { right: '50 % · ● 3 s' },
    ],
    [
      'ignores a context size of zero',
      [isReady, { kind: 'usage', usage: { used: 1, size: 0, cost: undefined } }],
      { right: '' },
    ],
    [
      'makes control characters visible',
      [{ kind: 'agent_ready', agent: { name: 'x', title: 'A\x1b]0;x\x07' } }],
      { left: 'A␛]0;x␇' },
    ],
  ])('%s', (_, events, expected) => expect(signs(...events)).toMatchObject(expected));
});

describe('mode and model in the winbar', () => {
  const setting = (id: string, category: string | undefined, values: readonly string[], current: string) => ({
    ...aMode,
    id,
    category,
    current,
    choices: values.map((value) => ({
      value,
      name: `The ${value}`,
      description: undefined,
      group: undefined,
    })),
  });
  const pieces = (...settings: readonly Setting[]) =>
    makeWinbar(aSession(isReady, { kind: 'settings', settings }), 0).right;
  const modes = (...values: readonly string[]) => values;

  it.each<[string, readonly string[], string, string]>([
    ['changes of files', modes('default', 'acceptEdits', 'plan'), 'acceptEdits', 'AcpAllowAll'],
    ['nothing', modes('default', 'bypassPermissions'), 'bypassPermissions', 'AcpAllowAll'],
    ['nothing', modes('default', 'autoEdit', 'yolo'), 'yolo', 'AcpAllowAll'],
    ['nothing, by the first mode', modes('yolo', 'ask'), 'yolo', 'AcpAllowAll'],
    ['what it judges itself', modes('plan', 'default', 'auto'), 'auto', 'AcpAllowAll'],
    ['nothing that is not allowed', modes('default', 'dontAsk'), 'dontAsk', 'AcpAllowAll'],
    ['nothing', modes('read-only', 'auto', 'full-access'), 'full-access', 'AcpAllowAll'],
    ['nothing', modes('x/modes#agent', 'x/modes#autopilot'), 'x/modes#autopilot', 'AcpAllowAll'],
    ['as usual', modes('default', 'plan'), 'plan', 'AcpMode'],
    ['as usual, by the first mode', modes('auto', 'approve'), 'auto', 'AcpMode'],
  ])('warn of a mode that asks less, by its id: %s %j %s', (_, values, current, hl) => {
    const [[text = '', shown] = []] = pieces(setting('mode', 'mode', values, current));
    expect(shown).toBe(hl);
    expect(text.startsWith(hl === 'AcpAllowAll' ? '! The ' : 'The ')).toBe(true);
  });

  it('warn of an option that turns all questions off', () => {
    const option = { ...setting('allow_all', undefined, [], ''), name: 'Allow all', current: true };
    expect(pieces(option)).toEqual([['! Allow all', 'AcpAllowAll']]);
    expect(pieces({ ...option, current: false })).toEqual([]);
  });

  it('warn of no model, whatever its name', () => {
    expect(pieces(setting('model', 'model', ['large', 'auto'], 'auto'))).toEqual([['The auto', 'AcpMuted']]);
  });

  it('show a second mode that was changed', () => {
    const main = setting('mode', 'mode', ['read-only', 'full'], 'read-only');
    const second = (current: string) =>
      setting('collaboration_mode', undefined, ['default', 'plan'], current);
    expect(pieces(main, second('default'))).toEqual([['The read-only', 'AcpMode']]);
    expect(pieces(main, second('plan'))).toEqual([
      ['The read-only', 'AcpMode'],
      ['The plan', 'AcpMode'],
    ]);
  });

  it.each([
    ['Default (recommended)', []],
    ['default', []],
    ['Large (recommended)', [['Large', 'AcpMuted']]],
  ])('say what is in the name of a model: %s', (name, expected) => {
    const model = setting('model', 'model', ['m'], 'm');
    expect(pieces({ ...model, choices: [{ ...model.choices[0]!, name }] })).toEqual(expected);
  });
});

describe('the lines of the queue', () => {
  const linesOf = (texts: readonly string[], width?: number, flags: object = {}) => {
    const prompts = texts.map((text) => ({ text, ...flags }));
    const [, ...lines] = queueLines(aSession(isReady, { kind: 'queue_changed', prompts }), width);
    return lines.map((pieces) => joined(pieces));
  };

  it.each<[string, readonly string[], readonly string[]]>([
    ['no prompt', linesOf([]), []],
    ['two prompts', linesOf(['fix it', 'test it']), ['○ fix it', '○ test it']],
    ['a prompt of two lines', linesOf(['fix it\nnow']), ['○ fix it  +1 line']],
    ['a prompt of three lines', linesOf(['a\nb\nc']), ['○ a  +2 lines']],
    ['a prompt that is held', linesOf(['a'], 80, { isHeld: true }), ['○ a  paused']],
    ['a prompt that is offered', linesOf(['a'], 80, { isOffered: true }), ['○ a  being sent']],
    ['a long prompt', linesOf(['x'.repeat(100)], 20), [`○ ${'x'.repeat(17)}…`]],
    ['many prompts', linesOf(['1', '2', '3', '4', '5', '6']), ['○ 1', '○ 2', '○ 3', '○ 4', '… 2 more']],
    ['control characters', linesOf(['a\u001b[31mb']), ['○ a␛[31mb']],
  ])('%s', (_, lines, expected) => expect(lines).toEqual(expected));
});
