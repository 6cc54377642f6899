import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { floatText, quickTour, startChat, transcript } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=Me', '-c', 'user.email=me@example.org', ...args], {
    cwd,
    stdio: 'pipe',
  })
    .toString()
    .trim();

async function aRepository(nvim: TestNvim): Promise<string> {
  const cwd = fs.realpathSync(await nvim.lua<string>('return vim.fn.getcwd()'));
  git(cwd, 'init', '-q', '-b', 'trunk');
  for (const [name, value] of [['user.name', 'Me'] as const, ['user.email', 'me@example.org'] as const])
    git(cwd, 'config', name, value);
  fs.writeFileSync(path.join(cwd, 'a.txt'), 'one\n');
  git(cwd, 'add', 'a.txt');
  git(cwd, 'commit', '-q', '-m', 'first');
  return cwd;
}

/** Keys count only after the question was on the screen for a moment. */
async function choose(nvim: TestNvim, key: string, meanwhile: () => unknown = () => {}): Promise<string> {
  await nvim.input('<Esc>');
  await nvim.command('AcpWorktree');
  await nvim.waitFor(async () => (await floatText(nvim)).includes('Leave it as it is'), 'the question');
  const text = await floatText(nvim);
  await meanwhile();
  await nvim.waitFor(async () => {
    if ((await floatText(nvim)) !== '') await nvim.input(key);
    return (await floatText(nvim)) === '';
  }, 'the answer');
  return text;
}

async function newWorktree(nvim: TestNvim, command: string): Promise<string> {
  await nvim.command(command);
  await nvim.waitForScreen('worktree');
  await nvim.waitFor(async () => (await transcript(nvim)).join().includes('Welcome'), 'the session');
  await nvim.input('<Esc>');
  return nvim.lua<string>("return require('acp.chats').current().cwd");
}

const panelLines = (nvim: TestNvim) =>
  nvim.lua<string[]>("return vim.fn.getbufline('^acp://sessions$', 1, '$')");

const says = (nvim: TestNvim, text: string) =>
  nvim.waitFor(async () => (await nvim.messages()).replaceAll('\n', ' ').includes(text), text);

