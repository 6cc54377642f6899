import { describe, expect, it } from 'vitest';
import { type Elicitation, type Form, summariseAnswers } from '../../../../src/model/form.ts';
import { applyAction, startForm } from '../../../../src/model/form-progress.ts';
import type { SessionState } from '../../../../src/model/session.ts';
import { ToolDiffCache } from '../../../../src/view/diff/tool-diff-cache.ts';
import { formDialog } from '../../../../src/view/transcript/form-dialogs.ts';
import { questionLines, questionPrompt } from '../../../../src/view/transcript/question.ts';
import type { ViewContext } from '../../../../src/view/transcript/view-context.ts';
import { parsePageAddress } from '../../../../src/view/web-page.ts';
import { aQuestion, aSession, isReady } from '../../../support/builders.ts';
import { aForm, aFormRequest, aPageRequest } from '../../../support/forms.ts';

const nasty = 'a\r\n\x1b[2Jb\u202e\u2028\ud83d\0';

function asked(elicitation: Elicitation): SessionState {
  const question = aQuestion({ toolCallId: undefined, options: [], elicitation });
  return aSession(isReady, { kind: 'question_asked', question });
}

function linesOf(state: SessionState, isOpen = false) {
  const context: ViewContext = {
    state,
    diffs: new ToolDiffCache(),
    now: 5_000,
    cwd: '/',
    roots: ['/'],
    home: '/home/me',
    isOpen: () => isOpen,
  };
  const entry = state.entries.findLast((candidate) => candidate.kind === 'question');
  if (entry?.kind !== 'question') throw new Error('nothing was asked');
  return { entry, lines: questionLines(entry, context), prompt: questionPrompt(entry, context) };
}

const textsOf = (state: SessionState, isOpen = false) => linesOf(state, isOpen).lines.map(({ text }) => text);
const formOf = (form: Form) => aFormRequest(form).elicitation;

const person = aForm(
  {
    name: { type: 'string', title: 'Name', description: 'As your friends\ncall you.', maxLength: 40 },
    pet: { type: 'string', title: 'Pet', oneOf: [{ const: 'c', title: 'Cat' }], default: 'c' },
    key: { type: 'string', title: 'API key', default: 'hunter2' },
  },
  ['name'],
);

describe('a form in the chat', () => {
  it('shows the message, the answers and what is expected', () => {
    expect(textsOf(asked(formOf({ ...person, title: 'A person', description: undefined })))).toEqual([
      '? Tester asks',
      '    Who are you?',
      '    A person',
      '    Name: text, at most 40 characters',
      '      As your friends',
      '      call you.',
      '    Pet: Cat',
      '    API key: ••••',
      '    ! "API key" looks like a secret. Agents must not ask for secrets in forms.',
    ]);
  });

  it('shows answers as they are filled in', () => {
    const form = aForm({ age: { type: 'integer', title: 'Age' }, on: { type: 'boolean' } });
    const state = asked(formOf(form));
    expect(textsOf(state).at(2)).toBe('    Age: a whole number; optional');
    const step = applyAction(form, startForm(form), { kind: 'type', text: '36' });
    state.questions[0]!.formProgress = 'progress' in step ? step.progress : startForm(form);
    expect(textsOf(state).slice(2)).toEqual(['    Age: 36', '    on: yes or no; optional']);
  });

  it.each<[string, string[], string]>([
    [
      'required',
      ['file'],
      `"file" is required but has an unsupported type: the form can only be declined or cancelled.`,
    ],
    ['optional', [], `"file" has an unsupported type and is skipped.`],
  ])('warns of a field of unsupported type that is %s', (_, required, warning) => {
    expect(textsOf(asked(formOf(aForm({ file: { type: 'file' } }, required)))).at(-1)).toBe(
      `    ! ${warning}`,
    );
  });

  it('is one line once it is settled, and can be opened', () => {
    const state = asked(formOf(person));
    linesOf(state).entry.answer = 'answered';
    expect(textsOf(state)).toEqual(['· asked: Who are you?  answered']);
    expect(textsOf(state, true)).toContain('    Pet: Cat');
  });

  it('names the agent in its prompt', () => {
    expect(linesOf(asked(formOf(person))).prompt).toBe('Tester: Who are you?');
  });

  it('limits the number of fields', () => {
    const many = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [`f${at}`, { type: 'boolean' }]),
    );
    expect(textsOf(asked(formOf(aForm(many)))).at(-1)).toBe('    … 900 more fields');
  });
});

