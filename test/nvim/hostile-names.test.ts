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
