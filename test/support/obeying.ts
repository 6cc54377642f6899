import path from 'node:path';
import { type ChatOptions, startChat } from './chat.ts';
import type { NvimOptions, TestNvim } from './nvim.ts';
import { repoRoot } from './nvim-process.ts';
import { answersAtOnce } from './user.ts';

export const obeyingAgent = path.join(repoRoot, 'test', 'fixtures', 'agents', 'obeying.mjs');

/** Stands for the user: notes what they are asked, and the test answers. */
export const recordSelect = `${answersAtOnce}
_G.asked = {}
vim.ui.select = function(items, options, on_choice)
  local labels = vim.tbl_map(options.format_item, items)
  table.insert(_G.asked, { items = items, labels = labels, prompt = options.prompt, answer = on_choice })
end`;

/** The user, who is asked and chooses; `recordSelect` belongs to it. */
export class Chooser {
  readonly nvim: TestNvim;
  private count = 0;

  constructor(nvim: TestNvim) {
    this.nvim = nvim;
  }

  /** What the user is asked next: the answers to choose from. */
  async asked(): Promise<readonly string[]> {
    this.count += 1;
    const at = this.count;
    await this.nvim.waitFor(() => this.nvim.lua(`return #_G.asked >= ${at}`), `question ${at}`);
    return this.nvim.lua(`return _G.asked[${at}].labels`);
  }

  get timesAsked(): Promise<number> {
    return this.nvim.lua('return #_G.asked');
  }

  async pick(label: string): Promise<void> {
    const isFound = await this.nvim.lua(
      `local asked, wanted = _G.asked[${this.count}], ...
       for index, text in ipairs(asked.labels) do
         if text == wanted then
           asked.answer(asked.items[index])
           return true
         end
       end`,
      label,
    );
    if (!isFound) throw new Error(`there is no "${label}" to choose`);
  }
}

/** A chat with an agent that does what it is told. */
export class ObeyingChat extends Chooser {
  static async start(
    start: (options?: NvimOptions) => Promise<TestNvim>,
    options: ChatOptions = {},
  ): Promise<ObeyingChat> {
    const config = `vim.tbl_deep_extend('force', ${options.config ?? '{}'}, {
      agents = { obeying = { command = { 'node', ${JSON.stringify(obeyingAgent)} } } },
    })`;
    const init = `${recordSelect}\n${options.init ?? ''}`;
    return new ObeyingChat(await startChat(start, { ...options, agent: 'obeying', config, init }));
  }

  async at(name: string): Promise<string> {
    return path.join(await this.nvim.lua<string>('return vim.uv.cwd()'), name);
  }

  /** Tells the agent what to do; it may still be doing it afterwards. */
  async tell(...steps: readonly object[]): Promise<void> {
    await this.nvim.lua("require('acp').send(...)", JSON.stringify(steps));
  }

  /** Puts the cursor on the line of the chat with this text. */
  async goTo(text: string): Promise<void> {
    const isFound = await this.nvim.lua(
      `local chat, text = require('acp.chats').current(), ...
       for row, line in ipairs(vim.api.nvim_buf_get_lines(chat.buf, 0, -1, false)) do
         if line:find(text, 1, true) then
           vim.api.nvim_set_current_win(vim.fn.bufwinid(chat.buf))
           vim.api.nvim_win_set_cursor(0, { row, 0 })
           return true
         end
       end`,
      text,
    );
    if (!isFound) throw new Error(`the chat has no "${text}"`);
  }
}

export function aDiff(path: string, oldText: string | null, newText: string): object {
  return { type: 'diff', path, oldText, newText };
}

export function aCall(fields: object): { readonly update: object } {
  return {
    update: { sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'Edit', kind: 'edit', ...fields },
  };
}