describe('a form with one question', () => {
  const colours = ['Red', 'Blue'];
  const remark = { type: 'string', title: 'Additional note' };
  it.each<[string, string, object, string, string]>([
    [
      'in the title of its field',
      'The agent needs your input to continue.',
      { title: 'Which colour?', description: 'Choice' },
      'Tester: Which colour? — The agent needs your input to continue.',
      '· asked: Which colour?  Blue',
    ],
    [
      'in the message',
      'Which colour?',
      { title: 'Choice' },
      'Tester: Which colour?',
      '· asked: Which colour?  Blue',
    ],
    [
      'in the description of its field',
      'One more thing',
      { title: 'Colour', description: 'Which one shall the door have?' },
      'Tester: Which one shall the door have? — Colour — One more thing',
      '· asked: Which one shall the door have?  Blue',
    ],
    ['in the message alone', 'Pick a colour.', {}, 'Tester: Pick a colour.', '· asked: Pick a colour.  Blue'],
    ['nowhere', '', {}, 'Tester: q1', '· asked: q1  Blue'],
  ])('%s says it in the picker and in the record', (_, message, words, picker, record) => {
    const form = aForm({ q1: { type: 'string', enum: colours, ...words }, q1_note: remark });
    const elicitation = { kind: 'form', message, form } as const;
    const state = asked(elicitation);
    const { entry, prompt } = linesOf(state);
    const progress = startForm(form);
    const open = { chat: 1, id: 1, agent: 'Tester', prompt, message, form, progress };
    expect([prompt, formDialog(open).payload.prompt]).toEqual([picker, picker]);
    entry.answer = summariseAnswers(form, new Map([['q1', 'Blue']]));
    expect(textsOf(state)).toEqual([record]);
  });
});

describe('the record of the answers', () => {
  const two = aForm({
    q1: { type: 'string', title: 'Which colour?' },
    q2: { type: 'string', title: 'Size' },
  });
  const noted = aForm({
    q1: { type: 'string', enum: ['Red'], title: 'Which colour?' },
    note: { type: 'string', title: 'Note' },
  });
  it.each<[string, Form, [string, string][], string]>([
    [
      'has title and answer of each field',
      two,
      [
        ['q1', 'Red'],
        ['q2', '4'],
      ],
      'Which colour? Red, Size: 4',
    ],
    ['has the title also of the only one that was filled in', two, [['q2', '4']], 'Size: 4'],
    [
      'has the answer alone behind the only question',
      noted,
      [
        ['q1', 'Red'],
        ['note', 'dark'],
      ],
      'Red, Note: dark',
    ],
    ['says that only the note was sent', noted, [['note', 'dark']], 'Note: dark'],
  ])('%s', (_, form, answers, record) => {
    expect(summariseAnswers(form, new Map(answers))).toBe(record);
  });
});

