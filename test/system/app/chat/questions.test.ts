import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Chat } from '../../../../src/app/chat/chat.ts';
import type { Host } from '../../../../src/app/host.ts';
import { operations } from '../../../../src/app/operations.ts';
import type { Form } from '../../../../src/model/form.ts';
import { RenderLoop } from '../../../../src/nvim/render-loop.ts';
import type { ElicitationRequest } from '../../../../src/ports/agent.ts';
import { Journal } from '../../../../src/session/journal/journal.ts';
import { anAgentSpec, aPermission } from '../../../support/builders.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { settle } from '../../../support/doubles/deferred.ts';
import { EditorDouble } from '../../../support/doubles/editor.ts';
import { LauncherDouble } from '../../../support/doubles/link.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { withoutFiles } from '../../../support/doubles/prompt-sources.ts';
import { aForm, aFormRequest, aPageRequest } from '../../../support/forms.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { someOptions } from '../../../support/workspace/workspace.ts';

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
  const promptSources = withoutFiles(editor, clock);
  const options = { get: () => someOptions };
  const ports = { editor, clock, log, launcher, renderLoop, promptSources, options };
  const chat = new Chat(1, anAgentSpec(), new Journal(file, clock, log), ports);
  chat.start();
  await launcher.last.becomeReady();
  const outcomes = requests.map((request) => chat.session.elicit(request));
  chat.questions.show();

  /** What is on the screen now: the last that was opened. */
  const shown = () => editor.sent.findLast(({ op }) => /^(picker|input|question)\.open$/.test(op));
  const items = () => (shown()?.payload.items ?? []) as readonly Item[];
  const labels = () => items().map(({ label }) => label);
  const give = (payload: Record<string, unknown>) => {
    receive(chat, 'choice' in payload ? 'page.visit' : 'form.fill', payload);
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

/** What the door does with an operation on the chat. */
function receive(chat: Chat, op: string, payload: object): void {
  const host = { chat: () => chat } as unknown as Host;
  operations[op]!.run(host, { chat: 1, ...payload }, `${op}: `);
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
  it('is filled in field by field, reviewed, and sent', async () => {
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
    expect(labels()).toEqual(['  Red — warm', '  Skip this field']);
    pick('Skip this field');
    expect(shown()?.payload.prompt).toBe('Tester: Who are you?');
    expect(labels()).toEqual([
      'Send',
      'Name: Ada',
      'Pets: dog',
      'New? no',
      'Colour: (skipped)',
      'Decline',
      'Cancel',
    ]);
    pick('Colour: (skipped)');
    pick('Red — warm');
    pick('Send');
    const answers = { name: 'Ada', pets: ['dog'], isNew: false, colour: 'r' };
    expect(await outcomes[0]).toEqual({ action: 'accept', answers: new Map(Object.entries(answers)) });
  });

  it('asks again with the typed text if that is invalid', async () => {
    const { shown, type } = await aChatThatAsks(aFormRequest(person));
    type('A');
    expect(shown()?.payload).toMatchObject({
      prompt:
        '"Name" must be text, at least 2 characters. Tester 1/4 · Name — Who are you? (text, at least 2 characters): ',
      default: 'A',
    });
  });

  it('stays open when an input is closed, and opens at its review with the answers so far', async () => {
    const { chat, editor, shown, labels, type, close, pick, outcomes } = await aChatThatAsks(
      aFormRequest(person),
    );
    type('Ada');
    close();
    expect(editor.sent.at(-1)).toEqual({
      op: 'question.waiting',
      payload: {
        chat: 1,
        questions: [expect.objectContaining({ id: 1 })],
        gone: [],
        count: 1,
        isQuiet: true,
      },
    });
    const before = editor.sent.length;
    chat.questions.show({ opensByItself: true });
    expect(editor.sent).toHaveLength(before);
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
    'with one choice is one picker and is sent by choosing (required: %s)',
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
  ])('with one choice and a text field is sent with either or both: %s', async (end, answers) => {
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

  it('with one list is sent by "Done"', async () => {
    const pets = { type: 'array', title: 'Pets', items: { type: 'string', enum: ['cat', 'dog'] } };
    const { labels, pick, outcomes } = await asking(aForm({ pets }, ['pets']));
    expect(labels()).toEqual(['[ ] cat', '[ ] dog', 'Done', '  Decline']);
    pick('[ ] dog');
    pick('Done');
    expect(await outcomes[0]).toEqual({ action: 'accept', answers: new Map([['pets', ['dog']]]) });
  });

  it('with one choice opens at the choice after it was closed', async () => {
    const { chat, labels, close } = await asking(aForm({ c: colours, o: remark }));
    close();
    chat.questions.show();
    expect(labels()).toEqual(['  Red — warm', '  Blue', '  Other …', '  Decline']);
  });

  it('goes to the first missing field when it is sent too early', async () => {
    const { chat, shown, type, pick } = await aChatThatAsks(aFormRequest(person));
    type(undefined);
    chat.questions.show();
    pick('Send');
    expect(shown()?.payload.prompt).toMatch(/^"Name" is required\. Tester 1\/4/);
  });

  it('with a required field of unknown type can only be declined or cancelled', async () => {
    const { labels } = await aChatThatAsks(aFormRequest(aForm({ a: { type: 'file' } }, ['a'])));
    expect(labels()).toEqual(['Decline', 'Cancel']);
  });

  it('opens by itself once', async () => {
    const { chat, editor } = await aChatThatAsks(aFormRequest());
    const before = editor.sent.length;
    chat.questions.show({ opensByItself: true });
    expect(editor.sent).toHaveLength(before);
  });

  it('that was postponed comes after other questions', async () => {
    const { chat, shown, type } = await aChatThatAsks(aFormRequest());
    type(undefined);
    void chat.session.ask(aPermission());
    chat.questions.show({ opensByItself: true });
    expect(shown()).toMatchObject({ op: 'picker.open', payload: { id: 2 } });
  });

  it('that was withdrawn is closed and refuses answers', async () => {
    const withdrawal = new AbortController();
    const { editor, type, outcomes } = await aChatThatAsks(
      aFormRequest(undefined, { withdrawn: withdrawal.signal }),
    );
    withdrawal.abort();
    type('Ada');
    const message = 'nothing was answered: the question is no longer open';
    expect(editor.sent.at(-1)).toEqual({ op: 'user.notify', payload: { message, level: 'warn' } });
    expect(await outcomes[0]).toEqual({ action: 'cancel' });
  });

  it('leaves no secret in the journal or in the log', async () => {
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

  it('is shown as not answered after its host was killed', async () => {
    const { clock, file, editor } = await aChatThatAsks(aFormRequest());
    clock.advance(1_000);
    const promptSources = withoutFiles(editor, clock);
    const options = { get: () => someOptions };
    const ports = {
      editor,
      clock,
      log: new LogDouble(),
      launcher: new LauncherDouble(),
      promptSources,
      options,
    };
    const renderLoop = new RenderLoop(editor, clock, ports.log);
    const later = new Chat(1, anAgentSpec(), new Journal(file, clock, ports.log), { ...ports, renderLoop });
    later.start();
    const [entry] = later.session.state.entries;
    expect(entry).toMatchObject({ kind: 'question', answer: 'not answered' });
  });
});

describe('a web page', () => {
  it.each<[string, object, object]>([
    [
      'Open in the browser',
      { op: 'browser.open', payload: { url: 'https://example.com/login?code=1' } },
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
    expect(editor.sent.some(({ op }) => op === 'browser.open')).toBe(false);
    pick(label);
    expect(editor.sent).toContainEqual(told);
    expect(await outcomes[0]).toEqual(outcome);
  });

  it.each(['Decline', 'Cancel'])('is not opened by "%s"', async (label) => {
    const { editor, pick, outcomes } = await aChatThatAsks(aPageRequest());
    pick(label);
    expect(await outcomes[0]).toEqual({ action: label.toLowerCase() });
    expect(editor.sent.filter(({ op }) => op === 'browser.open' || op === 'text.copy')).toEqual([]);
  });

  it('stays open when its picker is closed', async () => {
    const { chat, editor, close } = await aChatThatAsks(aPageRequest());
    close();
    expect(editor.sent.at(-1)?.payload).toMatchObject({ questions: [{ id: 1 }], isQuiet: true });
    expect(chat.session.state.questions).toHaveLength(1);
  });

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'ssh://host/'])(
    'with the address %s is never opened',
    async (url) => {
      const { chat, editor, labels } = await aChatThatAsks(aPageRequest(url));
      expect(labels()).toEqual(['Decline', 'Cancel']);
      for (const choice of ['open', 'copy'] as const) chat.questions.visitPage(1, choice);
      expect(editor.sent.filter(({ op }) => op === 'browser.open' || op === 'text.copy')).toEqual([]);
      expect(chat.session.state.questions).toHaveLength(1);
    },
  );

  it('is not opened by an unknown choice', async () => {
    const { chat, editor } = await aChatThatAsks(aPageRequest());
    const visit = () => receive(chat, 'page.visit', { id: 1, choice: 'fly' });
    expect(visit).toThrow('page.visit: choice must be one of open,');
    expect(editor.sent.filter(({ op }) => op === 'browser.open')).toEqual([]);
  });
});

it('an unknown action on a form is refused with the name of the field', async () => {
  const { chat } = await aChatThatAsks(aPageRequest());
  const act = () => receive(chat, 'form.fill', { id: 1, turn: 1, act: 'fly' });
  expect(act).toThrow('form.fill: act must be one of type,');
});
