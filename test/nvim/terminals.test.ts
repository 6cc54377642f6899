import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { nvimFor } from '../../scripts/nvim.mjs';
import { converse, drawn, promptText, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { screenSnapshot } from '../support/nvim/snapshot.ts';
import {
  goToCall,
  openTerminal,
  runInChat,
  terminalText,
  waitForTerminal,
} from '../support/nvim/terminal-buffer.ts';
import { allowEverything } from '../support/nvim/user.ts';
import { processesWith } from '../support/system/processes.ts';

const size = { columns: 130, lines: 40, init: allowEverything };
const cutPickers = `${allowEverything}
vim.ui.select = function(items, options, on_choice)
  _G.labels = vim.tbl_map(options.format_item, items)
  _G.choose = function(index) on_choice(items[index], index) end
end`;

const winbar = (nvim: TestNvim) => nvim.lua<string>('return vim.b.acp_terminal or ""');

describe('a command of the agent', () => {
  it('shows its last lines in the chat while it runs, then its exit status', async ({ start }) => {
    const nvim = await startChat(start, size);
    await nvim.command('AcpSend run seq -f "line %g" 8; until [ -e go ]; do sleep 0.02; done; exit 3');
    const tail = () =>
      nvim.waitForScreen(/● run .*\n[\s\S]*line 3\n[\s\S]*line 8\n/, 'the last lines of a running command');
    await tail();
    expect((await transcript(nvim)).join('\n')).not.toContain('line 2\n');
    nvim.sandbox.write({ go: '' });
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    await nvim.waitForScreen(/exit 3 {1,2}\d/);
    expect((await transcript(nvim)).join('\n')).toMatch(
      /✗ run .*\n {4}line 3\n {4}line 4\n[\s\S]* {4}line 8\n/,
    );
  });

  it('is shown in colour in the chat', async ({ start }) => {
    const init = `${allowEverything}\nvim.api.nvim_set_hl(0, "AcpAnsiRed", { fg = "#aa0001" })`;
    const nvim = await startChat(start, { ...size, init });
    await converse(nvim, "run printf 'plain \\033[31mred\\033[0m plain\\n'");
    await drawn(nvim);
    const row = nvim.screen.lines().findIndex((line) => line.includes('│     plain red plain'));
    const column = nvim.screen.lines()[row]!.indexOf('red');
    expect(nvim.screen.cell(row, column)).toMatchObject({ text: 'r', fg: '#aa0001' });
    expect(nvim.screen.cell(row, column - 2).fg).not.toBe('#aa0001');
  });

  it('expands its output in the chat', async ({ start }) => {
    const nvim = await startChat(start, size);
    await converse(nvim, 'run seq 20');
    await goToCall(nvim, 'seq 20');
    await nvim.input('za');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('    1'), 'the whole output');
    expect((await transcript(nvim)).filter((line) => /^ {4}\d+$/.test(line))).toHaveLength(20);
  });

  it('has a live terminal buffer with colours that accepts input', async ({ start }) => {
    const nvim = await startChat(start, size);
    await openTerminal(nvim, "printf '\\033[32mgreen\\033[0m\\n'; read name; echo hello $name; read more");
    await waitForTerminal(nvim, 'green');
    await nvim.input('iAda<CR>');
    await waitForTerminal(nvim, 'hello Ada');
    expect(await winbar(nvim)).toContain('· running');
    await nvim.input('<C-c>');
    await nvim.waitFor(async () => (await winbar(nvim)).includes('killed by SIGINT'), 'the end by <C-c>');
    await nvim.waitFor(
      async () => (await nvim.lua<string>('return vim.api.nvim_get_mode().mode')) === 'nt',
      'Normal mode',
    );
    await nvim.input('gg/hello<CR>');
    expect(await nvim.lua('return vim.api.nvim_get_current_line()')).toBe('hello Ada');
  });

  it('can be opened after it has exited, with its whole output', async ({ start }) => {
    const nvim = await startChat(start, size);
    await converse(nvim, 'run seq 3000');
    await openTerminal(nvim, 'seq 500 2600; exit 1');
    await waitForTerminal(nvim, /^500\n501\n[\s\S]*\n2599\n2600$/);
    await nvim.command('close');
    await goToCall(nvim, 'seq 3000');
    await nvim.input('<CR>');
    await nvim.waitFor(async () => (await winbar(nvim)).startsWith('seq 3000'), 'the other terminal');
    await nvim.waitFor(async () => (await winbar(nvim)).includes('exit 0'), 'how it ended');
    await waitForTerminal(nvim, /^1\n2\n3\n[\s\S]*\n2999\n3000$/);
  });

  it('gets the size of its window, also after a resize', async ({ start }) => {
    const nvim = await startChat(start, size);
    await openTerminal(nvim, 'trap "stty size" WINCH; stty size; while :; do sleep 0.05; done');
    const shown = async () => {
      const { height, width } = await nvim.lua<{ height: number; width: number }>(
        'return { height = vim.fn.getwininfo(vim.fn.win_getid())[1].height, width = vim.api.nvim_win_get_width(0) }',
      );
      return `${height} ${width}`;
    };
    await waitForTerminal(nvim, await shown());
    await nvim.command('resize 7');
    await waitForTerminal(nvim, await shown());
    await nvim.command('wincmd c');
  });

  it('keeps running when its buffer is wiped, and can be shown again', async ({ start }) => {
    const nvim = await startChat(start, size);
    const line = 'echo one; until [ -e go ]; do sleep 0.02; done; echo two';
    await openTerminal(nvim, line);
    await waitForTerminal(nvim, 'one');
    await nvim.command('bwipeout!');
    nvim.sandbox.write({ go: '' });
    await waitForPhase(nvim, 'idle');
    await goToCall(nvim, 'echo one');
    await nvim.input('<CR>');
    await waitForTerminal(nvim, 'one\ntwo');
  });

  it('leaves one buffer without a window when it has ended, and can be shown again', async ({ start }) => {
    const nvim = await startChat(start, size);
    const buffers = () =>
      nvim.lua<number>(
        "return #vim.tbl_filter(function(b) return vim.bo[b].buftype == 'terminal' end, vim.api.nvim_list_bufs())",
      );
    for (const line of ['echo one', 'echo two']) {
      await openTerminal(nvim, line);
      await waitForTerminal(nvim, line.slice(5));
      await nvim.waitFor(async () => (await winbar(nvim)).includes('exit 0'), 'the end of the command');
      await nvim.command('wincmd c');
    }
    await nvim.waitFor(async () => (await buffers()) === 1, 'the first buffer to be deleted');
    await goToCall(nvim, 'echo one');
    await nvim.input('<CR>');
    await waitForTerminal(nvim, 'one');
  });

  it('does not keep Neovim from quitting', async ({ start }) => {
    const nvim = await startChat(start, size);
    await openTerminal(nvim, 'sleep 1000');
    expect(await nvim.quit('qa')).toMatchObject({ code: 0 });
  });
});

