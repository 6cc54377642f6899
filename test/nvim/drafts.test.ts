import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { promptText, startChat } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { Sandbox } from '../support/nvim/sandbox.ts';

/** The draft files by name. */
function drafts({ sandbox }: { sandbox: Sandbox }): Record<string, string> {
  const folder = path.join(sandbox.env.XDG_STATE_HOME ?? '', 'nvim', 'acp', 'drafts');
  const names = fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.endsWith('.draft')) : [];
  return Object.fromEntries(
    names.map((name) => [path.join(folder, name), fs.readFileSync(path.join(folder, name), 'utf8')]),
  );
}

/** The prompts that came back and wait for the user. */
function returnedIn(draft: string): string {
  return JSON.parse(draft.split('\n', 1)[0]!).returned ?? '';
}

async function waitForDraft(nvim: TestNvim, text: string): Promise<string> {
  const find = () => Object.entries(drafts(nvim)).find(([, content]) => content.endsWith(`\n${text}`))?.[0];
  return nvim.waitFor(find, `the draft "${text}" on disk`);
}

const waitForPrompt = (nvim: TestNvim, text: string) =>
  nvim.waitFor(async () => (await promptText(nvim)) === text, `the prompt "${text}"`);

const wipe = (command: string) =>
  `vim.cmd.${command}({ require('acp.chats').current().prompt, bang = true })`;

/** Ends a Neovim and keeps its folders. */
async function kill(nvim: TestNvim): Promise<void> {
  process.kill(nvim.pid, 'SIGKILL');
  await nvim.exited;
}

