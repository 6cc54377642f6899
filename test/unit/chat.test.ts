import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Chat } from '../../src/chat.ts';
import { RenderLoop } from '../../src/nvim/render-loop.ts';
import { Journal } from '../../src/session/journal.ts';
import { aChunk, anAgentSpec, aPermission } from '../support/builders.ts';
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
    expect(ops()).toEqual(['prompt.accepted', 'prompt.restore']);
  });
});

describe('a question', () => {
  it('is told after it is on the screen, with the number of those that wait', async () => {
    const { chat, editor, draw, ops } = await aReadyChat();
    void chat.session.ask(aPermission());
    void chat.session.ask(aPermission());
    await settle();
    expect(ops()).toEqual([]);
    await draw();
    expect(editor.told.at(-1)).toEqual({ op: 'question.waiting', payload: { chat: 1, count: 2 } });
  });

  it('is shown with the words and the options of the agent, the oldest first', async () => {
    const { chat, editor } = await aReadyChat();
    void chat.session.ask(aPermission());
    void chat.session.ask(aPermission());
    chat.showQuestion();
    expect(editor.told.at(-1)).toMatchObject({
      op: 'question.open',
      payload: {
        chat: 1,
        id: 1,
        prompt: 'Tester wants to run: rm -rf build',
        options: aPermission().options,
      },
    });
  });

  it('that is not there is not shown', async () => {
    const { chat, ops } = await aReadyChat();
    chat.showQuestion();
    expect(ops()).toEqual([]);
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