describe('in a terminal buffer', () => {
  it('less pages and quits', async ({ start }) => {
    const text = Array.from({ length: 300 }, (_, index) => `text ${index + 1}`).join('\n');
    const nvim = await startChat(start, { ...size, files: { 'long.txt': text } });
    await openTerminal(nvim, 'less long.txt');
    await waitForTerminal(nvim, /^text 1\n/);
    await nvim.input('iG');
    await waitForTerminal(nvim, 'text 300');
    await nvim.input('q');
    await nvim.waitFor(async () => (await winbar(nvim)).includes('exit 0'), 'the end of less');
  });

  it('vim edits and saves', async ({ start }) => {
    const nvim = await startChat(start, size);
    const program = nvimFor(process.env.ACP_TEST_NVIM ?? '0.12');
    await openTerminal(nvim, `${program} --clean -n note.txt`);
    await waitForTerminal(nvim, 'note.txt');
    await nvim.input('iifrom inside<C-\\><C-n>');
    await waitForTerminal(nvim, 'from inside');
    await nvim.input('i<Esc>:wq<CR>');
    await nvim.waitFor(async () => (await winbar(nvim)).includes('exit 0'), 'the end of the editor');
    expect(nvim.sandbox.read('note.txt')).toBe('from inside\n');
  });

  it('a node REPL answers', async ({ start }) => {
    const nvim = await startChat(start, size);
    await openTerminal(nvim, 'node -i');
    await waitForTerminal(nvim, /^>$/m);
    await nvim.input('i6 * 7<CR>');
    await waitForTerminal(nvim, /^42$/m);
    await nvim.input('.exit<CR>');
    await nvim.waitFor(async () => (await winbar(nvim)).includes('exit 0'), 'the end of node');
  });

  it('bash has jobs, a prompt and a line editor', async ({ start }) => {
    const nvim = await startChat(start, size);
    await openTerminal(nvim, "PS1='$ ' bash --norc --noprofile -i");
    await waitForTerminal(nvim, /^\$$/m);
    await nvim.input('iecho abX<BS>c | tr a-z A-Z<CR>');
    await waitForTerminal(nvim, /^ABC$/m);
    await nvim.input('sleep 1000<CR>');
    await nvim.waitFor(
      () => processesWith(nvim.sandbox.marker).some(({ command }) => command === 'sleep 1000'),
      'the sleep',
    );
    await nvim.input('<C-z>');
    await waitForTerminal(nvim, 'Stopped');
    await nvim.input('exit<CR>exit<CR>');
    await nvim.waitFor(async () => (await winbar(nvim)).includes('exit'), 'the end of bash');
    await waitForPhase(nvim, 'idle');
  });

  it('a progress bar is one line', async ({ start }) => {
    const nvim = await startChat(start, size);
    const line = "for i in 1 2 3 4 5 6 7 8 9; do printf '\\r%s0 %%' $i; done; echo; read x";
    await openTerminal(nvim, line);
    await waitForTerminal(nvim, '90 %');
    expect(await terminalText(nvim)).toBe('90 %');
    await nvim.waitForScreen('│     90 %');
  });

  it('output longer than the window is followed to its end', async ({ start }) => {
    const nvim = await startChat(start, size);
    await openTerminal(nvim, 'seq 1 500; read x');
    await nvim.waitFor(
      () => nvim.lua<boolean>("return vim.fn.getline(vim.fn.line('w$') - 1) == '500'"),
      'the end in the window',
    );
    expect(await nvim.lua("return vim.fn.line('w0') > 400")).toBe(true);
  });

  it('a flood of output shows its end, and Neovim stays responsive', async ({ start }) => {
    const nvim = await startChat(start, size);
    await openTerminal(nvim, 'yes flooding | head -n 300000; echo the end; read x');
    await nvim.input('i');
    // Its call in the chat may be open, and its end below the window.
    const isToldInChat = async () => (await transcript(nvim)).some((line) => line.trim() === 'the end');
    await nvim.waitFor(isToldInChat, 'the end in the chat');
    await waitForTerminal(nvim, /^the end$/m);
    // The screen comes first, and what scrolled by once there is rest. The buffer is empty for a moment in between.
    const isComplete = async () => {
      const lines = (await terminalText(nvim)).split('\n');
      const isFlood = lines.slice(0, -1).every((line) => line === 'flooding');
      return isFlood && lines.length > 1_000 && lines.length < 10_100;
    };
    await nvim.waitFor(isComplete, 'what scrolled by');
    expect(await nvim.lua('return vim.api.nvim_get_mode().mode')).toBe('t');
    await nvim.input('<CR>');
    await nvim.waitFor(async () => (await winbar(nvim)).includes('exit 0'), 'the end of the command');
  });
});