describe('a page in the chat', () => {
  it('shows the whole address and highlights the host', () => {
    const { lines } = linesOf(asked(aPageRequest().elicitation));
    expect(lines.map(({ text }) => text)).toEqual([
      '? Tester wants you to open a page',
      '    Log in.',
      '    https://example.com/login?code=1',
    ]);
    expect(lines[2]?.spans?.find(({ hl }) => hl === 'AcpHost')).toMatchObject({ from: 12, to: 23 });
  });

  it('shows that it is awaited, then the result', () => {
    const state = asked(aPageRequest().elicitation);
    const { entry } = linesOf(state);
    Object.assign(entry, { answer: 'opened', isAwaited: true });
    expect(textsOf(state)[0]).toBe('● waiting for example.com');
    Object.assign(entry, { answer: 'done', isAwaited: false });
    expect(textsOf(state)).toEqual(['· asked to open example.com  done']);
    expect(linesOf(state, true).lines.map(({ text }) => text)).toEqual([
      '· asked to open example.com  done',
      '    Log in.',
      '    https://example.com/login?code=1',
    ]);
  });

  it.each<[string, string, RegExp[], boolean]>([
    ['https://example.com/a@b?c@d#e', 'example.com', [], true],
    ['https://example.com:8443', 'example.com:8443', [], true],
    ['http://example.com/', 'example.com', [/not encrypted/], true],
    ['https://github.com@evil.com/', 'evil.com', [/before the @ .* on evil\.com/], true],
    ['https://github.com:pw@evil.com/', 'evil.com', [/before the @/], true],
    ['https://аpple.com/', 'xn--pple-43d.com', [/xn--/], true],
    ['https://login.xn--pple-43d.com/', 'login.xn--pple-43d.com', [/xn--/], true],
    ['https://xn.example.com/xn--', 'xn.example.com', [], true],
    ['file:///etc/passwd', '', [/starts with file:/], false],
    ['javascript:alert(1)//x', '', [/starts with javascript:/], false],
    ['mailto:a@example.com', '', [/starts with mailto:/], false],
    ['vscode://host/x', 'host', [/starts with vscode:/], false],
    ['https://[::1]:80/', '[::1]:80', [], true],
  ])('%s', (raw, host, warnings, canOpen) => {
    const url = new URL(raw).href;
    const page = parsePageAddress(url);
    expect({ host: page.host, canOpen: page.canOpen }).toEqual({ host, canOpen });
    expect(page.warnings).toHaveLength(warnings.length);
    for (const [index, warning] of warnings.entries()) expect(page.warnings[index]).toMatch(warning);
    expect(page.beforeHost + page.host + page.afterHost).toBe(url);
  });
});

it('forms and pages are sanitised', () => {
  const nastyForm = aForm(
    {
      [nasty]: { type: 'string', title: nasty, description: nasty, pattern: nasty },
      b: { type: 'string', title: nasty, enum: [nasty], default: nasty },
      c: { type: nasty, title: `secret ${nasty}` },
    },
    ['c'],
  );
  const states = [
    asked({ kind: 'form', message: nasty, form: { ...nastyForm, title: nasty, description: nasty } }),
    asked({ kind: 'page', message: nasty, url: new URL(`https://example.com/${nasty}`).href, pageId: nasty }),
  ];
  for (const state of states) {
    const { lines, prompt } = linesOf(state);
    const texts = [...lines.map(({ text }) => text), prompt];
    expect(
      texts.filter(
        (text) => /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]/.test(text) || !text.isWellFormed(),
      ),
    ).toEqual([]);
  }
});

it('a form warns of a hundred fields at most', () => {
  const names = Array.from({ length: 900 }, (_, index) => `token ${index}`);
  const form = aForm(Object.fromEntries(names.map((name) => [name, { type: 'string' }])));
  expect(textsOf(asked(formOf(form))).filter((line) => line.includes('looks like a secret'))).toHaveLength(
    100,
  );
});

it('the prompt of an input is short, however long the title and the pattern are', () => {
  const long = 'x'.repeat(30_000);
  const form = aForm({ [long]: { type: 'string', title: long, pattern: long }, other: { type: 'string' } }, [
    long,
  ]);
  const progress = { ...startForm(form), step: { kind: 'field', name: long, problem: long } } as const;
  const asking = { chat: 1, id: 1, agent: 'Tester', prompt: 'p', message: 'm', form, progress };
  const { payload } = formDialog(asking);
  expect(payload.prompt.length).toBeLessThan(1_200);
  expect(payload.prompt).toMatch(/^x+… Tester 1\/2 · x+… — m \(text that matches x+…\): $/);
});
