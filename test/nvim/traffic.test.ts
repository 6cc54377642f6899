import fs from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect } from 'vitest';
import { converse, promptText, startChat, waitForPhase, windows } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { screenSnapshot } from '../support/nvim/snapshot.ts';

const size = { columns: 110, lines: 30 };

async function traffic(nvim: TestNvim): Promise<string[]> {
  return nvim.lua(`
    local buf = require('acp.chats').get(1).traffic
    return buf and vim.api.nvim_buf_get_lines(buf, 0, -1, false) or {}`);
}

async function waitForLine(nvim: TestNvim, part: string | RegExp): Promise<string> {
  const isMeant = (line: string) => (typeof part === 'string' ? line.includes(part) : part.test(line));
  return nvim.waitFor(async () => (await traffic(nvim)).find(isMeant), `a message with ${part}`);
}

async function openTraffic(start: Parameters<typeof startChat>[0], options = {}): Promise<TestNvim> {
  const nvim = await startChat(start, { ...size, ...options });
  await nvim.command('AcpTraffic');
  await waitForLine(nvim, 'result of session/new');
  return nvim;
}

describe(':AcpTraffic', () => {
  it('shows all messages of the connection, one line each', async ({ start }) => {
    const nvim = await openTraffic(start);
    const names = (await traffic(nvim)).map((line) => line.replace(/^[\d:.]+ (\S+ (?:\w+ of )?\S+).*/, '$1'));
    expect(names.slice(0, 4)).toEqual([
      '→ initialize',
      '← result of initialize',
      '→ session/new',
      '← result of session/new',
    ]);
    expect(await windows(nvim)).toEqual(['', 'acp', 'acp-prompt', 'acp-traffic']);
    await nvim.input('q');
    await nvim.waitFor(async () => (await windows(nvim)).length === 3, 'the window to close');
    await nvim.waitFor(() => nvim.lua("return vim.bo.filetype == 'acp-prompt'"), 'the prompt again');
  });

  it('shows the messages again after :edit!', async ({ start }) => {
    const nvim = await openTraffic(start);
    const before = await traffic(nvim);
    await nvim.command('edit!');
    await nvim.waitFor(async () => isDeepStrictEqual(await traffic(nvim), before), 'the messages');
  });

  it('expands a message to its JSON, folds that, and collapses it', async ({ start }) => {
    const nvim = await openTraffic(start);
    const before = await traffic(nvim);
    await nvim.input('gg<CR>');
    await waitForLine(nvim, '"protocolVersion": 1');
    const json = (await traffic(nvim)).slice(1).filter((line) => line.startsWith(' '));
    expect(JSON.parse(json.join('\n'))).toMatchObject({ method: 'initialize', id: 0 });
    const last = json.length + 1;
    await nvim.input('jza');
    await nvim.waitFor(() => nvim.lua<boolean>('return vim.fn.foldclosedend(2) == ...', last), 'the fold');
    await nvim.input('ggza');
    await nvim.waitFor(async () => (await traffic(nvim)).length === before.length, 'the JSON to go');
  });

  it('shows the JSON of a message at the bottom of the window', async ({ start }) => {
    const nvim = await openTraffic(start);
    await nvim.command('resize 4');
    await nvim.input('Gzb<CR>');
    await nvim.waitForScreen(/^ {2}\{/m);
    await nvim.waitForScreen('"jsonrpc": "2.0"');
  });

  it('follows the end while the cursor is there, and does not scroll otherwise', async ({ start }) => {
    const nvim = await openTraffic(start);
    await nvim.input('G');
    await nvim.command('AcpSend hello');
    await waitForLine(nvim, 'result of session/prompt');
    const atEnd = "return vim.fn.line('.') == vim.fn.line('$')";
    expect(await nvim.lua(atEnd)).toBe(true);
    await nvim.input('2G');
    await nvim.command('AcpSend hello');
    await nvim.waitFor(
      async () =>
        (await traffic(nvim)).filter((line) => line.includes('result of session/prompt')).length === 2,
      'the second answer',
    );
    expect(await nvim.lua("return vim.fn.line('.')")).toBe(2);
  });

  it('hides secrets', async ({ start }) => {
    const nvim = await openTraffic(start);
    await nvim.command('AcpSend my key is sk-ant-api03-AbCdEf123456');
    const line = await waitForLine(nvim, 'session/prompt');
    expect(line).toContain('<secret>');
    await nvim.lua("vim.fn.search('session/prompt')");
    await nvim.input('<CR>');
    await waitForLine(nvim, 'my key is <secret>');
    expect((await traffic(nvim)).join()).not.toContain('AbCdEf');
  });

  it('receives no messages once it is closed', async ({ start }) => {
    const nvim = await openTraffic(start);
    await nvim.lua(
      "acp_batches = 0; local t = require('acp.debug.traffic'); local add = t.add; t.add = function(b) acp_batches = acp_batches + 1; return add(b) end",
    );
    await nvim.command('close');
    await converse(nvim, 'hello');
    expect(await nvim.lua('return acp_batches')).toBe(0);
    await nvim.command('AcpTraffic');
    await waitForLine(nvim, 'session/prompt');
  });

  it('shows the connection of a restarted agent', async ({ start }) => {
    const nvim = await openTraffic(start);
    await converse(nvim, 'hello');
    await nvim.command('AcpRestart');
    await waitForPhase(nvim, 'idle');
    await nvim.waitFor(
      async () => !(await traffic(nvim)).some((line) => line.includes('session/prompt')),
      'the new connection',
    );
    await waitForLine(nvim, 'result of session/new');
  });

  it.for(['q', ':q<CR>', '<C-w>c'])('leads back before the key that follows %s', async (keys, { start }) => {
    const nvim = await openTraffic(start);
    await nvim.input(`${keys}ihi`);
    await nvim.waitFor(async () => (await promptText(nvim)) === 'hi', 'the text in the prompt');
  });

  it('closes with its chat', async ({ start }) => {
    const nvim = await openTraffic(start);
    await nvim.command('AcpClose');
    expect(await windows(nvim)).toEqual(['']);
    expect(await nvim.messages()).toBe('');
  });

  it('shows only the kept messages of a flood', async ({ start }) => {
    const nvim = await openTraffic(start);
    await nvim.input('G');
    await nvim.command('AcpSend long 6000');
    await waitForLine(nvim, 'result of session/prompt');
    expect((await traffic(nvim)).length).toBeLessThanOrEqual(2_100);
  });

  it('looks like this', async ({ start }) => {
    const nvim = await openTraffic(start, { lines: 50 });
    await converse(nvim, 'hello');
    await waitForLine(nvim, 'result of session/prompt');
    await nvim.command('resize 26');
    await nvim.lua("vim.fn.cursor(1, 1); vim.fn.search('→ session/prompt')");
    await nvim.input('<CR>zt');
    await waitForLine(nvim, '"text": "hello"');
    await nvim.waitForScreen('"text": "hello"');
    expect(screenSnapshot(nvim.screen)).toMatchSnapshot();
  });
});

describe(':AcpRecord', () => {
  it('writes past and new messages to a file readable only by the user', async ({ start }) => {
    const nvim = await startChat(start, { columns: 200 });
    const file = nvim.sandbox.path('talk.jsonl');
    await nvim.command('AcpRecord talk.jsonl');
    await nvim.waitForScreen(/recording to .*talk\.jsonl; :AcpRecord! stops it/);
    await converse(nvim, 'hello token=abc');
    await nvim.command('AcpRecord!');
    await nvim.waitForScreen(/recorded \d+ messages to .*talk\.jsonl/);
    const lines = fs
      .readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ t: 0, dir: 'c2a', msg: { method: 'initialize' } });
    expect(lines.at(-1)).toMatchObject({ dir: 'a2c', msg: { result: { stopReason: 'end_turn' } } });
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.readFileSync(file, 'utf8')).toContain('hello token=<secret>');
  });

  it('ends with the agent', async ({ start }) => {
    const nvim = await startChat(start, { columns: 200 });
    await nvim.command('AcpRecord');
    await nvim.waitForScreen(/recording to .*recordings.tour-.*jsonl/);
    await nvim.command('AcpSend crash');
    await nvim.waitForScreen(/recorded \d+ messages to/);
    const [, file = ''] = /messages to (\S+\.jsonl)/.exec(await nvim.messages()) ?? [];
    const last = fs.readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).toMatchObject({ dir: 'exit' });
  });

  it.for([
    ['AcpRecord!', 'nothing is being recorded; :AcpRecord starts a recording'],
    ['AcpRecord there.txt', 'there.txt exists already; give the recording another name'],
    ['AcpRecord one.jsonl | AcpRecord two.jsonl', 'one.jsonl; :AcpRecord! stops it'],
  ] as const)('reports a problem: %s', async ([command, message], { start }) => {
    const nvim = await startChat(start, { columns: 250, files: { 'there.txt': 'mine' } });
    await nvim.command(command);
    await nvim.waitFor(async () => (await nvim.messages()).includes(message), message);
    expect(fs.readFileSync(nvim.sandbox.path('there.txt'), 'utf8')).toBe('mine');
  });
});
