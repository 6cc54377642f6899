import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { expect } from 'vitest';
import { startEditingChat } from '../support/agents/programmable-chat.ts';
import { drawn } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';

const evil = "%{execute('let g:ran=1')}%{%execute('let g:ran=2')%}";

it('titles, files and tool calls with the syntax of statuslines are shown and not run', async ({ start }) => {
  const name = `${evil}.txt`;
  const chat = await startEditingChat(start, { files: { [name]: 'one\n' }, columns: 160 });
  const { nvim } = chat;
  await nvim.lua('vim.o.title = true');
  await chat.begin(
    { update: { sessionUpdate: 'session_info_update', title: `title ${evil}` } },
    { update: { sessionUpdate: 'tool_call', toolCallId: 't', title: `call ${evil}`, kind: 'execute' } },
    ['disk', name, `ONE\n# vim: statusline=${evil.replaceAll(' ', '\\ ')}\n`],
  );
  await nvim.waitForScreen(`title ${evil.slice(0, 20)}`);
  await drawn(nvim);
  await nvim.command('AcpTraffic');
  await nvim.command('redraw!');
  await chat.review();
  await nvim.waitForScreen('ONE');
  await nvim.command('redraw!');
  expect(await nvim.lua('return vim.g.ran')).toBe(null);
});

it('commands in the names of files and in the settings of a repository are not run', async ({ start }) => {
  const names = ['`id>ran-add`', '`id>ran-export`', '~`id>ran-review`'];
  const chat = await startEditingChat(start, { files: { 'a.txt': 'one\n' } });
  const { nvim } = chat;
  for (const name of names) nvim.sandbox.write({ [name]: 'text\n' });
  execFileSync('git', ['config', 'core.fsmonitor', 'touch ran-monitor; false'], { cwd: chat.folder });
  await nvim.command(`AcpAdd ${names[0]}`);
  await nvim.command(`AcpExport ${names[1]}`);
  await nvim.command(`AcpReview ${names[2]}`);
  await nvim.command('AcpCommit');
  const isSaid = async (text: string) => (await nvim.messages()).includes(text);
  await nvim.waitFor(() => isSaid('no changes are staged'), 'the end of git');
  await nvim.waitFor(() => isSaid('exists; :AcpExport! replaces it'), 'the export');
  expect(fs.readdirSync(chat.folder).filter((name) => name.startsWith('ran'))).toEqual([]);
});

it('the quickfix list of a review opens the files with odd names, and its texts have signs and an end', async ({
  start,
}) => {
  const names = [
    'a|let g:ran=1|',
    'b\n:let g:ran=2',
    'c%#`let g:ran=3`',
    '+let g:ran=4',
    '\u001b]0;x\u0007',
    '-x',
  ];
  const chat = await startEditingChat(start, { files: { 'a.txt': 'one\n' } });
  const { nvim } = chat;
  const text = `\u202eevil\u001b[31m${'x'.repeat(100_000)}\n`;
  await chat.run(...names.map((name) => ['disk', name, text] as const));
  await nvim.command('AcpReview quickfix');
  const opened = `
    local opened = {}
    for at, item in ipairs(vim.fn.getqflist()) do
      vim.cmd('cc ' .. at)
      table.insert(opened, { vim.fs.basename(vim.api.nvim_buf_get_name(0)), item.text })
    end
    return opened`;
  await nvim.waitFor(() => nvim.lua('return #vim.fn.getqflist() > 0'), 'the list');
  const items = await nvim.lua<[string, string][]>(opened);
  expect(items.map(([name]) => name).sort()).toEqual([...names].sort());
  for (const [, shown] of items) expect(shown).toMatch(/^\+1 \S{1,9}evil␛\[31mx{100,300}…$/);
  expect(await nvim.lua('return vim.g.ran')).toBe(null);
});

it('a file in a folder called term: is opened, and no program is started', async ({ start }) => {
  const chat = await startEditingChat(start, { files: { 'term:/touch ran': 'text\n' } });
  const { nvim } = chat;
  const uri = `file://${chat.folder}/term://touch%20ran`;
  const content = { type: 'resource_link', uri, name: 'linked' };
  await chat.begin({ update: { sessionUpdate: 'agent_message_chunk', content } });
  await nvim.waitForScreen('▪ linked');
  await chat.goTo('▪ linked');
  await nvim.input('<CR>');
  const opened = () => nvim.lua<string>('return vim.bo.buftype .. vim.api.nvim_buf_get_name(0)');
  await nvim.waitFor(async () => (await opened()).includes('touch ran'), 'the file');
  expect(await opened()).toBe(chat.at('term:/touch ran'));
});
