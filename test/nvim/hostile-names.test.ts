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
