import { describe, expect } from 'vitest';
import { call, callUpdate, update } from '../support/agents/messages.ts';
import { startScriptedChat } from '../support/agents/scripted-chat.ts';
import { drawn, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

/** The rows of the chat as one text, without line breaks. */
const chatText = (nvim: TestNvim) =>
  nvim.screen
    .lines()
    .map((line) => (line.split('│')[1] ?? '').trim())
    .join('')
    .replace(/\s+/g, '');

const command = (length: number) => `echo ${'abcdefghij '.repeat(20)}`.slice(0, length).trim();

/** A command that an agent ran itself, with its exit code. */
async function runCommands(
  start: Parameters<typeof startScriptedChat>[0],
  titles: readonly string[],
  columns = 100,
) {
  const { nvim, turn } = await startScriptedChat(start, { columns, lines: 70 });
  const said = titles.flatMap((title, index) => [
    call(`c${index}`, { title, kind: 'execute', status: 'in_progress' }),
    callUpdate(`c${index}`, {
      status: 'completed',
      rawOutput: { exit_code: 0 },
      content: [{ type: 'content', content: { type: 'text', text: 'output' } }],
    }),
  ]);
  const { end } = await turn('go', ...said);
  end();
  await waitForPhase(nvim, 'idle');
  await drawn(nvim);
  return nvim;
}

describe('figures at the right edge', () => {
  it.for([80, 100, 120])(
    'stand on the line of their call, whose title is cut if it is long, at %d columns',
    async (columns, { start }) => {
      const titles = [18, 22, 26, 30, 34, 38, 42, 60, 75, 90].map(
        (length, index) => `${index}${command(length)}`,
      );
      const nvim = await runCommands(start, titles, columns);
      const rows = () => nvim.screen.lines().map((line) => (line.split('│')[1] ?? '').trim());
      for (const [index, title] of titles.entries()) {
        await nvim.waitFor(() => rows().some((row) => row.startsWith(`✓ run     ${index}`)), title);
        const row = rows().find((line) => line.startsWith(`✓ run     ${index}`)) ?? '';
        const [, shown = ''] = /^✓ run {5}(.*?) +(?:exit 0 )?(?:[\d.]+ m?s )?▸$/.exec(row) ?? [];
        expect(title, row).toContain(shown.replace(/…$/, ''));
        expect(shown === title || shown.endsWith('…'), row).toBe(true);
      }
    },
  );

  it('whose line another plugin has removed are left out when the width changes', async ({ start }) => {
    const nvim = await runCommands(start, ['echo one']);
    await nvim.lua(
      `local buf = require('acp.chats').current().buf
       vim.bo[buf].modifiable = true
       vim.api.nvim_buf_set_lines(buf, 0, -1, false, { 'gone' })`,
    );
    await nvim.resize(120, 70);
    await drawn(nvim);
    expect(await nvim.messages()).not.toMatch(/figures\.lua|traceback/);
  });

  it('fit the window of each tab page that shows the chat', async ({ start }) => {
    const nvim = await runCommands(start, ['make']);
    await nvim.command('tab split');
    await nvim.waitForScreen(/✓ run {5}make {60,}exit 0/);
    await nvim.command('tabprevious');
    await nvim.waitForScreen(/│ ✓ run {5}make {5,30}exit 0/);
    await nvim.command('tabnext');
    await nvim.waitForScreen(/✓ run {5}make {60,}exit 0/);
    await nvim.command('tabclose');
    await nvim.waitForScreen(/│ ✓ run {5}make {5,30}exit 0/);
  });

  it.for([26, 30, 34])(
    'of a change stand on the line of its call in %d columns',
    async (width, { start }) => {
      const { nvim, turn } = await startScriptedChat(start, { columns: 120, lines: 40 });
      await nvim.command(`vertical resize ${width}`);
      const path = '/work/src/components/login-form.ts';
      const diff = { type: 'diff', path, oldText: 'one\n', newText: 'two\n' };
      const { end } = await turn(
        'go',
        call('c1', { title: 'Edit the form', kind: 'edit', status: 'completed', content: [diff] }),
      );
      end();
      await waitForPhase(nvim, 'idle');
      await drawn(nvim);
      const rows = () => nvim.screen.lines().map((line) => (line.split('│')[1] ?? '').trim());
      await nvim.waitFor(() => rows().some((row) => row.startsWith('✓ edit')), 'the call');
      const at = rows().findIndex((row) => row.startsWith('✓ edit'));
      expect(rows()[at]).toMatch(/\+1 -1 .*▾$/);
      expect(rows()[at + 1]).toMatch(/- one/);
    },
  );

  it('leave the whole title to za and K', async ({ start }) => {
    const nvim = await runCommands(start, [command(90)], 80);
    await nvim.input('<C-w>kgg/echo<CR>za');
    await nvim.waitFor(
      async () => (await transcript(nvim)).some((line) => line.trim() === command(90)),
      'the whole title',
    );
  });

  it('are laid out again when the width changes', async ({ start }) => {
    const nvim = await runCommands(start, [command(30)], 120);
    await nvim.resize(80, 70);
    await nvim.command('wincmd = | vertical resize 30');
    await nvim.waitFor(() => /echo\w*….*s▸/.test(chatText(nvim)), 'the figures');
  });
});

describe('the winbar', () => {
  const winbar = (nvim: TestNvim) => (nvim.screen.lines()[0] ?? '').split('│')[1]?.trim() ?? '';
  const title = 'A long title that an agent made of the first prompt of the user';

  it.for([
    [80, /^Tester · A long title that.*…$/],
    [240, /^Tester · A long title that an agent made of the first prompt of the user +25 % · \$0\.50$/],
  ] as const)(
    'cuts the title at its end and drops figures first, at %d columns',
    async ([columns, expected], { start }) => {
      const { nvim, turn } = await startScriptedChat(start, { columns });
      const { end } = await turn(
        'go',
        update('session_info_update', { title }),
        update('usage_update', { used: 1, size: 4, cost: { amount: 0.5, currency: 'USD' } }),
      );
      await nvim.waitFor(() => winbar(nvim).includes('A long title'), 'the title');
      expect(winbar(nvim)).toMatch(/^Tester · A long.* ● \d+ s$/);
      end();
      await waitForPhase(nvim, 'idle');
      await nvim.waitFor(() => expected.test(winbar(nvim)), `${expected}`);
    },
  );

  it.for([
    [42, ' Claudia     Opus 5.5 · ? waiting for you '],
    [36, ' Claudia          ? waiting for you '],
    [24, ' Cl…  ? waiting for you '],
  ] as const)(
    'cuts the name only if there is no room for it, at %d columns',
    async ([width, expected], { start }) => {
      const nvim = await start();
      const bar = {
        left: [['Claudia', 'AcpAgent']],
        right: [
          ['Opus 5.5', 'AcpMuted'],
          ['? waiting for you', 'AcpWaiting'],
        ],
      };
      const format =
        "return vim.api.nvim_eval_statusline(require('acp.ui.winbar').format(...), { maxwidth = select(2, ...) }).str";
      expect(await nvim.lua(format, bar, width)).toBe(expected);
    },
  );

  it.for([
    [60, 'Claudia · A long title of the… Opus · Plan · 25 % · ● 1 s'],
    [54, 'Claudia · A long title of the … Opus · Plan · ● 1 s'],
    [46, 'Claudia · A long title of the… Plan · ● 1 s'],
    [30, 'Claudia · A l… Plan · ● 1 s'],
    [24, 'Claudia Plan · ● 1 s'],
    [20, 'Claudia ● 1 s'],
  ] as const)(
    'leaves out usage, model, title and mode in this order, at %d columns',
    async ([width, expected], { start }) => {
      const nvim = await start();
      const bar = (mode: readonly [string, string]) => ({
        left: [
          ['Claudia', 'AcpAgent'],
          [' · ', 'AcpMuted'],
          ['A long title of the user', 'AcpTitle'],
        ],
        right: [['Opus', 'AcpMuted'], mode, ['25 %', 'AcpMuted'], ['● 1 s', 'AcpRunning']],
      });
      const format =
        "return vim.api.nvim_eval_statusline(require('acp.ui.winbar').format(...), { maxwidth = select(2, ...) }).str";
      const shown = await nvim.lua<string>(format, bar(['Plan', 'AcpMode']), width);
      expect(shown.trim().replaceAll(/ +/g, ' ')).toBe(expected);
      const asksNothing = await nvim.lua<string>(format, bar(['! Yolo', 'AcpAllowAll']), width);
      expect(asksNothing).toContain('! Yolo');
    },
  );

  it('gives the title more room when the window grows', async ({ start }) => {
    const { nvim, turn } = await startScriptedChat(start, { columns: 80 });
    const { end } = await turn('go', update('session_info_update', { title }));
    end();
    await waitForPhase(nvim, 'idle');
    await nvim.waitFor(() => winbar(nvim).endsWith('…'), 'the cut title');
    await nvim.resize(200, 30);
    await nvim.command('vertical resize 90');
    await nvim.waitFor(() => winbar(nvim).endsWith('of the user'), 'the whole title');
  });
});

describe('a notice of several rows', () => {
  const title = 'The agent has something to say that takes more than one row';

  it.for([
    ['·', 'info'],
    ['!', 'error'],
  ] as const)('is indented to its first word, after %s', async ([sign, severity], { start }) => {
    const { nvim, turn } = await startScriptedChat(start, { columns: 80 });
    const { end } = await turn('go', update('notice', { severity, title }));
    end();
    await waitForPhase(nvim, 'idle');
    const rows = () => nvim.screen.lines().map((line) => line.split('│')[1] ?? '');
    await nvim.waitFor(() => rows().some((row) => row.startsWith(` ${sign} `)), 'the notice');
    const at = rows().findIndex((row) => row.startsWith(` ${sign} `));
    expect([rows()[at]?.search(/\w/), rows()[at + 1]?.search(/\S/)]).toEqual([3, 3]);
  });
});

describe('a terminal of the agent’s own', () => {
  it('opens on <CR> with the output that the agent sent', async ({ start }) => {
    const { nvim, turn } = await startScriptedChat(start);
    const { end } = await turn(
      'go',
      call('c1', {
        title: 'make',
        kind: 'execute',
        _meta: { terminal_info: { terminal_id: 't1' } },
        content: [{ type: 'terminal', terminalId: 't1' }],
      }),
      callUpdate('c1', { _meta: { terminal_output: { terminal_id: 't1', data: 'compiled it\n' } } }),
      callUpdate('c1', {
        status: 'completed',
        _meta: { terminal_exit: { terminal_id: 't1', exit_code: 0, signal: null } },
      }),
    );
    end();
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    await nvim.input('<C-w>kgg/make<CR><CR>');
    await nvim.waitFor(() => nvim.lua<boolean>("return vim.bo.buftype == 'terminal'"), 'the terminal');
    await nvim.waitFor(async () => (await nvim.lines()).join('\n').includes('compiled it'), 'its output');
    expect(await nvim.lua('return vim.b.acp_terminal')).toContain('exit 0');
  });
});
