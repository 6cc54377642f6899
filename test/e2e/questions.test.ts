import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { ProgrammableChat, programmableAgents } from '../support/agents/programmable-chat.ts';
import { transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { recordNotifications, recordQuestions } from '../support/nvim/user.ts';
import { isAlive } from '../support/system/processes.ts';

/** A chat in a Neovim that starts the host itself, which can be killed. */
async function startChat(
  start: (options: NvimOptions) => Promise<TestNvim>,
  files: Record<string, string> = {},
) {
  const agents = `vim.g.acp = ${programmableAgents}`;
  const nvim = await start({
    init: `${agents}\n${recordQuestions}\n${recordNotifications}`,
    columns: 130,
    files,
  });
  await nvim.command('AcpChat tester');
  await nvim.input('<Esc>');
  await waitForPhase(nvim, 'idle');
  const chat = new ProgrammableChat(nvim);
  const said = async () => (await nvim.lua<string[]>('return _G.said')).join('\n');
  const saysSo = (text: string) => nvim.waitFor(async () => (await said()).includes(text), text);
  const killHost = async () => {
    const pid = await nvim.lua<number>("return require('acp.host').request('host.status', {}).pid");
    process.kill(pid, 'SIGKILL');
    await nvim.waitFor(() => !isAlive(pid), 'the end of the host');
    await saysSo('it was restarted');
    await waitForPhase(nvim, 'idle');
  };
  return { nvim, chat, saysSo, killHost };
}

const permission = (title: string) => ({
  ask: 'session/request_permission',
  params: {
    toolCall: { toolCallId: 'c1', title },
    options: [{ optionId: 'y', name: 'Yes', kind: 'allow_once' }],
  },
});

describe('a host that dies while a question is open', () => {
  it('does not let its picker answer what the next host asks', async ({ start }) => {
    const { nvim, chat, saysSo, killHost } = await startChat(start);
    await chat.begin(permission('list the files'));
    await chat.nextLabels();
    await killHost();
    await saysSo('its open questions were withdrawn (1)');
    await chat.begin(permission('remove the files'));
    await nvim.waitForScreen('remove the files');
    await chat.nextLabels();
    await nvim.lua('_G.asked[1].answer(_G.asked[1].items[1])');
    await saysSo('nothing was answered: the host that asked has exited');
    expect(await nvim.lua("return require('acp.chats').current().waiting")).toBe(1);
    expect((await transcript(nvim)).join('\n')).toContain('· asked: list the files  not answered');
    await chat.pick('Yes');
    await waitForPhase(nvim, 'idle');
  });

  it('leaves the merge of one file to itself, and never writes it into another', async ({ start }) => {
    const text = 'one\ntwo\n';
    const { nvim, chat, saysSo, killHost } = await startChat(start, { 'a.txt': text, 'b.txt': text });
    const conflictIn = async (name: string) => {
      const path = await chat.at(name);
      await nvim.command(`wincmd t | edit ${name}`);
      await chat.begin({ ask: 'fs/read_text_file', params: { path } });
      await waitForPhase(nvim, 'idle');
      await nvim.lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr(...), 0, 1, true, { 'mine' })", name);
      await chat.begin({ ask: 'fs/write_text_file', params: { path, content: `theirs of ${name}\ntwo\n` } });
      await nvim.waitFor(
        () => nvim.lua("return require('acp.chats').current().waiting == 1"),
        'the question',
      );
      await nvim.command('AcpAnswer');
      await chat.nextLabels();
      await chat.pick('Choose line by line, in a split');
      await nvim.waitForScreen(`result-${name}`);
      return path;
    };
    const a = await conflictIn('a.txt');
    await nvim.input('ggOmerged text of a<Esc>');
    await nvim.waitForScreen('merged text of a');
    const merge = await nvim.lua<number>('return vim.api.nvim_get_current_buf()');
    await killHost();
    await saysSo('the merge of a.txt will not be applied: the host that asked has exited');
    await nvim.command('write');
    await saysSo('not written: the result will not be applied: the host that asked has exited');
    await nvim.command('tabfirst');
    const b = await conflictIn('b.txt');
    expect((await nvim.lines()).join('\n')).toContain('theirs of b.txt');
    expect((await nvim.lines(merge))[0]).toBe('merged text of a');
    await nvim.input('gb:w<CR>');
    await waitForPhase(nvim, 'idle');
    expect(fs.readFileSync(a, 'utf8')).toBe(text);
    expect(fs.readFileSync(b, 'utf8')).not.toContain('merged text of a');
    expect((await nvim.lines(merge))[0]).toBe('merged text of a');
  });
});
