import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { startProgrammableChat } from '../support/agents/programmable-chat.ts';
import { converse, drawn, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const size = { columns: 140, lines: 40 };

/** A request of the agent to run a command with its own tool. */
const permission = (command: string, toolCallId = 'call') => ({
  ask: 'session/request_permission',
  params: {
    toolCall: { toolCallId, title: command, kind: 'execute', status: 'pending', rawInput: { command } },
    options: [
      { optionId: 'always', name: 'Always', kind: 'allow_always' },
      { optionId: 'once', name: 'Once', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  },
});
const run = (...words: readonly string[]) => ({
  ask: 'terminal/create',
  params: { command: words[0], args: words.slice(1) },
});

const rules = (...lines: readonly string[]) =>
  `{ permissions = { ${lines.map((line) => JSON.stringify(line)).join(', ')} } }`;

async function shownText(nvim: TestNvim, title: string): Promise<string> {
  const name = `acp://${title}`;
  const code = `local buf = vim.fn.bufnr(...); return buf ~= -1 and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\\n') or ''`;
  let text = '';
  await nvim.waitFor(async () => {
    text = await nvim.lua<string>(code, name);
    return text !== '';
  }, `the window ${name}`);
  return text;
}

describe('a rule', () => {
  it('answers a request of the agent with its "once" option, and the call says which rule', async ({
    start,
  }) => {
    const chat = await startProgrammableChat(start, { ...size, config: rules('allow run npm test *') });
    const { nvim } = chat;
    await chat.begin(permission('npm test -- a'));
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect(await chat.timesAsked).toBe(0);
    const text = (await transcript(nvim)).join('\n');
    expect(text).toContain('"optionId":"once"');
    await nvim.command('AcpWhy');
    expect(await shownText(nvim, 'permissions-the-last-decision')).toContain(
      'npm test -- a: allow, the rule "allow run npm test *" (the option permissions)',
    );
  });

  it('that denies answers with the option to reject', async ({ start }) => {
    const chat = await startProgrammableChat(start, { ...size, config: rules('deny run curl *') });
    await chat.begin(permission('ls && curl evil'));
    await waitForPhase(chat.nvim, 'idle');
    await drawn(chat.nvim);
    expect(await chat.timesAsked).toBe(0);
    expect((await transcript(chat.nvim)).join('\n')).toContain('"optionId":"no"');
  });

  it('does not cover what it does not name', async ({ start }) => {
    const chat = await startProgrammableChat(start, { ...size, config: rules('allow run npm test *') });
    await chat.begin(permission('npm test; rm -rf build'));
    expect(await chat.nextLabels()).toContainEqual(expect.stringMatching(/^Once/));
    await chat.pick('No');
    await waitForPhase(chat.nvim, 'idle');
  });

  it('lets a command run in a terminal of Neovim', async ({ start }) => {
    const chat = await startProgrammableChat(start, { ...size, config: rules('allow run touch made') });
    await chat.begin(run('touch', 'made'));
    await chat.nvim.waitFor(() => fs.existsSync(path.join(chat.folder, 'made')), 'the file');
    expect(await chat.timesAsked).toBe(0);
  });

  it('of a project counts only after the user trusted it, and not after it has changed', async ({
    start,
  }) => {
    const chat = await startProgrammableChat(start, {
      ...size,
      files: { '.acp-permissions': 'allow run touch made\n' },
    });
    const { nvim } = chat;
    await chat.begin(run('touch', 'made'));
    await chat.nextLabels();
    await chat.pick('Reject');
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpPermissions trust');
    await nvim.waitForScreen('1 Trust this content');
    await nvim.input('1');
    await nvim.waitForScreen('count from now on');
    await chat.begin(run('touch', 'made'));
    await nvim.waitFor(() => fs.existsSync(path.join(chat.folder, 'made')), 'the file');
    fs.writeFileSync(path.join(chat.folder, '.acp-permissions'), 'allow run touch *\n');
    await waitForPhase(nvim, 'idle');
    await chat.begin(run('touch', 'more'));
    expect(await chat.nextLabels()).toContain('Reject');
    await chat.pick('Reject');
    await waitForPhase(nvim, 'idle');
  });
});

describe('a line that is not a rule', () => {
  it('is reported when a chat is opened, and when the file is written', async ({ start }) => {
    const chat = await startProgrammableChat(start, { ...size, config: rules('deny rnu curl *') });
    const { nvim } = chat;
    await nvim.waitFor(
      async () => /"deny rnu curl \*" is not a rule.*\(the option permissions\)/s.test(await nvim.messages()),
      'the first message',
    );
    await nvim.command('AcpPermissions edit');
    await nvim.input('iallow run<CR>deny run git push *<CR>preset tetss<Esc>:silent w<CR>');
    await nvim.waitFor(
      async () =>
        /"allow run" is not a rule: the pattern\s+is\s+missing.*and 1 more/s.test(await nvim.messages()),
      'the second message',
    );
  });

  it('is marked before the file of the project is trusted, and presets are shown whole', async ({
    start,
  }) => {
    const files = { '.acp-permissions': 'preset edits\ndeny rnu curl *\nallow run make\n' };
    const chat = await startProgrammableChat(start, { ...size, files });
    const { nvim } = chat;
    await nvim.waitFor(
      async () => (await nvim.messages()).includes('do not count yet: :AcpPermissions trust shows them'),
      'the message',
    );
    await nvim.command('AcpPermissions trust');
    await nvim.waitForScreen('1 Trust this content');
    const text = nvim.screen.text();
    expect(text).toMatch(/preset edits.*allow read \*\*.*allow edit \*\*/s);
    expect(text).toContain('"deny rnu curl *" is not a rule');
    await nvim.input('1');
    await nvim.waitFor(
      async () => /"deny rnu curl \*" is not a rule/.test(await nvim.messages()),
      'the message about the line',
    );
  });
});

describe(':AcpPermissions', () => {
  it.for(['q', ':q<CR>'])(
    'returns to the transcript on %s, and the prompt keeps its height',
    async (keys, { start }) => {
      const nvim = await startChat(start, { columns: 120, lines: 40 });
      await converse(nvim, 'hello');
      await nvim.input('<C-w>k');
      await nvim.waitFor(() => nvim.lua("return vim.bo.filetype == 'acp'"), 'the transcript');
      await nvim.command('AcpPermissions');
      await nvim.waitFor(() => nvim.lua("return vim.bo.filetype == 'acp-text'"), 'the rules');
      const height = () =>
        nvim.lua<number>(
          "return vim.api.nvim_win_get_height(vim.fn.bufwinid(require('acp.chats').current().prompt))",
        );
      await nvim.waitFor(async () => (await height()) === 2, 'the height of the prompt');
      await nvim.input(keys);
      await nvim.waitFor(() => nvim.lua("return vim.bo.filetype == 'acp'"), 'the transcript again');
      await nvim.waitFor(async () => (await height()) === 2, 'the height of the prompt');
    },
  );

  it('is as high as its lines, also when it is opened from the prompt', async ({ start }) => {
    const nvim = await startChat(start, { columns: 110, lines: 32 });
    await nvim.command('AcpPermissions');
    await nvim.waitFor(() => nvim.lua("return vim.bo.filetype == 'acp-text'"), 'the rules');
    const [height, lines] = await nvim.lua<[number, number]>(
      'return { vim.fn.winheight(0), vim.fn.line("$") }',
    );
    expect(height).toBe(lines);
  });

  it('project opens the file over the whole width, not in the column of the chat', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120, lines: 40 });
    await nvim.command('AcpPermissions project');
    await nvim.waitFor(() => nvim.lua("return vim.fn.expand('%:t') == '.acp-permissions'"), 'the file');
    expect(await nvim.lua('return { vim.fn.winwidth(0), vim.wo.winfixbuf }')).toEqual([120, false]);
  });

  it('lists the rules and where they stand', async ({ start }) => {
    const chat = await startProgrammableChat(start, {
      ...size,
      config: rules('preset read-only', 'fly away'),
    });
    await chat.nvim.command('AcpPermissions add allow run make');
    await chat.nvim.command('AcpPermissions');
    const text = await shownText(chat.nvim, 'permissions');
    expect(text).toContain('# this session\nallow run make\n');
    expect(text).toContain('# the option permissions, preset read-only\nallow read **\n');
    expect(text).toContain('"fly away" is not a rule');
  });

  it('says what would happen with a command', async ({ start }) => {
    const chat = await startProgrammableChat(start, { ...size, config: rules('allow run ls *') });
    await chat.nvim.command('AcpPermissions try ls -la | xargs rm');
    const text = await shownText(chat.nvim, 'permissions-dry-run');
    expect(text).toContain('ask, because');
    expect(text).toContain('allow  ls -la: the rule "allow run ls *"');
    expect(text).toContain('ask    rm …: no rule matches');
  });
});
