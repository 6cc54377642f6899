import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Chat } from '../../src/chat.ts';
import { actFrom } from '../../src/interview.ts';
import { RenderLoop } from '../../src/nvim/render-loop.ts';
import type { ElicitationRequest } from '../../src/ports/agent.ts';
import type { Form } from '../../src/session/form.ts';
import { Journal } from '../../src/session/journal.ts';
import { anAgentSpec, aPermission } from '../support/builders.ts';
import { EditorDouble, LauncherDouble, LogDouble, ManualClock, settle } from '../support/doubles.ts';
import { aForm, aFormRequest, aPageRequest } from '../support/forms.ts';
import { aFolder } from '../support/temp.ts';

interface Item {
  readonly label: string;
  readonly op: string;
  readonly payload: Record<string, unknown>;
}

async function aChatThatAsks(...requests: readonly ElicitationRequest[]) {
  const [editor, clock, log, launcher] = [
    new EditorDouble(),
    new ManualClock(),
    new LogDouble(),
    new LauncherDouble(),
  ];
  const file = path.join(aFolder(), '1.jsonl');
  const renderLoop = new RenderLoop(editor, clock, log);
  const ports = { editor, clock, log, launcher, renderLoop };
  const chat = new Chat(1, anAgentSpec(), new Journal(file, clock, log), ports);
  chat.start();
  await launcher.last.becomeReady();
  const outcomes = requests.map((request) => chat.session.elicit(request));
  chat.questions.show();

  /** What is on the screen now: the last that was opened. */
  const shown = () => editor.told.findLast(({ op }) => /^(picker|input|question)\.open$/.test(op));
  const items = () => (shown()?.payload.items ?? []) as readonly Item[];
  const labels = () => items().map(({ label }) => label);
  const give = (payload: Record<string, unknown>) => {
    if ('choice' in payload) chat.questions.interview.visit(Number(payload.id), String(payload.choice));
    else chat.questions.interview.fill(Number(payload.id), Number(payload.turn), actFrom(payload));
  };
  /** Takes an item of the picker, as Lua does. */
  const pick = (label: string) => {
    const item = items().find((one) => one.label.trim() === label);
    if (!item) throw new Error(`${label} is none of ${labels().join(', ')}`);
    give(item.payload);
  };
  const close = () => give((shown()?.payload.closed as Item | undefined)?.payload ?? {});
  const type = (text: string | undefined) =>
    give({ ...(shown()?.payload.payload as object), ...(text !== undefined && { text }) });
  return { chat, editor, clock, log, launcher, file, outcomes, shown, labels, pick, close, type };
}

const person = aForm(
  {
    name: { type: 'string', title: 'Name', minLength: 2 },
    pets: { type: 'array', title: 'Pets', items: { type: 'string', enum: ['cat', 'dog'] } },
    isNew: { type: 'boolean', title: 'New?' },
    colour: { type: 'string', title: 'Colour', oneOf: [{ const: 'r', title: 'Red', description: 'warm' }] },
  },
  ['name', 'isNew'],
);

