import { expect } from 'vitest';
import type { TestNvim } from './nvim.ts';

/** Who answers here has read the question, and types nothing. */
export const answersAtOnce = `
require('acp.dialog').guard_ms = 0
require('acp.idle').quiet_ms = 0`;

/** Stands for the user: notes what they are asked, and the test answers. */
export const recordAsking = `${answersAtOnce}
_G.asked = {}
vim.ui.select = function(items, options, on_choice)
  local labels = vim.tbl_map(options.format_item, items)
  table.insert(_G.asked, { labels = labels, prompt = options.prompt, kind = options.kind, items = items, answer = on_choice })
end
vim.ui.input = function(options, on_confirm)
  table.insert(_G.asked, { prompt = options.prompt, default = options.default, kind = 'input', answer = on_confirm })
end
_G.opened = {}
vim.ui.open = function(url)
  table.insert(_G.opened, url)
end`;

/** Stands for a user who takes the first option of every permission question at once. */
export const allowEverything = `
local question = require('acp.question')
local notify = function(...) require('acp.host').notify(...) end
question.waiting = function(chat, ids)
  chat.waiting = #ids
  if #ids > 0 then
    notify('question.show', { chat = chat.id })
  end
end
question.open = function(asked)
  notify('question.answer', { chat = asked.chat, id = asked.id, option = 0 })
end`;

/** Notes what the user is told. */
export const noteMessages = `
_G.said = {}
vim.notify = function(message)
  table.insert(_G.said, message)
end`;

export interface Asked {
  readonly prompt: string;
  readonly kind: string;
  readonly labels?: readonly string[];
  readonly default?: string;
}

/** Answers in the place of the user. */
export class User {
  private readonly nvim: TestNvim;
  private count = 0;

  constructor(nvim: TestNvim) {
    this.nvim = nvim;
  }

  get times(): Promise<number> {
    return this.nvim.lua<number>('return #_G.asked');
  }

  /** What they are asked next. */
  async next(): Promise<Asked> {
    this.count += 1;
    await this.nvim.waitFor(async () => (await this.times) >= this.count, `question ${this.count}`);
    return this.nvim.lua<Asked>(`
      local asked = _G.asked[${this.count}]
      return { prompt = asked.prompt, kind = asked.kind, labels = asked.labels, default = asked.default }`);
  }

  async type(text: string | undefined): Promise<void> {
    const given = text === undefined ? 'nil' : JSON.stringify(text);
    await this.nvim.lua(`_G.asked[${this.count}].answer(${given})`);
  }

  async pick(label: string): Promise<void> {
    const found = await this.nvim.lua<boolean>(`
      local asked = _G.asked[${this.count}]
      for index, text in ipairs(asked.labels) do
        if vim.trim(text) == ${JSON.stringify(label)} then
          asked.answer(asked.items[index])
          return true
        end
      end
      return false`);
    expect(found, label).toBe(true);
  }
}
