--- The prompt: the buffer the user writes in. Writing it with `:w` sends it.
local M = {}

local api = vim.api
local text, hint = require('acp.chat.prompt.text'), require('acp.chat.prompt.hint')

---@param chat acp.Chat
local function attach(chat)
  local buf = chat.prompt
  api.nvim_buf_attach(buf, false, {
    on_lines = function()
      if chat.prompt ~= buf then
        return true
      end
      require('acp.chat.drafts').touch(chat, buf)
    end,
  })
end

local function time_of(seconds)
  local is_today = os.date('%F', seconds) == os.date('%F')
  return os.date(is_today and '%H:%M' or '%F %H:%M', seconds)
end

---@param draft acp.RestoredDraft
---@param has_queue boolean
local function report_restored(draft, has_queue)
  local message = has_queue and 'the draft and the queue of %s were restored'
    or 'the draft of %s was restored'
  if vim.trim(draft.text) == '' then
    message = has_queue and 'the queue of %s was restored' or nil
  end
  if message then
    require('acp.messages').info(message:format(time_of(draft.at)))
  end
end

--- The host has the queue of the draft, without the prompts that had been sent.
---@param chat acp.Chat
---@param count integer
function M.on_queue_restored(chat, count)
  local draft = chat.restored
  chat.queue_to_restore, chat.queue_journal, chat.restored = nil, nil, nil
  require('acp.chat.drafts').touch(chat)
  if draft then
    report_restored(draft, count > 0)
  end
end

-- The user goes on at the end of a draft. In a window where they have moved already they stay.
---@param buf integer
local function go_to_end(buf)
  for _, win in ipairs(api.nvim_buf_is_valid(buf) and vim.fn.win_findbuf(buf) or {}) do
    if vim.deep_equal(api.nvim_win_get_cursor(win), { 1, 0 }) then
      local last = api.nvim_buf_line_count(buf)
      local line = api.nvim_buf_get_lines(buf, last - 1, last, true)[1]
      api.nvim_win_set_cursor(win, { last, #line })
    end
  end
end

-- Fills the buffer with the draft that was saved before it was unloaded, or before Neovim quit.
---@param chat acp.Chat
local function restore_draft(chat)
  local draft = require('acp.chat.drafts').find(chat)
  if not draft then
    return
  end
  api.nvim_buf_set_lines(chat.prompt, 0, -1, false, text.lines(draft.text))
  vim.bo[chat.prompt].modified = false
  chat.restored = draft.is_restored and draft.queue and draft or nil
  local buf = chat.prompt
  -- Its window is opened after this.
  vim.schedule(function()
    go_to_end(buf)
    if draft.is_restored and not draft.queue then
      report_restored(draft, false)
    end
  end)
end

-- `:edit` unloads a buffer too, and loads it again immediately.
---@param chat acp.Chat
---@param buf integer
local function after_unload(chat, buf)
  if not api.nvim_buf_is_valid(buf) or chat.prompt then
    return
  end
  if api.nvim_buf_is_loaded(buf) then
    chat.prompt = buf
    restore_draft(chat)
    attach(chat)
    return text.refresh(chat)
  end
  pcall(api.nvim_buf_delete, buf, { force = true })
end

---@param chat acp.Chat
local function watch(chat)
  local buf = chat.prompt
  local autocommands = require('acp.ui.autocommands')
  local on = autocommands.group('prompt.' .. chat.id, buf)
  on(autocommands.text_changed, function()
    text.refresh(chat)
    require('acp.chat.actions').prepare_turn(chat)
  end)
  on('BufEnter', function()
    require('acp.chat.history').load(chat)
    if require('acp.context.sent_along').enter(chat) then
      text.refresh(chat)
    end
  end)
  on('BufWinEnter', function()
    hint.show(chat)
  end)
  on('BufLeave', function()
    require('acp.context.sent_along').leave(chat)
  end)
  on('InsertEnter', function()
    hint.show(chat, true)
  end)
  on('InsertLeave', function()
    hint.show(chat, false)
    require('acp.chat.drafts').flush(chat)
  end)
  on('WinClosed', function(args)
    require('acp.chat.layout').on_closed(chat, tonumber(args.match))
  end)
  on('BufUnload', function()
    require('acp.chat.drafts').flush(chat)
    -- While Neovim quits, a buffer stays loaded after this event, and the host may still accept its text.
    if vim.v.exiting ~= vim.NIL then
      return
    end
    require('acp.chat.history').forget(buf)
    require('acp.chat.prompt.suggestion').forget(chat)
    chat.prompt = nil
    vim.schedule(function()
      after_unload(chat, buf)
      require('acp.ui.window_options').reset_others()
    end)
  end)
end

-- Windows that open, close or change their size may change that of the prompt.
---@param chat acp.Chat
local function watch_windows(chat)
  local on = require('acp.ui.autocommands').group_of_chat('prompt.windows', chat)
  local refit = vim.schedule_wrap(function()
    require('acp.chat.window').refit(chat)
  end)
  on({ 'WinNew', 'WinClosed', 'VimResized' }, refit)
  -- They change the rows that windows have. The plugin sets the local 'winbar' itself.
  on('OptionSet', function(args)
    local names = { 'cmdheight', 'laststatus', 'showtabline', 'winbar' }
    if vim.v.option_type == 'global' and vim.list_contains(names, args.match) then
      require('acp.chat.window').adapt_to_options(chat)
      refit()
    end
  end)
  on(
    'WinResized',
    vim.schedule_wrap(function()
      hint.show(chat)
    end)
  )
end

---@param chat acp.Chat
function M.ensure_buffer(chat)
  if chat.prompt then
    return
  end
  require('acp.chat.prompt.buffer').create(chat, 'prompt', function()
    require('acp.chat.prompt.sending').send(chat)
  end, function()
    require('acp.chat.window').fit_prompt(chat)
  end)
  require('acp.chat.keys').map_prompt(chat)
  require('acp.context.origin').watch()
  restore_draft(chat)
  attach(chat)
  watch(chat)
  watch_windows(chat)
  hint.show(chat)
end

return M