describe('a form', () => {
  it('is asked field by field, looked at, and sent', async () => {
    const { shown, labels, pick, type, outcomes } = await aChatThatAsks(aFormRequest(person));
    expect(shown()).toMatchObject({
      op: 'input.open',
      payload: {
        prompt: 'Tester 1/4 · Name — Who are you? (text, at least 2 characters): ',
        default: '',
        isSecret: false,
      },
    });
    type('Ada');
    expect(shown()).toMatchObject({
      op: 'picker.open',
      payload: { prompt: 'Tester 2/4 · Pets — Who are you?', kind: 'acp.form' },
    });
    expect(labels()).toEqual(['[ ] cat', '[ ] dog', 'Done']);
    pick('[ ] dog');
    expect(labels()).toEqual(['[ ] cat', '[x] dog', 'Done']);
    pick('Done');
    expect(labels()).toEqual(['  Yes', '  No']);
    pick('No');
    expect(labels()).toEqual(['  Red — warm', '  Leave it out']);
    pick('Leave it out');
    expect(shown()?.payload.prompt).toBe('Tester: Who are you?');
    expect(labels()).toEqual([
      'Send',
      'Name: Ada',
      'Pets: dog',
      'New? no',
      'Colour: (left out)',
      'Decline',
      'Cancel',
    ]);
    pick('Colour: (left out)');
    pick('Red — warm');
    pick('Send');
    const answers = { name: 'Ada', pets: ['dog'], isNew: false, colour: 'r' };
    expect(await outcomes[0]).toEqual({ action: 'accept', answers: new Map(Object.entries(answers)) });
  });

  it('asks again with what was typed when that is wrong', async () => {
    const { shown, type } = await aChatThatAsks(aFormRequest(person));
    type('A');
    expect(shown()?.payload).toMatchObject({
      prompt:
        '"Name" must be text, at least 2 characters. Tester 1/4 · Name — Who are you? (text, at least 2 characters): ',
      default: 'A',
    });
  });

  it('waits when an input is closed, and opens at the review with what was filled in', async () => {
    const { chat, editor, shown, labels, type, close, pick, outcomes } = await aChatThatAsks(
      aFormRequest(person),
    );
    type('Ada');
    close();
    expect(editor.told.at(-1)).toEqual({
      op: 'question.waiting',
      payload: { chat: 1, ids: [1], isQuiet: true },
    });
    const before = editor.told.length;
    chat.questions.show({ isUnasked: true });
    expect(editor.told).toHaveLength(before);
    chat.questions.show();
    expect(shown()?.payload.prompt).toBe('Tester: Who are you?');
    expect(labels()[1]).toBe('Name: Ada');
    pick('Decline');
    expect(await outcomes[0]).toEqual({ action: 'decline' });
  });

  const colours = {
    type: 'string',
    title: 'Choice',
    oneOf: [
      { const: 'r', title: 'Red', description: 'warm' },
      { const: 'b', title: 'Blue' },
    ],
  };
  const remark = { type: 'string', title: 'Other', description: 'Your own answer' };
  const asking = (form: Form) => {
    const elicitation = { kind: 'form', message: 'Which colour?', form } as const;
    return aChatThatAsks(aFormRequest(form, { elicitation }));
  };

  it.each([true, false])(
    'of one choice has the question in its picker and is sent with it (required: %s)',
    async (isRequired) => {
      const { chat, shown, labels, pick, outcomes } = await asking(
        aForm({ c: colours }, isRequired ? ['c'] : []),
      );
      expect(shown()?.payload.prompt).toBe('Tester: Which colour?');
      expect(labels()).toEqual(['  Red — warm', '  Blue', '  Decline']);
      pick('Blue');
      expect(await outcomes[0]).toEqual({ action: 'accept', answers: new Map([['c', 'b']]) });
      expect(chat.session.state.entries.at(-1)).toMatchObject({ answer: 'Blue' });
    },
  );

  it.each<[string, object]>([
    ['Send "Green" alone', { o: 'Green' }],
    ['Blue', { c: 'b', o: 'Green' }],
  ])('of one choice with room for a remark is sent with either or both: %s', async (end, answers) => {
    const { shown, labels, pick, type, outcomes } = await asking(aForm({ c: colours, o: remark }));
    expect(labels()).toEqual(['  Red — warm', '  Blue', '  Other …', '  Decline']);
    pick('Other …');
    expect(shown()?.payload.prompt).toBe('Tester 2/2 · Other — Your own answer (text; optional): ');
    type('');
    expect(shown()?.payload.prompt).toBe('Tester: Which colour?');
    pick('Other …');
    type('Green');
    expect(labels()).toEqual([
      '  Red — warm',
      '  Blue',
      '  Send "Green" alone',
      '  Other: Green …',
      '  Decline',
    ]);
    pick(end);
    expect(await outcomes[0]).toEqual({ action: 'accept', answers: new Map(Object.entries(answers)) });
  });

  it('of one list is sent when it is done', async () => {
    const pets = { type: 'array', title: 'Pets', items: { type: 'string', enum: ['cat', 'dog'] } };
    const { labels, pick, outcomes } = await asking(aForm({ pets }, ['pets']));
    expect(labels()).toEqual(['[ ] cat', '[ ] dog', 'Done', '  Decline']);
    pick('[ ] dog');
    pick('Done');
    expect(await outcomes[0]).toEqual({ action: 'accept', answers: new Map([['pets', ['dog']]]) });
  });

  it('of one choice that was closed opens at the choice', async () => {
    const { chat, labels, close } = await asking(aForm({ c: colours, o: remark }));
    close();
    chat.questions.show();
    expect(labels()).toEqual(['  Red — warm', '  Blue', '  Other …', '  Decline']);
  });

  it('goes to what is missing when it is sent too early', async () => {
    const { chat, shown, type, pick } = await aChatThatAsks(aFormRequest(person));
    type(undefined);
    chat.questions.show();
    pick('Send');
    expect(shown()?.payload.prompt).toMatch(/^"Name" is needed\. Tester 1\/4/);
  });

  it('offers nothing but its end when it needs what is unknown here', async () => {
    const { labels } = await aChatThatAsks(aFormRequest(aForm({ a: { type: 'file' } }, ['a'])));
    expect(labels()).toEqual(['Decline', 'Cancel']);
  });

  it('comes up once by itself', async () => {
    const { chat, editor } = await aChatThatAsks(aFormRequest());
    const before = editor.told.length;
    chat.questions.show({ isUnasked: true });
    expect(editor.told).toHaveLength(before);
  });

  it('that was put aside lets others come first', async () => {
    const { chat, shown, type } = await aChatThatAsks(aFormRequest());
    type(undefined);
    void chat.session.ask(aPermission());
    chat.questions.show({ isUnasked: true });
    expect(shown()).toMatchObject({ op: 'question.open', payload: { id: 2 } });
  });

  it('is no longer asked when it was taken back, and takes no more', async () => {
    const withdrawal = new AbortController();
    const { editor, type, outcomes } = await aChatThatAsks(
      aFormRequest(undefined, { withdrawn: withdrawal.signal }),
    );
    withdrawal.abort();
    type('Ada');
    const message = 'nothing was answered: this is no longer asked';
    expect(editor.told.at(-1)).toEqual({ op: 'user.notify', payload: { message, level: 'warn' } });
    expect(await outcomes[0]).toEqual({ action: 'cancel' });
  });

  it('leaves no secret in the transcript on disk and none in the log', async () => {
    const secret = aForm({ token: { type: 'string', title: 'Token' } });
    const { clock, file, log, type, pick, shown } = await aChatThatAsks(aFormRequest(secret));
    expect(shown()?.payload.isSecret).toBe(true);
    type('hunter2');
    clock.advance(1_000);
    pick('Send');
    await settle();
    clock.advance(1_000);
    const written = fs.readFileSync(file, 'utf8');
    expect(written).toContain('"answer":"••••"');
    expect(written).not.toContain('form_filled');
    expect(written + log.lines.join('\n')).not.toContain('hunter2');
  });

  it('that a host was killed over was not answered', async () => {
    const { clock, file, editor } = await aChatThatAsks(aFormRequest());
    clock.advance(1_000);
    const ports = { editor, clock, log: new LogDouble(), launcher: new LauncherDouble() };
    const renderLoop = new RenderLoop(editor, clock, ports.log);
    const later = new Chat(1, anAgentSpec(), new Journal(file, clock, ports.log), { ...ports, renderLoop });
    later.start();
    const [entry] = later.session.state.entries;
    expect(entry).toMatchObject({ kind: 'question', answer: 'not answered' });
  });
});