it('output that replaces all earlier output leaves no blank lines', async ({ start }) => {
  const nvim = await start();
  const write = (fresh: boolean) =>
    nvim.lua(
      `local terminal = require('acp.terminal')
       if not ... then terminal.open({ terminal = 'a', title = 'flood' }) end
       terminal.write({ terminal = 'a', data = ('line\\r\\n'):rep(300), fresh = ... })`,
      fresh,
    );
  const lines = async () => (await terminalText(nvim)).split('\n');
  await write(false);
  await nvim.waitFor(async () => (await lines()).length === 300, 'the output');
  await write(true);
  await nvim.waitFor(async () => (await lines()).join() === Array(300).fill('line').join(), 'the new output');
});

describe('the layout', () => {
  it('shows a terminal below the chat', async ({ start }) => {
    const script = "printf 'one\\n\\033[1;31mred\\033[0m \\033[44mblue\\033[0m\\n'; read x; exit 2";
    const nvim = await startChat(start, { ...size, lines: 30, files: { 'show.sh': script } });
    await openTerminal(nvim, 'sh show.sh');
    await waitForTerminal(nvim, 'red blue');
    await nvim.input('i<CR><C-\\><C-n>');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    await nvim.waitForScreen('exit 2 ');
    await nvim.waitForScreen(/show\.sh .*exit 2 *$/m);
    // The key that opens the terminal unfolds the call as long as the call names no terminal.
    await nvim.lua(`
      local chat = require('acp.chats').current()
      vim.api.nvim_win_call(vim.fn.bufwinid(chat.buf), function() vim.cmd.normal('zM') end)`);
    await nvim.waitForScreen(/sh show\.sh .* ▸$/m);
    // Only the newer Neovim says in the statusline that the buffer can't be changed.
    expect(screenSnapshot(nvim.screen).replace(' [-]', '')).toMatchSnapshot();
  });
});

