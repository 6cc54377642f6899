import type { NvimOptions, TestNvim } from './nvim.ts';

/** The tour without its pauses. */
export const quickTour = `vim.g.acp = { agents = { tour = { env = { ACP_TOUR_PACE = '0' } } } }`;

type Start = (options?: NvimOptions) => Promise<TestNvim>;

export interface ChatOptions extends NvimOptions {
  /** Options of the plugin, as Lua, over those of the quick tour. */
  readonly config?: string;
  readonly agent?: string;
}

/** Starts Neovim, with the host in this process, and a chat that is ready for a prompt, in Normal mode. */
export async function startChat(start: Start, options: ChatOptions = {}): Promise<TestNvim> {
  const { config = '{}', agent = 'tour', ...rest } = options;
  const init = `${quickTour}\nvim.g.acp = vim.tbl_deep_extend('force', vim.g.acp, ${config})\n${options.init ?? ''}`;
  const nvim = await start({ ...rest, init });
  await nvim.attachHost();
  await nvim.command(`AcpChat ${agent}`);
  await nvim.input('<Esc>');
  await waitForPhase(nvim, 'idle');
  if (agent === 'tour') await nvim.waitForScreen('Welcome');
  return nvim;
}

interface ChatStatus {
  readonly id: number;
  readonly agent: string;
  readonly phase: string;
  readonly entries: number;
}

interface HostStatus {
  readonly pid: number;
  readonly isDrawn: boolean;
  readonly chats: readonly ChatStatus[];
}

/** The status of the host, undefined without one. */
export async function hostStatus(nvim: TestNvim): Promise<HostStatus | undefined> {
  return (await nvim.askHost<HostStatus | null>('host.status')) ?? undefined;
}

/** The status of the first chat. */
export async function chatStatus(nvim: TestNvim): Promise<ChatStatus | undefined> {
  return (await hostStatus(nvim))?.chats[0];
}

export async function waitForPhase(nvim: TestNvim, phase: string, timeout?: number): Promise<void> {
  await nvim.waitFor(
    async () => (await chatStatus(nvim))?.phase === phase,
    `the chat to be ${phase}`,
    timeout,
  );
}

/** Sends a prompt and waits for the end of its turn. */
export async function converse(nvim: TestNvim, text: string): Promise<void> {
  const before = (await chatStatus(nvim))?.entries ?? 0;
  await nvim.command(`AcpSend ${text}`);
  await nvim.waitFor(async () => {
    const status = await chatStatus(nvim);
    return status !== undefined && status.entries > before && status.phase === 'idle';
  }, `the end of the turn "${text}"`);
  await drawn(nvim);
}

/** Waits until the last frame is drawn. */
export async function drawn(nvim: TestNvim): Promise<void> {
  await nvim.waitFor(async () => (await hostStatus(nvim))?.isDrawn, 'the last frame');
}

export async function transcript(nvim: TestNvim): Promise<string[]> {
  return nvim.lua("return vim.api.nvim_buf_get_lines(require('acp.chats').current().buf, 0, -1, false)");
}

export async function promptText(nvim: TestNvim): Promise<string> {
  const code =
    "return table.concat(vim.api.nvim_buf_get_lines(require('acp.chats').current().prompt, 0, -1, false), '\\n')";
  return nvim.lua(code);
}

/** The filetypes of the windows on the current tab page, in order. */
export async function windows(nvim: TestNvim): Promise<string[]> {
  return nvim.lua(`
    return vim.tbl_map(function(win)
      return vim.bo[vim.api.nvim_win_get_buf(win)].filetype
    end, vim.api.nvim_tabpage_list_wins(0))`);
}

/** The text of the first floating window; empty if there is none. */
export const floatText = (nvim: TestNvim) =>
  nvim.lua<string>(`
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(win).relative ~= '' then
        return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), '\\n')
      end
    end
    return ''`);
