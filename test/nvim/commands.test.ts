import { describe, expect } from 'vitest';
import { converse, drawn, startChat, transcript, waitForPhase, windows } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';

const names = [
  'add',
  'agents',
  'answer',
  'ask',
  'cancel',
  'chat',
  'close',
  'commit',
  'explain',
  'export',
  'fix',
  'follow',
  'forget',
  'fork',
  'history',
  'inbox',
  'log',
  'login',
  'logout',
  'mode',
  'model',
  'new',
  'option',
  'paste',
  'permissions',
  'plan',
  'private',
  'prompt',
  'queue',
  'record',
  'rename',
  'report',
  'restart',
  'restore',
  'retry',
  'review',
  'run',
  'search',
  'send',
  'sessions',
  'steer',
  'terminals',
  'test',
  'traffic',
  'why',
  'worktree',
];

describe('commands', () => {
  it('exist in both forms, :AcpName and :Acp name', async ({ nvim }) => {
    const defined = await nvim.lua<string[]>("return vim.fn.getcompletion('Acp', 'command')");
    const long = names.map((name) => `Acp${name[0]?.toUpperCase()}${name.slice(1)}`);
    expect(defined.toSorted()).toEqual(['Acp', ...long].toSorted());
    expect(await nvim.lua("return vim.fn.getcompletion('Acp ', 'cmdline')")).toEqual(names);
    expect(await nvim.lua("return vim.fn.getcompletion('Acp re', 'cmdline')")).toEqual([
      'record',
      'rename',
      'report',
      'restart',
      'restore',
      'retry',
      'review',
    ]);
  });

  it('all have a handler', async ({ nvim }) => {
    const missing = await nvim.lua(
      "return vim.tbl_filter(function(name) return not require('acp.commands').has(name) end, ...)",
      names,
    );
    expect(missing).toEqual([]);
  });

  it('complete agent names', async ({ nvim }) => {
    expect(await nvim.lua("return vim.fn.getcompletion('AcpChat to', 'cmdline')")).toEqual(['tour']);
    expect(await nvim.lua("return vim.fn.getcompletion('Acp chat cl', 'cmdline')")).toEqual([
      'claude',
      'cline',
    ]);
  });

  it.for([
    ['Acp dance', 'unknown command "dance"'],
    ['AcpChat nobody', 'unknown agent "nobody"; :AcpAgents lists the available ones'],
    ['AcpCancel', 'there is no chat yet; :AcpChat opens one'],
    ['AcpSend', 'nothing to send'],
    ['AcpNew nobody', 'unknown agent "nobody"'],
    ['AcpTerminals burn', 'unknown action "burn" for terminals; use one of: open, kill'],
    ['AcpSessions burn', 'no open chat is titled "burn"'],
  ] as const)('report unknown arguments: %s', async ([command, message], { start }) => {
    const nvim = await start({ columns: 200 });
    await nvim.input(`:${command}<CR>`);
    await nvim.waitForScreen(message);
  });

  it('report an unknown word for a chat', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.input(':AcpRestore redo<CR>');
    await nvim.waitForScreen('unknown word "redo"; :AcpRestore takes undo, or nothing');
  });

  it('mention the lines when sending a range', async ({ start }) => {
    const nvim = await startChat(start, { files: { 'src/shop.lua': 'one\ntwo\nthree\nfour\n' } });
    await nvim.command('wincmd t | edit src/shop.lua');
    await nvim.command('2,3AcpSend explain this');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('explain this'), 'the prompt');
    const lines = await transcript(nvim);
    const at = lines.indexOf('explain this');
    expect(lines.slice(at, at + 4)).toEqual([
      'explain this',
      '',
      '@src/shop.lua:2-3',
      '  ▪ src/shop.lua:2-3',
    ]);
    expect(await nvim.lua('return vim.fn.expand("%")')).toBe('src/shop.lua');
  });

  it('send from any window without moving the cursor, and open the chat', async ({ start }) => {
    const nvim = await start({
      init: "vim.g.acp = { agent = 'tour' }",
      files: { 'a.txt': 'text\n' },
      args: ['a.txt'],
    });
    await nvim.attachHost();
    await nvim.command('AcpSend hello');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('hello'), 'the prompt');
    expect(await windows(nvim)).toEqual(['text', 'acp', 'acp-prompt']);
    expect(await nvim.lua('return vim.fn.expand("%")')).toBe('a.txt');
  });

  it('keep the transcript when the agent is restarted', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'hello');
    await nvim.command('AcpRestart');
    await waitForPhase(nvim, 'idle');
    await converse(nvim, 'help');
    expect((await transcript(nvim)).filter((line) => line === 'You')).toHaveLength(2);
  });

  it('remove the agent, the windows and the buffers of a closed chat', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'hello');
    await nvim.command('AcpClose');
    expect(await windows(nvim)).toEqual(['']);
    const left =
      "return vim.tbl_filter(function(b) return vim.api.nvim_buf_get_name(b):find('acp://') end, vim.api.nvim_list_bufs())";
    expect(await nvim.lua(left)).toEqual([]);
    await nvim.command('AcpChat tour');
    await nvim.input('<Esc>');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect(await transcript(nvim)).not.toContain('You');
  });

  it('open the log file', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpLog');
    expect((await nvim.lines()).join('\n')).toMatch(/info +host .* pid \d+/);
  });
});

describe('<Plug> mappings', () => {
  it('open the chat and cancel', async ({ start }) => {
    const nvim = await startChat(start, { files: { 'a.lua': 'local a\nlocal b\n' } });
    await nvim.command('AcpChat! | edit a.lua');
    await nvim.command('nmap gc <Plug>(acp-chat)| nmap gx <Plug>(acp-cancel)');
    await nvim.input('gc<Esc>');
    await nvim.waitFor(async () => (await windows(nvim)).length === 3, 'the chat');
    await nvim.command('wincmd t');
    await nvim.command('AcpSend hang');
    await waitForPhase(nvim, 'running');
    await nvim.input('gx');
    await waitForPhase(nvim, 'idle');
  });
});

it('shows where in the plugin a command failed', async ({ start }) => {
  const nvim = await startChat(start);
  await nvim.lua(
    "require('acp.lifecycle').show = function() vim.api.nvim_buf_get_lines(9999, 0, -1, false) end",
  );
  const failure = await nvim.command('AcpChat').catch((error: unknown) => String(error));
  expect(failure).toContain('Invalid buffer id: 9999');
  expect(failure).toContain("in function 'nvim_buf_get_lines'");
});
