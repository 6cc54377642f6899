import type { TestNvim } from './nvim.ts';

/** Without the delays that keep a user from answering by accident. */
export const answerImmediately = `
require('acp.dialogs.dialog').guard_ms = 0
require('acp.dialogs.dialog').unasked_guard_ms = 0
require('acp.dialogs.idle').quiet_ms = 0`;

/** For a test in place of `vim.ui.select`, which reads also prompts that do not fit on one line of a screen. */
export const readWholePrompts = `
_G.fits = require('acp.dialogs.select').fits
require('acp.dialogs.select').fits = function() return true end`;

/** Lua: the items of a list without the "Later" of one that opened by itself. */
export const withoutLater = `
_G.without_later = function(items)
  local has_later = type(items[1]) == 'table' and items[1].label == 'Later'
  return has_later and vim.list_slice(items, 2) or items
end`;

/** Records what the user is asked; `User` answers. Only `list` has the "Later" of a list that opened by itself. */
export const recordQuestions = `${answerImmediately}${readWholePrompts}${withoutLater}
_G.asked = {}
vim.ui.select = function(items, options, on_choice)
  local list = items
  items = _G.without_later(items)
  local labels = vim.tbl_map(options.format_item, items)
  table.insert(_G.asked, { list = list, labels = labels, prompt = options.prompt, kind = options.kind, items = items, answer = on_choice, preview = options.preview_item })
end
vim.ui.input = function(options, on_confirm)
  table.insert(_G.asked, { prompt = options.prompt, default = options.default, kind = 'input', answer = on_confirm })
end
_G.opened = {}
vim.ui.open = function(url)
  table.insert(_G.opened, url)
end`;

/** Clicks twice on the first place of the screen that shows a text; `between` waits for what the first click does. */
export async function doubleClick(
  nvim: TestNvim,
  text: string,
  between?: () => Promise<unknown>,
): Promise<void> {
  const row = nvim.screen.lines().findIndex((line) => line.includes(text));
  const column = nvim.screen.lines()[row]!.indexOf(text);
  for (let times = 0; times < 2; times += 1) {
    await nvim.client.request('nvim_input_mouse', ['left', 'press', '', 0, row, column]);
    await nvim.client.request('nvim_input_mouse', ['left', 'release', '', 0, row, column]);
    if (times === 0) await between?.();
  }
}

/** Chooses the first option of every permission question. */
export const allowEverything = `
local question = require('acp.dialogs.question')
local notify = function(...) require('acp.host').notify(...) end
question.update = function(chat, change)
  chat.waiting = change.count
  if change.count > 0 then
    notify('question.show', { chat = chat.id })
  end
end
local picker = require('acp.dialogs.picker')
local open = picker.open
picker.open = function(asked)
  if asked.kind ~= 'acp.permission' then
    return open(asked)
  end
  notify(asked.items[1].op, asked.items[1].payload)
end`;

/** Records notifications in `_G.said`. */
export const recordNotifications = `
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

/** Answers questions in place of the user; needs `recordQuestions`. */
export class User {
  readonly nvim: TestNvim;
  private count = 0;

  constructor(nvim: TestNvim) {
    this.nvim = nvim;
  }

  /** How often the user was asked. */
  get timesAsked(): Promise<number> {
    return this.nvim.lua<number>('return #_G.asked');
  }

  /** Waits for the next question. */
  async next(): Promise<Asked> {
    this.count += 1;
    const at = this.count;
    await this.nvim.waitFor(async () => (await this.timesAsked) >= at, `question ${at}`);
    return this.nvim.lua<Asked>(`
      local asked = _G.asked[${at}]
      return { prompt = asked.prompt, kind = asked.kind, labels = asked.labels, default = asked.default }`);
  }

  /** Opens the question that waits; forms and pages never open by themselves. */
  async open(): Promise<Asked> {
    const isWaiting = "return require('acp.chats').with_question() ~= nil";
    await this.nvim.waitFor(() => this.nvim.lua<boolean>(isWaiting), 'a question that waits');
    await this.nvim.command('AcpAnswer');
    return this.next();
  }

  /** Waits for the next question and returns what the user can choose. */
  async nextLabels(): Promise<readonly string[]> {
    return (await this.next()).labels ?? [];
  }

  async type(text: string | undefined): Promise<void> {
    const given = text === undefined ? 'nil' : JSON.stringify(text);
    await this.nvim.lua(`_G.asked[${this.count}].answer(${given})`);
  }

  async pick(label: string): Promise<void> {
    const isFound = await this.nvim.lua(
      `local asked, wanted = _G.asked[${this.count}], ...
       for index, text in ipairs(asked.labels) do
         if vim.trim(text) == wanted then
           asked.answer(asked.items[index])
           return true
         end
       end`,
      label,
    );
    if (!isFound) throw new Error(`there is no "${label}" to choose`);
  }
}