describe('a page', () => {
  it.each<[string, object, object]>([
    [
      'Open in the browser',
      { op: 'page.open', payload: { url: 'https://example.com/login?code=1' } },
      { action: 'accept' },
    ],
    [
      'Copy the address and open it yourself',
      { op: 'text.copy', payload: { text: 'https://example.com/login?code=1' } },
      { action: 'accept' },
    ],
  ])('%s', async (label, told, outcome) => {
    const { editor, shown, pick, outcomes } = await aChatThatAsks(aPageRequest());
    expect(shown()?.payload.prompt).toBe('Tester: Log in. (example.com)');
    expect(editor.told.some(({ op }) => op === 'page.open')).toBe(false);
    pick(label);
    expect(editor.told.at(-1)).toEqual(told);
    expect(await outcomes[0]).toEqual(outcome);
  });

  it.each(['Decline', 'Cancel'])('%s opens nothing', async (label) => {
    const { editor, pick, outcomes } = await aChatThatAsks(aPageRequest());
    pick(label);
    expect(await outcomes[0]).toEqual({ action: label.toLowerCase() });
    expect(editor.told.filter(({ op }) => op === 'page.open' || op === 'text.copy')).toEqual([]);
  });

  it('waits when its picker is closed', async () => {
    const { chat, editor, close } = await aChatThatAsks(aPageRequest());
    close();
    expect(editor.told.at(-1)?.payload).toMatchObject({ ids: [1], isQuiet: true });
    expect(chat.session.state.questions).toHaveLength(1);
  });

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'ssh://host/'])('%s is never opened', async (url) => {
    const { chat, editor, labels } = await aChatThatAsks(aPageRequest(url));
    expect(labels()).toEqual(['Decline', 'Cancel']);
    for (const choice of ['open', 'copy', 'fly']) chat.questions.interview.visit(1, choice);
    expect(editor.told.filter(({ op }) => op === 'page.open' || op === 'text.copy')).toEqual([]);
    expect(chat.session.state.questions).toHaveLength(1);
  });

  it('is not opened by a choice nobody offered', async () => {
    const { chat, editor } = await aChatThatAsks(aPageRequest());
    chat.questions.interview.visit(1, 'fly');
    expect(editor.told.filter(({ op }) => op === 'page.open')).toEqual([]);
  });
});

it('what Lua says and means nothing is refused', () => {
  expect(() => actFrom({ act: 'fly' })).toThrow('act must be something one does to a form, not "fly"');
});