describe(':AcpTerminals', () => {
  it('lists running and ended commands and opens one', async ({ start }) => {
    const nvim = await startChat(start, { ...size, init: cutPickers });
    await converse(nvim, 'run exit 4');
    await runInChat(nvim, 'echo hello; sleep 1000');
    await nvim.waitForScreen('    hello');
    await nvim.command('AcpTerminals');
    await nvim.waitFor(() => nvim.lua<boolean>('return _G.labels ~= nil'), 'the list');
    expect(await nvim.lua('return _G.labels')).toEqual([
      expect.stringMatching(/^● echo hello; sleep 1000 · running for \d+ s$/),
      '✗ exit 4 · exit 4',
    ]);
    await nvim.lua('_G.choose(1)');
    await waitForTerminal(nvim, /^hello$/);
  });

  it('kills a command', async ({ start }) => {
    const nvim = await startChat(start, { ...size, init: cutPickers });
    await runInChat(nvim, 'trap "" TERM; echo hello; while :; do sleep 0.1; done');
    await nvim.waitForScreen('    hello');
    await nvim.command('AcpTerminals kill');
    await nvim.waitFor(() => nvim.lua<boolean>('return _G.labels ~= nil'), 'the list');
    await nvim.lua('_G.choose(1)');
    await nvim.waitForScreen('SIGKILL');
    await waitForPhase(nvim, 'idle');
  });

  it('reports that there are no commands', async ({ start }) => {
    const nvim = await startChat(start, size);
    await nvim.command('AcpTerminals kill');
    await nvim.waitFor(async () => (await nvim.messages()).includes('no command is running'), 'the message');
  });
});

