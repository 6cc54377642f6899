import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Chat } from '../../../../src/app/chat/chat.ts';
import type { ToolEntry } from '../../../../src/model/entries.ts';
import { RenderLoop } from '../../../../src/nvim/render-loop.ts';
import { Journal } from '../../../../src/session/journal/journal.ts';
import { anAgentSpec, aPermission, aToolCall } from '../../../support/builders.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { settle } from '../../../support/doubles/deferred.ts';
import { EditorDouble } from '../../../support/doubles/editor.ts';
import { LauncherDouble } from '../../../support/doubles/link.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { withoutFiles } from '../../../support/doubles/prompt-sources.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { waitFor } from '../../../support/wait.ts';
import { someOptions } from '../../../support/workspace/workspace.ts';

const long = Array.from({ length: 2_000 }, (_, index) => `line ${index}\n`).join('');

function aNewChat({ file = path.join(aFolder(), '1.jsonl'), isKept = true } = {}) {
  const [editor, clock, log, launcher] = [
    new EditorDouble(),
    new ManualClock(),
    new LogDouble(),
    new LauncherDouble(),
  ];
  const shown: { readonly text: string }[] = [];
  const journal = new Journal(file, clock, log, isKept);
  const chat = new Chat(1, anAgentSpec(), journal, {
    editor,
    clock,
    log,
    launcher,
    renderLoop: new RenderLoop(editor, clock, log),
    promptSources: withoutFiles(editor, clock),
    options: { get: () => someOptions },
    maxBodies: 40_000,
    terminals: {
      show: async (_, left) => {
        if (left) shown.push(left);
      },
    },
  });
  const draw = async () => {
    clock.advance(100);
    await settle(1);
    editor.calls.at(-1)?.answer.resolve('drawn');
    await settle(1);
    return JSON.stringify(editor.calls.filter(({ op }) => op === 'chat.draw').at(-1)?.payload);
  };
  const call = (id: string) => {
    const { entries } = chat.session.state;
    return entries.find((entry): entry is ToolEntry => entry.kind === 'tool' && entry.toolCallId === id)!;
  };
  return { chat, launcher, editor, file, draw, shown, call };
}

/** A chat with three calls, of which the first one is not in memory any more. */
async function aChat(isKept = true) {
  const parts = aNewChat({ isKept });
  parts.chat.start();
  await parts.launcher.last.becomeReady();
  for (const toolCallId of ['a', 'b', 'c'])
    parts.chat.session.report(
      aToolCall({ toolCallId, title: toolCallId, status: 'done', content: [{ kind: 'text', text: long }] }),
    );
  parts.chat.redraw(80);
  await parts.draw();
  return parts;
}

it('a call that is unfolded shows its beginning and end at once, and then its text', async () => {
  const { chat, draw, call } = await aChat();
  expect(call('a').isCut).toBe(true);
  chat.entries.toggle(call('a').id);
  expect(await draw()).toMatch(/line 0.*lines \(.* KB\) on disk/);
  await waitFor(() => call('a').isCut !== true);
  const drawn = await draw();
  expect(drawn).toContain('1600 more lines');
  expect(drawn).not.toContain('on disk');
});

it('a chat of a new host shows the text of a call that is unfolded', async () => {
  const { chat: before, file } = await aChat();
  before.flush();
  const { chat, launcher, draw, call } = aNewChat({ file });
  chat.start();
  await launcher.last.becomeReady();
  chat.redraw(80);
  await draw();
  expect(call('a').isCut).toBe(true);
  chat.entries.fold(call('a').id, true);
  expect(await draw()).toMatch(/line 0.*lines \(.* KB\) on disk/);
  await waitFor(() => call('a').isCut !== true);
  expect(await draw()).toContain('1600 more lines');
});

it('a long text opens whole in a window', async () => {
  const { chat, draw, shown, call } = await aChat();
  const { id } = call('a');
  chat.entries.toggle(id);
  await draw();
  await chat.entries.open(id, 1, { before: '', after: '' });
  expect(shown.map(({ text }) => text)).toEqual([long.trim()]);
});

it.each([true, false])(
  'a key on a change that was cut leads to its line, if the chat is kept: %s',
  async (isKept) => {
    const { chat, launcher, editor, draw, call } = aNewChat({ isKept });
    chat.start();
    await launcher.last.becomeReady();
    const file = path.join(aFolder(), 'a.ts');
    const newText = long.replace('line 900\n', 'new 900\n');
    fs.writeFileSync(file, newText);
    const content = [{ kind: 'diff', path: file, oldText: long, newText } as const];
    chat.session.report(aToolCall({ toolCallId: 'a', toolKind: 'edit', status: 'done', content }));
    for (const toolCallId of ['b', 'c'])
      chat.session.report(aToolCall({ toolCallId, status: 'done', content: [{ kind: 'text', text: long }] }));
    expect(call('a').content[0]).toMatchObject({ omitted: { added: 0, removed: 0 } });
    chat.redraw(80);
    const drawn = await draw();
    const lines = [...drawn.matchAll(/"( *[-+]? ?(?:line|new) \d+)"/g)].map(([, line]) => line?.trim());
    expect(lines).toContain('+ new 900');
    for (let line = 0; line < 10; line += 1)
      await chat.entries.open(call('a').id, line, { before: '', after: '' });
    const opened = editor.sent.filter(({ op }) => op === 'file.open').map(({ payload }) => payload.line);
    expect(opened).toContain(901);
    expect(opened.every((line) => Number(line) >= 898 && Number(line) <= 904)).toBe(true);
  },
);

it('an export with details has every text, and does not put it into memory', async () => {
  const { chat, call } = await aChat();
  const markdown = await chat.markdown('details');
  expect(markdown.split('\n').filter((line) => line === 'line 1000')).toHaveLength(3);
  expect(call('a').isCut).toBe(true);
});

it('a private chat says what it has dropped', async () => {
  const { chat } = await aChat(false);
  expect(await chat.markdown('details')).toMatch(
    /… \d+ lines \(\d+ KB\) dropped: nothing of this chat is on disk …/,
  );
});

it('a private chat says how much of a change it has dropped', async () => {
  const { chat, call } = await aChat(false);
  const content = [{ kind: 'diff', path: '/a.ts', oldText: undefined, newText: long } as const];
  chat.session.report(aToolCall({ toolCallId: 'd', toolKind: 'edit', status: 'done', content }));
  for (const toolCallId of ['e', 'f', 'g'])
    chat.session.report(aToolCall({ toolCallId, status: 'done', content: [{ kind: 'text', text: long }] }));
  expect(call('d').isCut).toBe(true);
  expect(await chat.markdown('details')).toMatch(/^\+line 1$[^`]*\n… 1\d{3} more changed lines$/m);
});

it('a question about a call that was cut is about its whole text', async () => {
  const { chat, call } = await aChat();
  const content = [{ kind: 'diff', path: '/a.ts', oldText: undefined, newText: long } as const];
  chat.session.report(aToolCall({ toolCallId: 'd', toolKind: 'edit', status: 'done', content }));
  for (const toolCallId of ['e', 'f', 'g'])
    chat.session.report(aToolCall({ toolCallId, status: 'done', content: [{ kind: 'text', text: long }] }));
  expect(call('d').isCut).toBe(true);
  void chat.session.ask(aPermission({ tool: { toolCallId: 'd' } }));
  await waitFor(() => call('d').isCut !== true);
  expect(call('d').diffs).toEqual(content);
});