describe('a draft', () => {
  it('is saved while it is typed, readable only by the user', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ihalf a tho');
    const file = await waitForDraft(nvim, 'half a tho');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    await nvim.input('ught<CR>and more');
    await waitForDraft(nvim, 'half a thought\nand more');
    expect(Object.keys(drafts(nvim))).toEqual([file]);
  });

  it.for(['qa', 'qa!'])(
    'is restored after :%s, in the same folder with the same agent',
    async (command, { start }) => {
      const sandbox = new Sandbox();
      const first = await startChat(start, { sandbox });
      await first.input('ia draft of\u00a0mine<CR>  ünd more<Esc>');
      expect(await first.quit(command)).toMatchObject({ code: 0 });
      // Another Neovim may look for it before this one is gone.
      expect(Object.values(drafts(first))).toEqual([expect.stringContaining('"is_released":true')]);
      const second = await startChat(start, { sandbox });
      await waitForPrompt(second, 'a draft of\u00a0mine\n  ünd more');
      expect(await second.messages()).toMatch(/acp: the draft of \d\d:\d\d was restored/);
      expect(Object.keys(drafts(second))).toHaveLength(1);
      await second.input('a!<Esc>');
      await waitForPrompt(second, 'a draft of\u00a0mine\n  ünd more!');
    },
  );

  it('is restored after Neovim was killed while typing', async ({ start }) => {
    const sandbox = new Sandbox();
    const first = await startChat(start, { sandbox });
    await first.input('ia draft');
    await waitForDraft(first, 'a draft');
    await kill(first);
    const second = await startChat(start, { sandbox });
    await waitForPrompt(second, 'a draft');
    await second.input('A, finished<Esc>');
    await waitForDraft(second, 'a draft, finished');
    expect(Object.keys(drafts(second))).toHaveLength(1);
  });

  it('has the prompts that waited for a motion to be returned when Neovim was killed', async ({ start }) => {
    const sandbox = new Sandbox();
    const first = await startChat(start, { sandbox });
    await first.input('ia draft<Esc>d');
    for (const prompt of ['error one', 'error two']) {
      await first.command(`AcpSend ${prompt}`);
      await first.waitFor(
        () => Object.values(drafts(first)).some((content) => returnedIn(content).includes(prompt)),
        `"${prompt}" on disk`,
      );
    }
    expect(await promptText(first)).toBe('a draft');
    await kill(first);
    const second = await startChat(start, { sandbox });
    await waitForPrompt(second, 'error two\n\nerror one\n\na draft');
  });

  it.for(['bwipeout', 'bdelete', 'bunload'])('is restored after :%s', async (command, { start }) => {
    const nvim = await startChat(start);
    await nvim.input('ia draft<Esc>A!');
    await nvim.lua(wipe(command));
    await nvim.input('<Esc>');
    await nvim.command('AcpChat');
    await waitForPrompt(nvim, 'a draft!');
  });

  it.for(['close', 'AcpChat!', 'quit'])(
    'with mentions stays when its window is closed by :%s',
    async (command, { start }) => {
      const nvim = await startChat(start);
      await nvim.input('ifix @a.ts:1-2 and @picture:x.png<Esc>');
      await nvim.command(command);
      await nvim.command('AcpChat');
      await waitForPrompt(nvim, 'fix @a.ts:1-2 and @picture:x.png');
    },
  );

  it('belongs to its session when another one is shown', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ifor the first @a.ts<Esc>');
    await nvim.command('AcpNew tour');
    await nvim.input('<Esc>');
    expect(await promptText(nvim)).toBe('');
    await nvim.input('ifor the second<Esc>');
    const texts = () =>
      nvim.lua(`
        local texts = {}
        for id, chat in pairs(require('acp.chats').all()) do
          texts[id] = vim.api.nvim_buf_get_lines(chat.prompt, 0, -1, false)[1]
        end
        return texts`);
    expect(await texts()).toEqual(['for the first @a.ts', 'for the second']);
    await nvim.lua("require('acp.lifecycle').show(require('acp.chats').get(1))");
    await waitForPrompt(nvim, 'for the first @a.ts');
    expect(await texts()).toEqual(['for the first @a.ts', 'for the second']);
  });

  it('survives :edit!', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ia draft<Esc>:edit!<CR>');
    await waitForPrompt(nvim, 'a draft');
    await nvim.input('A and more<Esc>');
    await waitForDraft(nvim, 'a draft and more');
  });

  it('that can not be read stays as it is, also if its prompt was wiped out', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ihalf a tho<Esc>');
    const file = await waitForDraft(nvim, 'half a tho');
    fs.writeFileSync(file, '{ damaged\nhalf a tho');
    await nvim.lua(wipe('bwipeout'));
    expect(await nvim.quit('qa')).toMatchObject({ code: 0 });
    expect(drafts(nvim)).toEqual({ [file]: '{ damaged\nhalf a tho' });
  });

  it('leaves no file once it is sent or deleted', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ihello');
    await waitForDraft(nvim, 'hello');
    await nvim.input('<C-s>');
    await nvim.waitFor(() => Object.keys(drafts(nvim)).length === 0, 'no file after sending');
    await nvim.input('again');
    await waitForDraft(nvim, 'again');
    await nvim.input('<Esc>ggdG');
    await nvim.waitFor(() => Object.keys(drafts(nvim)).length === 0, 'no file after deleting');
  });

  it('of a running Neovim is not taken over by another', async ({ start }) => {
    const sandbox = new Sandbox();
    const first = await startChat(start, { sandbox });
    await first.input('imine<Esc>');
    await waitForDraft(first, 'mine');
    const second = await start({ sandbox, init: "vim.g.acp = { agents = { tour = {} }, node = 'false' }" });
    await second.command('AcpChat tour');
    await second.input('<Esc>');
    expect(await promptText(second)).toBe('');
    await kill(first);
    await second.command('AcpNew tour');
    await waitForPrompt(second, 'mine');
  });

  it.for([
    ['another agent', { agent: 'other' }],
    ['another folder', { cwd: '/elsewhere' }],
    ['another machine', { machine: 'elsewhere' }],
  ] as const)('of %s is not taken over', async ([, difference], { start }) => {
    const nvim = await start();
    await nvim.lua(
      `local folder = vim.fn.stdpath('state') .. '/acp/drafts'
      vim.fn.mkdir(folder, 'p')
      local draft = { agent = 'tour', cwd = vim.fn.getcwd(), pid = 999999999, machine = vim.uv.os_gethostname(), transcript = 'x' }
      local header = vim.json.encode(vim.tbl_extend('force', draft, ...))
      vim.fn.writefile({ header, 'not yours' }, folder .. '/1.draft')`,
      difference,
    );
    await nvim.attachHost();
    await nvim.command('AcpChat tour');
    await nvim.input('<Esc>');
    expect(await promptText(nvim)).toBe('');
    expect(Object.values(drafts(nvim))).toEqual([expect.stringContaining('not yours')]);
  });

  it('of a closed chat is restored in the next one', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ia draft<Esc>');
    await nvim.command('AcpClose');
    await nvim.command('AcpChat tour');
    await waitForPrompt(nvim, 'a draft');
  });

  it('of a closed chat has the prompts that the host had not accepted', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input('ia draft<Esc>');
    await nvim.lua(
      'for _, command in ipairs({ ... }) do vim.cmd(command) end',
      'AcpSend one',
      'AcpSend two',
      'AcpClose',
    );
    await nvim.command('AcpChat tour');
    await waitForPrompt(nvim, 'one\n\ntwo\n\na draft');
  });

  it('has the prompts that the host had not accepted when Neovim was quit', async ({ start }) => {
    const sandbox = new Sandbox();
    const first = await startChat(start, { sandbox });
    await first.input('ia draft<Esc>');
    // Neovim 0.12 waits for language servers when it quits, and may receive that the prompt was accepted.
    await first.lua('vim.wait = function() end');
    await first.quit("exe 'AcpSend one' | qa");
    const second = await startChat(start, { sandbox });
    await waitForPrompt(second, 'one\n\na draft');
  });

  it.for([
    ['ExitPre', 'AcpSend one', ['a draft']],
    ['VimLeavePre', 'AcpSend one', ['a draft']],
    ['VimLeavePre', 'write', []],
  ] as const)(
    'has no prompt that the host accepted during %s, after :%s',
    async ([event, command, left], { start }) => {
      const first = await startChat(start, {
        init: `vim.api.nvim_create_autocmd('${event}', {
          callback = function()
            vim.wait(60000, function() return #require('acp.chats').current().unaccepted == 0 end)
          end,
        })
        -- Receives the answer of the host before VimLeavePre, and handles it later.
        vim.api.nvim_create_autocmd('ExitPre', {
          callback = function()
            vim.uv.sleep(300)
            vim.cmd('for i in range(5000) | let g:i = i | endfor')
          end,
        })`,
      });
      const journal = await first.lua<string>("return require('acp.chats').current().journal");
      await first.input('ia draft<Esc>');
      await first.quit(`exe '${command}' | qa`);
      expect(Object.values(drafts(first)).map((content) => content.split('\n').slice(1).join('\n'))).toEqual(
        left,
      );
      expect(fs.readFileSync(journal, 'utf8')).toContain(command === 'write' ? '"a draft"' : '"one"');
    },
  );

  it('is restored in its own session first', async ({ start }) => {
    const sandbox = new Sandbox();
    const first = await startChat(start, { sandbox });
    await first.input('ifor the first<Esc>');
    const journal = await first.lua<string>("return require('acp.chats').current().journal");
    await first.command('AcpNew');
    await first.input('<C-\\><C-n>ifor the second<Esc>');
    await waitForDraft(first, 'for the second');
    await first.quit();
    const second = await start({ sandbox, init: "vim.g.acp = { node = 'false' }" });
    const reopen = "require('acp.lifecycle').show(require('acp.lifecycle').create('tour', ...))";
    await second.lua(reopen, { session: 'tour-1', earlier_journal: journal });
    await waitForPrompt(second, 'for the first');
  });

  it('without an owner is deleted only when there are too many', async ({ start }) => {
    const nvim = await start({ init: "vim.g.acp = { node = 'false' }" });
    await nvim.lua(`
      local folder = vim.fn.stdpath('state') .. '/acp/drafts'
      vim.fn.mkdir(folder, 'p')
      for index = 1, 105 do
        local draft = { agent = 'other', cwd = '/', pid = 999999999, machine = vim.uv.os_gethostname(), transcript = 'x' }
        local file = ('%s/%d.draft'):format(folder, index)
        vim.fn.writefile({ vim.json.encode(draft), 'text' }, file)
        vim.uv.fs_utime(file, index, index)
      end`);
    await nvim.command('AcpChat tour');
    const left = Object.keys(drafts(nvim)).map((file) => Number(path.basename(file, '.draft')));
    expect(left.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 6),
    );
  });
});
