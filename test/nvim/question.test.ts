import { describe, expect } from 'vitest';
import { passes } from '../support/agents/answering.ts';
import { aCall, startProgrammableChat } from '../support/agents/programmable-chat.ts';
import { drawn, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { recordNotifications, recordQuestions, User } from '../support/nvim/user.ts';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

async function startAsked(start: Start, init = '', config = '{}') {
  const nvim = await startChat(start, {
    config,
    init: `${recordQuestions}\n${recordNotifications}\n${init}`,
  });
  const user = new User(nvim);
  const said = async () => (await nvim.lua<string[]>('return _G.said')).join('\n');
  const saysSo = (text: string) => nvim.waitFor(async () => (await said()).includes(text), text);
  return { nvim, user, said, saysSo };
}

const answered = async (nvim: TestNvim) => {
  await drawn(nvim);
  return (await transcript(nvim)).find((line) => line.startsWith('· asked to')) ?? '';
};
const hasQuestion = (nvim: TestNvim) =>
  nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 1"), 'the question');
const isWaiting = async (nvim: TestNvim) => {
  await hasQuestion(nvim);
  await nvim.waitForScreen('answer with ');
};

const rejecting = (labels: readonly string[]) => labels.findLast((label) => /reject/i.test(label))!;

describe('a question of the agent', () => {
  it('opens in a picker with the agent’s options when the user is idle in the prompt', async ({ start }) => {
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
  ])('does not open on its own over %s, but after that', async ([where, keys], { start }) => {
    const { nvim, user } = await startAsked(start);
    await nvim.input(keys);
    await nvim.lua("require('acp').send('permission')");
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 1"), 'the question');
    await drawn(nvim);
    expect(await user.timesAsked).toBe(0);
    const leave = { 'a draft': 'dd', 'the transcript': '<C-w>j', 'a recording': 'q' }[where] ?? '<Esc>';
    await nvim.input(leave);
    await user.next();
  });

  it('does not open on its own while keys are typed', async ({ start }) => {
    const { nvim, user } = await startAsked(start, "require('acp.dialogs.idle').quiet_ms = 60000");
    await nvim.command('AcpSend permission');
    await isWaiting(nvim);
    expect(await user.timesAsked).toBe(0);
    await nvim.command('AcpAnswer');
    await user.next();
  });

  it.for<[string, (nvim: TestNvim) => Promise<unknown>, (nvim: TestNvim) => Promise<unknown>]>([
    [
      'is suspended',
      (nvim) => nvim.command('doautocmd VimSuspend'),
      (nvim) => nvim.command('doautocmd VimResume'),
    ],
    [
      'has no UI',
      (nvim) => nvim.client.request('nvim_ui_detach', []),
      (nvim) => nvim.client.request('nvim_ui_attach', [80, 24, { ext_linegrid: true, rgb: true }]),
    ],
  ])('waits while Neovim %s, where nobody sees it', async ([, leave, enter], { start }) => {
    const { nvim, user } = await startAsked(start);
    await leave(nvim);
    await nvim.lua("require('acp').send('permission')");
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 1"), 'the question');
    await drawn(nvim);
    expect(await user.timesAsked).toBe(0);
    await enter(nvim);
    await user.next();
  });

  it('waits while the user is in another window, and opens on :AcpAnswer', async ({ start }) => {
    const { nvim, user } = await startAsked(start);
    await nvim.command('wincmd t');
    await nvim.command('AcpSend permission');
    await isWaiting(nvim);
    expect(await user.timesAsked).toBe(0);
    await nvim.command('AcpAnswer');
    await user.next();
  });

  it('opens on <CR> on its own lines in the chat only', async ({ start }) => {
    const chat = await startProgrammableChat(start);
    const { nvim } = chat;
    await nvim.input('i');
    const options = [{ optionId: 'y', name: 'Allow it', kind: 'allow_once' }];
    const params = { toolCall: { toolCallId: 'c1', title: 'Think about it' }, options };
    await chat.begin(aCall({ title: 'Think about it' }), { ask: 'session/request_permission', params });
    await nvim.waitForScreen('1 Allow it');
    await nvim.input('<Esc>');
    await chat.nextLabels();
    await nvim.lua('_G.asked[1].answer(nil)');
    await chat.goTo('You');
    await nvim.input('<CR>');
    await drawn(nvim);
    expect(await chat.timesAsked).toBe(1);
    await chat.goTo('1 Allow it');
    await nvim.input('<CR>');
    expect(await chat.nextLabels()).toContain('Allow it');
    await chat.pick('Allow it');
    await waitForPhase(nvim, 'idle');
  });

  it('stays open when its picker is closed, and reopens on request only', async ({ start }) => {
    const { nvim, user, saysSo } = await startAsked(start);
    await nvim.command('AcpSend permission');
    const { labels = [] } = await user.next();
    await user.type(undefined);
    await saysSo('the question is still open; :AcpAnswer asks again');
    await nvim.input('i<Esc>');
    await nvim.command('wincmd t');
    await nvim.command('wincmd b');
    await isWaiting(nvim);
    expect(await user.timesAsked).toBe(1);
    await nvim.command('AcpAnswer');
    await user.next();
    await user.pick(labels[0]!);
    await waitForPhase(nvim, 'idle');
    expect(await answered(nvim)).toMatch(/allow/i);
  });

  it('is no longer called open on the command line once it was answered', async ({ start }) => {
    const nvim = await startChat(start, { init: recordQuestions });
    await nvim.command('AcpSend permission');
    const user = new User(nvim);
    await user.next();
    await user.type(undefined);
    await nvim.waitForScreen('acp: the question is still open; :AcpAnswer asks again');
    await nvim.input('gw3');
    await waitForPhase(nvim, 'idle');
    await nvim.waitForScreen((screen) => !screen.includes('the question is still open'));
    expect(await nvim.messages()).toContain('the question is still open');
  });

  it('leaves another message alone when it is answered', async ({ start }) => {
    const nvim = await startChat(start, { init: recordQuestions });
    await nvim.command('AcpSend permission');
    const user = new User(nvim);
    await user.next();
    await user.type(undefined);
    await nvim.waitForScreen('acp: the question is still open; :AcpAnswer asks again');
    await nvim.lua("vim.cmd.redraw() vim.api.nvim_echo({ { 'something else' } }, true, {})");
    await nvim.waitForScreen('something else');
    await nvim.input('gw3');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    await nvim.waitForScreen('something else');
  });

  it('can be reopened when a picker never called back, and only the new one counts', async ({ start }) => {
    const { nvim, user, saysSo } = await startAsked(start);
    await nvim.command('AcpSend permission');
    const { labels = [] } = await user.next();
    await nvim.command('AcpAnswer');
    await user.next();
    await nvim.lua('_G.asked[1].answer(_G.asked[1].items[1])');
    await saysSo('nothing was answered: it was asked again');
    await user.pick(rejecting(labels));
    await waitForPhase(nvim, 'idle');
    expect(await answered(nvim)).toMatch(/reject/i);
  });

  it('is withdrawn when the turn is cancelled, and a late choice is reported', async ({ start }) => {
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
    await saysSo('nothing was answered: the question is no longer open');
  });

  it.for<[string, string]>([
    ['fails', "error('broken')"],
    ['calls back twice', 'on_choice(items[4], 4) on_choice(items[2], 2)'],
    ['calls back with an item of its own', 'on_choice({ op = "question.answer", option = 0 })'],
    ['calls back twice, and then fails', "on_choice(items[4], 4) on_choice(items[2], 2) error('broken')"],
  ])('survives a vim.ui.select that %s', async ([, body], { start }) => {
    const { nvim, user } = await startAsked(start);
    await nvim.lua(`
      local select = vim.ui.select
      vim.ui.select = function(items, _, on_choice)
        vim.ui.select = select
        ${body}
      end`);
    await nvim.command('AcpSend permission');
    if (body.includes('items[4]')) {
      await waitForPhase(nvim, 'idle');
      expect(await answered(nvim)).toMatch(/reject/i);
      return;
    }
    await isWaiting(nvim);
    await nvim.waitFor(() => nvim.lua("return not require('acp.dialogs.dialog').is_open()"), 'the end of it');
    await nvim.command('AcpAnswer');
    await user.next();
  });

  it('has a preview for pickers since Neovim 0.12, with the command', async ({ start }) => {
    const { nvim, user } = await startAsked(start);
    await nvim.command('AcpSend permission');
    await user.next();
    const lines = await nvim.lua<string[] | boolean>(`
      local preview = _G.asked[1].preview
      if vim.fn.has('nvim-0.12') == 0 then
        return preview == nil
      end
      return vim.api.nvim_buf_get_lines(preview(_G.asked[1].items[1]).buf, 0, -1, false)`);
    expect(lines).toEqual(typeof lines === 'boolean' ? true : ['  git push --force']);
  });
});

describe('a question that nobody asked to see', () => {
  const soon = "require('acp.dialogs.idle').quiet_ms = 0";
  const isFloat = (nvim: TestNvim) =>
    nvim.lua<boolean>(`
      return vim.iter(vim.api.nvim_list_wins()):any(function(win)
        return vim.api.nvim_win_get_config(win).relative ~= ''
      end)`);
  const modeOf = async (nvim: TestNvim) =>
    ((await nvim.client.request('nvim_get_mode', [])) as { mode: string }).mode;

  it('leaves the keys of the user alone without other plugins, and is answered in the chat', async ({
    start,
  }) => {
    const nvim = await startChat(start, { init: soon });
    await nvim.command('AcpSend permission');
    await nvim.waitForScreen('answer with gw and a digit');
    await nvim.waitForScreen('gw answer');
    await drawn(nvim);
    expect(await modeOf(nvim)).toBe('n');
    await nvim.input('ia draft<Esc>');
    expect(await nvim.lines()).toEqual(['a draft']);
    await nvim.input('gw');
    await passes(nvim, 600);
    await nvim.input('3');
    await waitForPhase(nvim, 'idle');
    expect(await answered(nvim)).toMatch(/reject/i);
  });

  it.for<[string, string]>([
    ['{}', 'list'],
    ["{ question = 'select' }", 'list'],
    ["{ question = 'float' }", 'float'],
    ["{ question = 'chat' }", 'nothing'],
  ])('opens with a replaced vim.ui.select and %s: %s', async ([config, expected], { start }) => {
    const { nvim, user } = await startAsked(start, '', config);
    await nvim.command('AcpSend permission');
    await hasQuestion(nvim);
    if (expected === 'list') await user.next();
    if (expected === 'float') await nvim.waitFor(() => isFloat(nvim), 'the float');
    await drawn(nvim);
    expect(await user.timesAsked).toBe(expected === 'list' ? 1 : 0);
    expect(await isFloat(nvim)).toBe(expected === 'float');
  });

  it.for<[string, string]>([
    ["{ question = 'select' }", 'list'],
    ["{ question = 'float' }", 'float'],
    ["{ question = 'chat' }", 'nothing'],
  ])("opens with Neovim's own vim.ui.select and %s: %s", async ([config, expected], { start }) => {
    const nvim = await startChat(start, { config, init: soon });
    await nvim.command('AcpSend permission');
    if (expected === 'list') {
      await nvim.waitForScreen(/1: Allow once[\s\S]*3: Reject/);
      expect(await modeOf(nvim)).toMatch(/^[cr]/);
      await nvim.input('<CR>');
      return;
    }
    await hasQuestion(nvim);
    if (expected === 'float') await nvim.waitFor(() => isFloat(nvim), 'the float');
    await drawn(nvim);
    expect(await modeOf(nvim)).toBe('n');
    expect(await isFloat(nvim)).toBe(expected === 'float');
  });

  it('opens in a vim.ui.select that a plugin replaces after the chat was opened', async ({ start }) => {
    const nvim = await startChat(start, { init: soon });
    await nvim.lua(recordQuestions);
    await nvim.command('AcpSend permission');
    await new User(nvim).next();
  });

  it('has "Later" first, which any plugin preselects, and <CR> typed into it allows nothing', async ({
    start,
  }) => {
    const { nvim, user, saysSo } = await startAsked(
      start,
      "require('acp.dialogs.dialog').unasked_guard_ms = 2000",
    );
    await nvim.command('AcpSend permission');
    await user.next();
    const first = '_G.asked[1].list[1]';
    expect(await nvim.lua(`return ${first}.label`)).toBe('Later');
    await nvim.lua(`_G.asked[1].answer(${first})`);
    await saysSo('the question is still open');
    await isWaiting(nvim);
    expect(await user.timesAsked).toBe(1);
    await nvim.command('AcpAnswer');
    const { labels } = await user.next();
    expect(await nvim.lua('return _G.asked[2].list[1].label')).toBe(labels![0]);
  });

  it('does not count for two seconds, nor the second time that it opens by itself', async ({ start }) => {
    const { nvim, user, saysSo } = await startAsked(
      start,
      "require('acp.dialogs.dialog').unasked_guard_ms = 2000",
    );
    await nvim.command('AcpSend permission');
    const { labels = [] } = await user.next();
    await passes(nvim, 1_500);
    await user.pick(labels[0]!);
    await saysSo('ignored a key typed before the question could be read');
    await user.next();
    expect(await nvim.lua('return _G.asked[2].list[1].label')).toBe('Later');
    await passes(nvim, 1_500);
    await user.pick(labels[0]!);
    await saysSo('a key was typed too early, so nothing was answered; :AcpAnswer asks again');
    await isWaiting(nvim);
    await nvim.command('AcpAnswer');
    await user.next();
    await user.pick(rejecting(labels));
    await waitForPhase(nvim, 'idle');
  });

  it('does not count for two seconds in a float either', async ({ start }) => {
    const { nvim, saysSo } = await startAsked(
      start,
      "require('acp.dialogs.dialog').unasked_guard_ms = 2000",
      "{ question = 'float' }",
    );
    await nvim.command('AcpSend permission');
    await nvim.waitFor(() => isFloat(nvim), 'the float');
    await passes(nvim, 1_500);
    await nvim.input('1');
    await saysSo('ignored a key typed before the question could be read');
    await passes(nvim, 600);
    await nvim.input('3');
    await waitForPhase(nvim, 'idle');
    expect(await answered(nvim)).toMatch(/reject/i);
  });

  it.for(['{}', "{ question = 'float' }", "{ question = 'chat' }"])(
    'opens in vim.ui.select on :AcpAnswer, with the numbers of the chat: %s',
    async (config, { start }) => {
      const { nvim, user } = await startAsked(start, "require('acp.dialogs.idle').quiet_ms = 60000", config);
      await nvim.command('AcpSend permission');
      await isWaiting(nvim);
      await nvim.command('AcpAnswer');
      await user.next();
      const shown = (await transcript(nvim)).join(' ');
      const list = await nvim.lua<string[]>(
        'return vim.tbl_map(function(item) return item.label end, _G.asked[1].list)',
      );
      for (const [at, label] of list.entries()) expect(shown).toContain(`${at + 1} ${label}`);
      expect(shown).not.toContain(` ${list.length + 1} `);
    },
  );

  it('is not opened for a form, nor for a page', async ({ start }) => {
    const chat = await startProgrammableChat(start);
    const { nvim } = chat;
    const form = {
      mode: 'form',
      message: 'Which one?',
      requestedSchema: { type: 'object', properties: { one: { type: 'string', enum: ['a', 'b'] } } },
    };
    const page = { mode: 'url', message: 'Log in', url: 'https://example.org/', elicitationId: 'p' };
    await chat.begin({
      all: [
        { ask: 'elicitation/create', params: form },
        { ask: 'elicitation/create', params: page },
      ],
    });
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 2"), 'both');
    await drawn(nvim);
    expect(await chat.timesAsked).toBe(0);
    await nvim.command('AcpAnswer');
    expect((await chat.next()).kind).toBe('acp.form');
    await nvim.lua('_G.asked[1].answer(nil)');
    await nvim.command('AcpAnswer');
    expect((await chat.next()).kind).toBe('acp.page');
  });
});

describe('a key that was typed before the question could be read', () => {
  // The first picker is answered immediately when it opens.
  const hasty = (answer: string) => `
    require('acp.dialogs.dialog').unasked_guard_ms = 300
    local select = vim.ui.select
    vim.ui.select = function(items, options, on_choice)
      select(items, options, on_choice)
      if #_G.asked <= _G.hasty then ${answer} end
    end`;

  const chooses = 'on_choice(items[2], 2)';

  it('does not answer it, and it opens again', async ({ start }) => {
    const { nvim, user, saysSo } = await startAsked(start, `_G.hasty = 1\n${hasty(chooses)}`);
    await nvim.command('AcpSend permission');
    await user.next();
    await saysSo('ignored a key typed before the question could be read');
    const { labels = [] } = await user.next();
    await passes(nvim, 320);
    await user.pick(rejecting(labels));
    await waitForPhase(nvim, 'idle');
    expect(await answered(nvim)).toMatch(/reject/i);
  });

  it('does not answer it in a picker that takes longer to open than the guard time', async ({ start }) => {
    const slow = `_G.hasty = 1\n${hasty(`vim.uv.sleep(400) vim.schedule(function() ${chooses} end)`)}`;
    const { nvim, user, saysSo } = await startAsked(start, slow);
    await nvim.command('AcpSend permission');
    await user.next();
    await saysSo('ignored a key typed before the question could be read');
    await isWaiting(nvim);
  });

  it('does not answer it the second time either, and it stays open', async ({ start }) => {
    const { nvim, user, saysSo } = await startAsked(start, `_G.hasty = 9\n${hasty(chooses)}`);
    await nvim.command('AcpSend permission');
    await saysSo('a key was typed too early, so nothing was answered; :AcpAnswer asks again');
    expect(await user.timesAsked).toBe(2);
    await isWaiting(nvim);
  });

  it('is not accepted by the built-in vim.ui.select', async ({ start }) => {
    const nvim = await startChat(start, {
      config: "{ question = 'select' }",
      init: `${recordNotifications}
        require('acp.dialogs.idle').quiet_ms = 0
        local select = vim.ui.select
        vim.ui.select = function(...)
          vim.ui.select = select
          vim.api.nvim_feedkeys(vim.keycode('2<CR>'), 't', false)
          select(...)
        end`,
    });
    await nvim.command('AcpSend permission');
    await nvim.waitFor(
      async () =>
        (await nvim.lua<string[]>('return _G.said'))
          .join()
          .includes('typed before the question could be read'),
      'the notice',
    );
    await nvim.waitForScreen(/1: .*\n[\s\S]*2: /);
    // Neovim answers nothing as long as its own list is open.
    const until = performance.now() + 2_500;
    await nvim.waitFor(() => performance.now() > until, 'the guard time');
    await nvim.input('1<CR>');
    await waitForPhase(nvim, 'idle');
    expect(await answered(nvim)).toMatch(/allow/i);
  });

  it('does not answer the next question when it repeats the answer to the first', async ({ start }) => {
    const chat = await startProgrammableChat(start, { init: "require('acp.dialogs.idle').quiet_ms = 200" });
    const { nvim } = chat;
    const ask = (name: string) => ({
      ask: 'session/request_permission',
      params: {
        toolCall: { toolCallId: name, title: name },
        options: [{ optionId: 'y', name: `Allow ${name}`, kind: 'allow_once' }],
      },
    });
    await chat.begin({ all: [ask('first'), ask('second')] });
    await chat.nextLabels();
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 2"), 'both');
    await chat.pick('Allow first');
    expect(await chat.timesAsked).toBe(1);
    expect(await chat.nextLabels()).toContain('Allow second');
    await chat.pick('Allow second');
    await waitForPhase(nvim, 'idle');
  });
});

describe('a hidden chat', () => {
  it('notifies the user of a question, and :AcpAnswer opens it', async ({ start }) => {
    const { nvim, user, saysSo } = await startAsked(start);
    await nvim.command('AcpChat!');
    await nvim.lua("require('acp.chat.actions').send(require('acp.chats').get(1), 'permission')");
    await saysSo('acp: Tour wants to ');
    await saysSo(':AcpAnswer');
    expect(await user.timesAsked).toBe(0);
    await nvim.command('AcpAnswer');
    const { labels = [] } = await user.next();
    await user.pick(labels[0]!);
    await saysSo('acp: Tour has finished · :AcpChat');
  });

  it('does not notify the user once it is visible', async ({ start }) => {
    const { nvim, user, said } = await startAsked(start);
    await nvim.command('AcpSend permission');
    const { labels = [] } = await user.next();
    await user.pick(labels[0]!);
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect(await said()).toBe('');
  });
});
