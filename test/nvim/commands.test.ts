import { describe, expect } from 'vitest';
import { converse, drawn, startChat, transcript, waitForPhase, windows } from '../support/chat.ts';
import { it } from '../support/it.ts';

const names = [
  'agents',
  'answer',
  'cancel',
  'chat',
  'close',
  'follow',
  'log',
  'login',
  'logout',
  'mode',
  'model',
  'new',
  'option',
  'plan',
  'record',
  'restart',
  'restore',
  'review',
  'run',
  'send',
  'sessions',
  'terminals',
  'traffic',
];

describe('the commands', () => {
  it('exist in both forms, from one table', async ({ nvim }) => {
    const defined = await nvim.lua<string[]>("return vim.fn.getcompletion('Acp', 'command')");
    const long = names.map((name) => `Acp${name[0]?.toUpperCase()}${name.slice(1)}`);
    expect(defined.toSorted()).toEqual(['Acp', ...long].toSorted());
    expect(await nvim.lua("return vim.fn.getcompletion('Acp ', 'cmdline')")).toEqual(names);
    expect(await nvim.lua("return vim.fn.getcompletion('Acp re', 'cmdline')")).toEqual([
      'record',
      'restart',
      'restore',
      'review',
    ]);
  });

  it('have something that does them', async ({ nvim }) => {
    const missing = await nvim.lua(
      "return vim.tbl_filter(function(name) return not require('acp.commands').has(name) end, ...)",
      names,
    );
    expect(missing).toEqual([]);
  });

  it('complete the names of agents', async ({ nvim }) => {
    expect(await nvim.lua("return vim.fn.getcompletion('AcpChat to', 'cmdline')")).toEqual(['tour']);
    expect(await nvim.lua("return vim.fn.getcompletion('Acp chat cl', 'cmdline')")).toEqual([
      'claude',
      'cline',
    ]);
  });

  it.for([
    ['Acp dance', 'no command "dance"'],
    ['AcpChat nobody', 'there is no agent "nobody"; :AcpAgents lists those that are known'],
    ['AcpCancel', 'there is no chat yet; :AcpChat opens one'],
    ['AcpSend', 'nothing to send'],
    ['AcpNew nobody', 'there is no agent "nobody"'],
    ['AcpTerminals burn', 'there is no "burn" for terminals; one of open, kill'],
    ['AcpSessions burn', 'there is no "burn" for sessions; one of open, close, delete'],
  ] as const)('name what they do not know: %s', async ([command, message], { start }) => {
    const nvim = await start({ columns: 200 });
    await nvim.input(`:${command}<CR>`);
    await nvim.waitForScreen(message);
  });

  it('send a range with its path, lines and filetype', async ({ start }) => {
    const nvim = await startChat(start, { files: { 'src/shop.lua': 'one\ntwo ``` fence\nthree\nfour\n' } });
    await nvim.command('wincmd t | edit src/shop.lua');
    await nvim.command('2,3AcpSend explain this');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('explain this'), 'the prompt');
    const lines = await transcript(nvim);
    const at = lines.indexOf('explain this');
    expect(lines.slice(at, at + 7)).toEqual([
      'explain this',
      '',
      'src/shop.lua:2-3',
      '````lua',
      'two ``` fence',
      'three',
      '````',
    ]);
    expect(await nvim.lua('return vim.fn.expand("%")')).toBe('src/shop.lua');
  });

  it('send from anywhere without moving the user, and open the chat for it', async ({ start }) => {
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

  it('start the agent again, and the transcript stays', async ({ start }) => {
    const nvim = await startChat(start);
    await converse(nvim, 'hello');
    await nvim.command('AcpRestart');
    await waitForPhase(nvim, 'idle');
    await converse(nvim, 'help');
    expect((await transcript(nvim)).filter((line) => line === 'You')).toHaveLength(2);
  });

  it('close a chat: its agent, its windows and its buffers', async ({ start }) => {
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

  it('open the log', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('AcpLog');
    expect((await nvim.lines()).join('\n')).toMatch(/info +host .* pid \d+/);
  });
});

describe('the <Plug> maps', () => {
  it('open the chat, ask, ask about a selection and cancel', async ({ start }) => {
    const nvim = await startChat(start, { files: { 'a.lua': 'local a\nlocal b\n' } });
    await nvim.command('AcpChat! | edit a.lua');
    await nvim.command('nmap gc <Plug>(acp-chat)| nmap gs <Plug>(acp-send)| nmap gx <Plug>(acp-cancel)');
    await nvim.command('xmap gs <Plug>(acp-send)');
    await nvim.input('gc<Esc>');
    await nvim.waitFor(async () => (await windows(nvim)).length === 3, 'the chat');
    await nvim.command('wincmd t');
    await nvim.input('gs');
    await nvim.waitForScreen('Ask the agent:');
    await nvim.input('hello from a map<CR>');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('hello from a map'), 'the first prompt');
    await nvim.input('Vgs');
    await nvim.waitForScreen('Ask about the selection:');
    await nvim.input('what is it<CR>');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('a.lua:1-1'), 'the selection');
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpSend hang');
    await waitForPhase(nvim, 'running');
    await nvim.input('gx');
    await waitForPhase(nvim, 'idle');
  });

  it('send nothing when the question is left with <Esc>', async ({ start }) => {
    const nvim = await startChat(start);
    await nvim.command('wincmd t | nmap gs <Plug>(acp-send)');
    await nvim.input('gs');
    await nvim.waitForScreen('Ask the agent:');
    await nvim.input('never mind<Esc>');
    await converse(nvim, 'hello');
    expect((await transcript(nvim)).join('\n')).not.toContain('never mind');
  });
});
