import type { TestNvim } from './nvim.ts';

/** Lets the tour run a command, and puts the cursor on its line in the chat. */
export async function runInChat(nvim: TestNvim, line: string): Promise<void> {
  await nvim.command(`AcpSend run ${line}`);
  await goToCall(nvim, line);
}

/** Puts the cursor on the line of a tool call. */
export async function goToCall(nvim: TestNvim, title: string): Promise<void> {
  const go = `
    local chat = require('acp.chats').current()
    local lines = vim.api.nvim_buf_get_lines(chat.buf, 0, -1, false)
    for row = #lines, 1, -1 do
      local line = lines[row]
      local has_begun = line:find('^%S+ run ') and not vim.startswith(line, '○')
      -- A long title is cut.
      if has_begun and line:find((...):sub(1, 20), 1, true) then
        local win = vim.fn.bufwinid(chat.buf)
        vim.api.nvim_set_current_win(win)
        vim.api.nvim_win_set_cursor(win, { row, 0 })
        return true
      end
    end
    return false`;
  await nvim.waitFor(() => nvim.lua<boolean>(go, title), `the call "${title}"`);
}

/** Opens the terminal of a command of the tour, and resolves when its buffer is shown. */
export async function openTerminal(nvim: TestNvim, line: string): Promise<void> {
  await runInChat(nvim, line);
  await nvim.waitFor(async () => (await terminalCount(nvim)) > 0, 'the command to be started');
  await nvim.waitFor(async () => {
    await nvim.command('execute "normal \\<CR>"');
    // An answer of the host means that it has handled the key.
    await terminalCount(nvim);
    if ((await nvim.lua<string>('return vim.bo.buftype')) === 'terminal') {
      // The key may have been pressed twice: the second one would go to this window later.
      await terminalCount(nvim);
      await terminalCount(nvim);
      return true;
    }
    // The agent names the terminal shortly after it has started; until then the key unfolds the call.
    await nvim.command('normal za');
    return false;
  }, 'the terminal buffer');
}

/** The lines of the terminal in the current window, without trailing blank lines. */
export async function terminalText(nvim: TestNvim): Promise<string> {
  return (await nvim.lines())
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd();
}

export async function waitForTerminal(nvim: TestNvim, text: string | RegExp): Promise<void> {
  const isThere = async () => {
    const found = await terminalText(nvim);
    return typeof text === 'string' ? found.includes(text) : text.test(found);
  };
  await nvim.waitFor(isThere, `the terminal to show ${String(text)}`);
}

/** The number of terminals of all chats. */
export async function terminalCount(nvim: TestNvim): Promise<number> {
  return (await nvim.askHost<{ terminals: number }>('host.status')).terminals;
}
