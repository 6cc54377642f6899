import { describe, expect } from 'vitest';
import { drawn, startChat, transcript, waitForPhase } from '../support/chat.ts';
import { it } from '../support/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim.ts';
import { aCall, ObeyingChat } from '../support/obeying.ts';
import { noteMessages, recordAsking, User } from '../support/user.ts';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

async function startAsked(start: Start, init = '') {
  const nvim = await startChat(start, { init: `${recordAsking}\n${noteMessages}\n${init}` });
  const user = new User(nvim);
  const said = async () => (await nvim.lua<string[]>('return _G.said')).join('\n');
  const saysSo = (text: string) => nvim.waitFor(async () => (await said()).includes(text), text);
  return { nvim, user, said, saysSo };
}

const answered = async (nvim: TestNvim) => {
  await drawn(nvim);
  return (await transcript(nvim)).find((line) => line.startsWith('· asked to')) ?? '';
};
const isWaiting = (nvim: TestNvim) => nvim.waitForScreen('? waiting for you · :AcpAnswer');

describe('a question of the agent', () => {
  it('opens in a picker with the words of the agent when the user is idle in the prompt', async ({
    start,
  }) => {
    const { nvim, user } = await startAsked(start);
    await nvim.command('AcpSend permission');
    const { prompt, kind, labels = [] } = await user.next();
    expect(prompt).toMatch(/^Tour wants to /);
    expect(kind).toBe('acp.permission');
    expect(labels.length).toBeGreaterThan(1);
    await user.pick(labels[0]!);
    await waitForPhase(nvim, 'idle');
    expect(await answered(nvim)).toMatch(/allow/i);
  });

  it.for<[string, string]>([
    ['Insert mode', 'i'],
    ['a draft', 'itext<Esc>'],
    ['half a command', 'd'],
    ['the transcript', '<C-w>k'],
    ['the command line', ':'],
    ['a recording', 'qq'],
  ])('does not open by itself over %s, but once that is left', async ([where, keys], { start }) => {
    const { nvim, user } = await startAsked(start);
    await nvim.input(keys);
    await nvim.lua("require('acp').send('permission')");
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 1"), 'the question');
    await drawn(nvim);
    expect(await user.times).toBe(0);
    const leave = { 'a draft': 'dd', 'the transcript': '<C-w>j', 'a recording': 'q' }[where] ?? '<Esc>';
    await nvim.input(leave);
    await user.next();
  });

  it('does not open by itself while keys are typed', async ({ start }) => {
    const { nvim, user } = await startAsked(start, "require('acp.idle').quiet_ms = 60000");
    await nvim.command('AcpSend permission');
    await isWaiting(nvim);
    await nvim.lua("require('acp.idle').quiet_ms = 0");
    expect(await user.times).toBe(0);
    await nvim.command('AcpAnswer');
    await user.next();
  });

  it('waits while the user is elsewhere, and opens on :AcpAnswer', async ({ start }) => {
    const { nvim, user } = await startAsked(start);
    await nvim.command('wincmd t');
    await nvim.command('AcpSend permission');
    await isWaiting(nvim);
    expect(await user.times).toBe(0);
    await nvim.command('AcpAnswer');
    await user.next();
  });

  it('opens on <CR> on its lines in the chat, and on no other line', async ({ start }) => {
    const chat = await ObeyingChat.start(start);
    const { nvim } = chat;
    await nvim.input('i');
    const options = [{ optionId: 'y', name: 'Do it', kind: 'allow_once' }];
    const params = { toolCall: { toolCallId: 'c1', title: 'Think about it' }, options };
    await chat.tell(aCall({ title: 'Think about it' }), { ask: 'session/request_permission', params });
    await nvim.waitForScreen('1 Do it');
    await nvim.input('<Esc>');
    await chat.asked();
    await nvim.lua('_G.asked[1].answer(nil)');
    await chat.goTo('You');
    await nvim.input('<CR>');
    await drawn(nvim);
    expect(await chat.timesAsked).toBe(1);
    await chat.goTo('1 Do it');
    await nvim.input('<CR>');
    expect(await chat.asked()).toContain('Do it');
    await chat.pick('Do it');
    await waitForPhase(nvim, 'idle');
  });

  it('stays when its picker is closed, does not come up again by itself, and is answered on request', async ({
    start,
  }) => {
    const { nvim, user, saysSo } = await startAsked(start);
    await nvim.command('AcpSend permission');
    const { labels = [] } = await user.next();
    await user.type(undefined);
    await saysSo('the question waits; :AcpAnswer asks it again');
    await nvim.input('i<Esc>');
    await nvim.command('wincmd t');
    await nvim.command('wincmd b');
    await isWaiting(nvim);
    expect(await user.times).toBe(1);
    await nvim.command('AcpAnswer');
    await user.next();
    await user.pick(labels[0]!);
    await waitForPhase(nvim, 'idle');
    expect(await answered(nvim)).toMatch(/allow/i);
  });

  it('can be asked for again when a picker vanished without an answer, and only the new one counts', async ({
    start,
  }) => {
    const { nvim, user, saysSo } = await startAsked(start);
    await nvim.command('AcpSend permission');
    const { labels = [] } = await user.next();
    await nvim.command('AcpAnswer');
    await user.next();
    await nvim.lua('_G.asked[1].answer(_G.asked[1].items[1])');
    await saysSo('nothing was answered: it was asked again');
    await user.pick(labels.at(-1)!);
    await waitForPhase(nvim, 'idle');
    expect(await answered(nvim)).toMatch(/reject/i);
  });

  it('is settled when the turn is cancelled, and a late choice says so', async ({ start }) => {
    const { nvim, user, saysSo } = await startAsked(start);
    await nvim.command('AcpSend permission');
    const { labels = [] } = await user.next();
    await nvim.command('AcpCancel');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    const text = (await transcript(nvim)).join('\n');
    expect(text).toContain('cancelled');
    expect(text).toContain('· Stopped.');
    await nvim.waitForScreen((screen) => !screen.includes('waiting for you'));
    await user.pick(labels[0]!);
    await saysSo('nothing was answered: this is no longer asked');
  });

  it.for<[string, string]>([
    ['fails', "error('broken')"],
    ['calls back twice', 'on_choice(items[3], 3) on_choice(items[1], 1)'],
    ['calls back with an item of its own', 'on_choice({ op = "question.answer", option = 0 })'],
  ])('takes no harm from a vim.ui.select that %s', async ([, body], { start }) => {
    const { nvim, user } = await startAsked(start);
    await nvim.lua(`
      local select = vim.ui.select
      vim.ui.select = function(items, _, on_choice)
        vim.ui.select = select
        ${body}
      end`);
    await nvim.command('AcpSend permission');
    if (body.includes('twice') || body.includes('items[3]')) {
      await waitForPhase(nvim, 'idle');
      expect(await answered(nvim)).toMatch(/reject/i);
      return;
    }
    await isWaiting(nvim);
    await nvim.waitFor(() => nvim.lua("return not require('acp.dialog').is_open()"), 'the end of it');
    await nvim.command('AcpAnswer');
    await user.next();
  });

  it('that is longer than the screen leaves room for its options, and its end in sight', async ({
    start,
  }) => {
    const chat = await ObeyingChat.start(start);
    const { nvim } = chat;
    const title = `begin ${'x'.repeat(120_000)} end`;
    const options = [
      { optionId: 'y', name: `Reject\n2: Later \u202e\u001b[31m${'y'.repeat(1000)}`, kind: 'allow_once' },
    ];
    await chat.tell({
      ask: 'session/request_permission',
      params: { toolCall: { toolCallId: 'c1', title }, options },
    });
    const [label = ''] = await chat.asked();
    expect(label).toMatch(/^Reject 2: Later �␛\[31my+…$/);
    expect(label.length).toBe(200);
    const prompt = await nvim.lua<string>('return _G.asked[1].prompt');
    expect(prompt).toMatch(/begin x+ … \(\d+ characters; the chat shows all\) … x+ end$/);
    expect(prompt.length).toBeLessThan((100 * 30) / 3);
    await nvim.command('AcpCancel');
  });
});

describe('a key that was typed before the question could be read', () => {
  // The first picker is answered in the moment it opens.
  const hasty = (answer: string) => `
    require('acp.dialog').guard_ms = 300
    local select = vim.ui.select
    vim.ui.select = function(items, options, on_choice)
      select(items, options, on_choice)
      if #_G.asked <= _G.hasty then ${answer} end
    end`;
  const passes = (nvim: TestNvim, ms: number) => {
    const until = performance.now() + ms;
    return nvim.waitFor(() => performance.now() > until, 'the guard time');
  };

  it.for<[string, string]>([
    ['chooses', 'on_choice(items[1], 1)'],
    ['closes', 'on_choice(nil)'],
  ])('does not answer it when it %s, and it opens once more', async ([, answer], { start }) => {
    const { nvim, user, saysSo } = await startAsked(start, `_G.hasty = 1\n${hasty(answer)}`);
    await nvim.command('AcpSend permission');
    await user.next();
    await saysSo('a key typed before the question could be read did not answer it');
    const { labels = [] } = await user.next();
    await passes(nvim, 320);
    await user.pick(labels.at(-1)!);
    await waitForPhase(nvim, 'idle');
    expect(await answered(nvim)).toMatch(/reject/i);
  });

  it('does not answer it in a picker that takes longer to come up than the guard time', async ({ start }) => {
    const slow = `_G.hasty = 1\n${hasty('vim.uv.sleep(400) vim.schedule(function() on_choice(items[1], 1) end)')}`;
    const { nvim, user, saysSo } = await startAsked(start, slow);
    await nvim.command('AcpSend permission');
    await user.next();
    await saysSo('a key typed before the question could be read did not answer it');
    await isWaiting(nvim);
  });

  it('does not answer it the second time either, and then it waits', async ({ start }) => {
    const { nvim, user, saysSo } = await startAsked(
      start,
      `_G.hasty = 9\n${hasty('on_choice(items[1], 1)')}`,
    );
    await nvim.command('AcpSend permission');
    await saysSo('typed too early, so nothing was answered; :AcpAnswer asks again');
    expect(await user.times).toBe(2);
    await isWaiting(nvim);
  });

  it('is not taken by the list of Neovim itself', async ({ start }) => {
    const nvim = await startChat(start, {
      init: `${noteMessages}
        require('acp.idle').quiet_ms = 0
        local select = vim.ui.select
        vim.ui.select = function(...)
          vim.ui.select = select
          vim.api.nvim_feedkeys(vim.keycode('1<CR>'), 't', false)
          select(...)
        end`,
    });
    await nvim.command('AcpSend permission');
    await nvim.waitFor(
      async () => (await nvim.lua<string[]>('return _G.said')).join().includes('did not answer it'),
      'the notice',
    );
    await nvim.waitForScreen(/1: .*\n[\s\S]*2: /);
    await passes(nvim, 520);
    await nvim.input('1<CR>');
    await waitForPhase(nvim, 'idle');
    expect(await answered(nvim)).toMatch(/allow/i);
  });

  it('does not answer the next question when it repeats the answer to the first', async ({ start }) => {
    const chat = await ObeyingChat.start(start, { init: "require('acp.idle').quiet_ms = 200" });
    const { nvim } = chat;
    const ask = (name: string) => ({
      ask: 'session/request_permission',
      params: {
        toolCall: { toolCallId: name, title: name },
        options: [{ optionId: 'y', name, kind: 'allow_once' }],
      },
    });
    await chat.tell({ all: [ask('first'), ask('second')] });
    await chat.asked();
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 2"), 'both');
    await chat.pick('first');
    expect(await chat.timesAsked).toBe(1);
    expect(await chat.asked()).toContain('second');
    await chat.pick('second');
    await waitForPhase(nvim, 'idle');
  });
});

describe('a chat that no window shows', () => {
  it('says that it asks, and :AcpAnswer answers it', async ({ start }) => {
    const { nvim, user, saysSo } = await startAsked(start);
    await nvim.command('AcpChat!');
    await nvim.lua("local c = require('acp.chats'); c.send(c.get(1), 'permission')");
    await saysSo('acp: Tour wants to ');
    await saysSo(':AcpAnswer');
    expect(await user.times).toBe(0);
    await nvim.command('AcpAnswer');
    const { labels = [] } = await user.next();
    await user.pick(labels[0]!);
    await saysSo('acp: Tour has finished · :AcpChat');
  });

  it('says nothing of the sort when it is shown', async ({ start }) => {
    const { nvim, user, said } = await startAsked(start);
    await nvim.command('AcpSend permission');
    const { labels = [] } = await user.next();
    await user.pick(labels[0]!);
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect(await said()).toBe('');
  });
});