describe('a session in a worktree', () => {
  it('is made by :AcpNew!, merged back and removed', async ({ start }) => {
    const nvim = await startChat(start, { columns: 160 });
    const main = await aRepository(nvim);
    fs.writeFileSync(path.join(main, 'mine.txt'), 'not committed\n');
    await nvim.command('wincmd t | set autoread | edit a.txt | wincmd b');
    const tree = await newWorktree(nvim, 'AcpNew!');
    expect(git(tree, 'symbolic-ref', '--short', 'HEAD')).toMatch(/^acp\//);
    await says(nvim, 'without 1 file that is not committed');
    await nvim.command('AcpSend edit');
    await nvim.waitFor(
      async () => (await transcript(nvim)).join('\n').includes('wants to edit'),
      'a question',
    );
    expect((await transcript(nvim)).join('\n')).not.toContain('other programs execute');
    await nvim.command('AcpCancel');
    await nvim.waitFor(
      async () => (await nvim.lua("return require('acp.chats').current().status.state")) === 'idle',
      'the end of the turn',
    );
    fs.writeFileSync(path.join(tree, 'a.txt'), 'two\n');
    const shown = await choose(nvim, '2');
    expect(shown).toContain('1 file not committed\n    a.txt');
    await says(nvim, 'into trunk');
    expect(fs.readFileSync(path.join(main, 'a.txt'), 'utf8')).toBe('two\n');
    await nvim.waitFor(
      async () => (await nvim.lua("return vim.fn.getbufline('a.txt', 1)[1]")) === 'two',
      'the buffer of the user to be read again',
    );
    expect(await choose(nvim, '2')).toContain('all commits are merged\n  everything is committed\n');
    await says(nvim, 'removed the worktree and its branch');
    expect(fs.existsSync(tree)).toBe(false);
    expect(fs.readFileSync(path.join(main, 'mine.txt'), 'utf8')).toBe('not committed\n');
    expect(await nvim.lua("return vim.tbl_keys(require('acp.chats').all())")).toEqual([1]);
  });

  it('is removed without losing what was not committed', async ({ start }) => {
    const nvim = await start({
      init: `${quickTour} vim.g.acp = vim.tbl_extend('force', vim.g.acp, { worktree = true })`,
      columns: 160,
    });
    await nvim.attachHost();
    const main = await aRepository(nvim);
    const tree = await newWorktree(nvim, 'AcpChat tour');
    const branch = git(tree, 'symbolic-ref', '--short', 'HEAD');
    fs.writeFileSync(path.join(tree, 'new.txt'), 'precious\n');
    await choose(nvim, '3');
    await says(nvim, `removed the worktree; its changes are in ${branch}`);
    expect(fs.existsSync(tree)).toBe(false);
    expect(git(main, 'show', `${branch}:new.txt`)).toBe('precious');
  });

  it('is merged into the linked worktree that it was made from', async ({ start }) => {
    const nvim = await startChat(start, { columns: 160 });
    const main = await aRepository(nvim);
    const feature = path.join(main, '..', `${path.basename(main)}-feature`);
    onTestFinished(() => fs.rmSync(feature, { recursive: true, force: true }));
    git(main, 'worktree', 'add', '-q', '-b', 'feature', feature);
    await nvim.command(`cd ${feature}`);
    const tree = await newWorktree(nvim, 'AcpNew!');
    fs.writeFileSync(path.join(tree, 'a.txt'), 'two\n');
    expect(await choose(nvim, '2')).toContain(`from    feature in ${fs.realpathSync(feature)}`);
    await says(nvim, 'into feature');
    expect(fs.readFileSync(path.join(feature, 'a.txt'), 'utf8')).toBe('two\n');
    expect(fs.readFileSync(path.join(main, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('keeps its folder and its chat if it cannot be removed', async ({ start }) => {
    const nvim = await startChat(start, { columns: 160 });
    await aRepository(nvim);
    const tree = await newWorktree(nvim, 'AcpNew!');
    fs.writeFileSync(path.join(tree, 'a.txt'), 'two\n');
    fs.mkdirSync(path.join(tree, 'lib'));
    git(path.join(tree, 'lib'), 'init', '-q');
    const shown = (await choose(nvim, '1', () => nvim.waitForScreen(' 1 answer'))).replace(/\s+/g, ' ');
    expect(shown).toContain("It can't be merged or removed: lib is a git repository of its own");
    expect(shown).not.toContain('close the chat');
    fs.rmSync(path.join(tree, 'lib'), { recursive: true });
    await choose(nvim, '3', () => git(tree, 'worktree', 'lock', tree));
    await says(nvim, 'could not remove the worktree: the worktree is locked');
    expect(fs.readFileSync(path.join(tree, 'a.txt'), 'utf8')).toBe('two\n');
    expect(await nvim.lua("return require('acp.chats').current().cwd")).toBe(tree);
  });

  it('is not merged or removed without text that is not saved', async ({ start }) => {
    const nvim = await startChat(start, { columns: 160 });
    const main = await aRepository(nvim);
    await nvim.command('wincmd t | edit a.txt | wincmd b');
    const tree = await newWorktree(nvim, 'AcpNew!');
    fs.writeFileSync(path.join(tree, 'a.txt'), 'two\n');
    await nvim.lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('a.txt'), 0, -1, false, { 'mine' })");
    const shown = (await choose(nvim, '1')).replace(/\s+/g, ' ');
    expect(shown).toContain("It can't be merged:");
    expect(shown).toContain('has unsaved text in Neovim; save or discard it first');
    expect(shown).not.toContain("It can't be removed");
    await nvim.command(`wincmd t | edit! | edit ${tree}/new.txt`);
    await nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'precious' })");
    await nvim.command('wincmd b');
    expect((await choose(nvim, '1')).replace(/\s+/g, ' ')).toContain(
      "It can't be merged or removed: new.txt has unsaved text in Neovim; save or discard it first.",
    );
    expect(fs.readFileSync(path.join(main, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('is not removed while a command runs in it', async ({ start }) => {
    const nvim = await startChat(start, { columns: 160 });
    await aRepository(nvim);
    await newWorktree(nvim, 'AcpNew!');
    await nvim.command('AcpRun sleep 60');
    await nvim.waitForScreen('sleep 60');
    const shown = (await choose(nvim, '1')).replace(/\s+/g, ' ');
    expect(shown).toContain(
      'It can\'t be removed: "sleep 60" is still running in it; :AcpTerminals kill ends it',
    );
  });

  it('is not removed while another chat works in it', async ({ start }) => {
    const nvim = await startChat(start, { columns: 160 });
    await aRepository(nvim);
    const tree = await newWorktree(nvim, 'AcpNew!');
    await nvim.command(`cd ${tree} | AcpNew`);
    await nvim.waitFor(async () => (await transcript(nvim)).join().includes('Welcome'), 'the other session');
    await choose(nvim, '2');
    await says(nvim, 'could not remove the worktree:');
    await says(nvim, 'works there too; close it first');
    expect(fs.existsSync(tree)).toBe(true);
  });

  it('is left alone while its agent works', async ({ start }) => {
    const nvim = await startChat(start, { columns: 160 });
    await aRepository(nvim);
    const tree = await newWorktree(nvim, 'AcpNew!');
    await nvim.command('AcpSend permission');
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting > 0"), 'the question');
    await choose(nvim, '2');
    await says(nvim, 'could not remove the worktree: the agent is working; :AcpCancel stops it');
    expect(fs.existsSync(tree)).toBe(true);
  });

  it('is listed with the sessions of the repository after its chat was closed', async ({ start }) => {
    const nvim = await startChat(start, { columns: 160 });
    await aRepository(nvim);
    const tree = await newWorktree(nvim, 'AcpNew!');
    await nvim.command('AcpSend plan');
    await nvim.waitFor(async () => (await transcript(nvim)).join().includes('All three'), 'the answer');
    await nvim.command('AcpSessions panel');
    const row = async () => (await panelLines(nvim)).findIndex((line) => line.includes('Plan')) + 1;
    await nvim.waitFor(async () => (await row()) > 0, 'the session in the list');
    await nvim.command(`call cursor(${await row()}, 1)`);
    await nvim.input('x');
    await nvim.waitFor(
      async () => (await nvim.lua<number>("return vim.tbl_count(require('acp.chats').all())")) === 1,
      'the end of the chat',
    );
    const isListed = async () => (await panelLines(nvim)).some((line) => line.includes(path.basename(tree)));
    await nvim.waitFor(isListed, 'the earlier session in the list');
    await nvim.lua(`vim.ui.select = function(items, options)
      _G.labels = vim.tbl_map(options.format_item, items)
    end`);
    await nvim.command('AcpSessions');
    await nvim.waitFor(() => nvim.lua<boolean>('return _G.labels ~= nil'), 'the picker');
    expect((await nvim.lua<string[]>('return _G.labels')).join()).toContain(path.basename(tree));
  });

  it('says why there is none', async ({ start }) => {
    const nvim = await startChat(start, { columns: 200 });
    await nvim.command('AcpWorktree');
    await says(nvim, 'this session has no worktree of its own');
    await nvim.command('AcpNew!');
    await says(nvim, 'is not in a git repository with a commit');
  });
});