describe(':AcpRun', () => {
  it('runs a command line in a terminal and can put its output into the prompt', async ({ start }) => {
    const nvim = await startChat(start, size);
    await nvim.command("AcpRun echo one | tr a-z A-Z; printf '\\033[31mtwo\\033[0m\\n'; exit 5");
    await nvim.waitFor(async () => (await promptText(nvim)).includes('exit 5'), 'the output in the prompt');
    expect(await promptText(nvim)).toBe(
      "\n\n`echo one | tr a-z A-Z; printf '\\033[31mtwo\\033[0m\\n'; exit 5` (exit 5):\n```\nONE\ntwo\n```",
    );
    await waitForTerminal(nvim, /^ONE\ntwo$/);
  });

  it('keeps the text in the prompt', async ({ start }) => {
    const nvim = await startChat(start, size);
    await nvim.lua(
      "vim.api.nvim_buf_set_lines(require('acp.chats').current().prompt, 0, -1, false, { 'why does it fail?' })",
    );
    await nvim.command('AcpRun false');
    await nvim.waitFor(async () => (await promptText(nvim)).includes('exit 1'), 'the output in the prompt');
    expect(await promptText(nvim)).toMatch(/^why does it fail\?\n\n`false` \(exit 1\):\n```\n/);
  });

  it('is ended when the chat is closed', async ({ start }) => {
    const nvim = await startChat(start, size);
    await nvim.command('AcpRun echo here; sleep 1000');
    await waitForTerminal(nvim, 'here');
    await nvim.command('AcpClose');
    await nvim.waitFor(
      () => !processesWith(nvim.sandbox.marker).some(({ command }) => command.includes('sleep 1000')),
      'the command to end',
    );
  });
});

describe('file locations in terminal output', () => {
  const files = { 'src/one.c': 'first\nsecond\nthird\n', 'src/two words.c': '' };
  const errors = "printf 'src/one.c:2:3: error: no\\nsomething else\\nsrc/one.c:3: warning\\n'; read x";

  it.for([
    ['gf', 1],
    ['gF', 2],
  ] as const)('are followed by %s from where the command ran', async ([key, row], { start }) => {
    const nvim = await startChat(start, { ...size, files });
    await openTerminal(nvim, errors);
    await waitForTerminal(nvim, 'warning');
    await nvim.command('cd /');
    await nvim.input(`gg${key}`);
    await nvim.waitFor(
      async () => (await nvim.lua<string>('return vim.fn.expand("%:t")')) === 'one.c',
      'the file',
    );
    expect(await nvim.lua('return vim.api.nvim_win_get_cursor(0)[1]')).toBe(row);
  });

  it('are sent to the quickfix list', async ({ start }) => {
    const nvim = await startChat(start, { ...size, files });
    await openTerminal(nvim, errors);
    await waitForTerminal(nvim, 'warning');
    await nvim.command('cd /');
    await nvim.input('gq');
    await nvim.waitFor(
      async () => (await nvim.lua<string>('return vim.bo.buftype')) === 'quickfix',
      'the list',
    );
    const list = await nvim.lua<{ lnum: number; name: string }[]>(`
      return vim.tbl_map(function(item)
        return { lnum = item.lnum, name = vim.api.nvim_buf_get_name(item.bufnr) }
      end, vim.fn.getqflist())`);
    expect(list).toEqual(
      [2, 3].map((lnum) => ({ lnum, name: fs.realpathSync(nvim.sandbox.path('src/one.c')) })),
    );
  });
});

describe('no command keeps running', () => {
  const stubborn =
    'trap "" TERM; setsid sh -c "trap \\"\\" TERM HUP; while :; do sleep 0.1; done" & nohup sleep 1001 2>/dev/null & echo begun; while :; do sleep 0.1; done';

  it('when the chat is closed', async ({ start }) => {
    const nvim = await startChat(start, size);
    await nvim.command(`AcpSend run ${stubborn}`);
    await nvim.waitForScreen('    begun');
    await nvim.command('AcpClose');
    await expectNoneLeftBut(nvim, 'nvim');
  });

  it('when the agent is killed', async ({ start }) => {
    const nvim = await startChat(start, size);
    await nvim.command(`AcpSend run ${stubborn}`);
    await nvim.waitForScreen('    begun');
    const agent = processesWith(nvim.sandbox.marker).find(({ command }) => command.includes('tour.js'));
    process.kill(agent!.pid, 'SIGKILL');
    await nvim.waitForScreen('was killed by SIGKILL');
    await expectNoneLeftBut(nvim, 'nvim', 'orphan-guard');
  });
});

/** Only the named programs may still run. */
async function expectNoneLeftBut(nvim: TestNvim, ...names: readonly string[]): Promise<void> {
  const others = () =>
    processesWith(nvim.sandbox.marker).filter(({ command }) => !names.some((name) => command.includes(name)));
  await nvim.waitFor(() => others().length === 0, `these to end: ${JSON.stringify(others())}`);
}
